"""Immutable revisions of a store: made aside, published by one rename, opened read-only.

    STORE/
      current                  one line: the id of the published revision
      lock                     held by the one writer, names it
      revisions/000007-9f3c1e/ manifest.json · graph/ · report.ttl
      audit/

A load never touches what is served. Half-made folders start with a dot and are swept by the next
writer; a finished folder that ``current`` does not lead to was never published and is swept too.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from satgraph_rdf.errors import NoRevision, StoreError, StoreLocked, UnknownStoreFormat
from satgraph_rdf.store.embedded import EmbeddedStore

FORMAT: Final = 1
"""The generation of the store's layout; another one is refused, clearly."""

_MODULUS: Final = 1 << 256
_ATTEMPTS: Final = 10
_PAUSE: Final = 0.02
"""Seconds between two attempts to take the lock."""

Step = Callable[[str], None]


def _ignore(_step: str) -> None:
    """No one watches."""


@dataclass(frozen=True)
class SourceEntry:
    """A data source as one revision holds it."""

    name: str
    graph: str
    adapter: str
    files: dict[str, str]
    """file name -> SHA-256 of its content"""
    title: str = ""
    publisher: str = ""
    license: str = ""
    origin: str = ""
    language: str = "und"
    complete: bool = False
    legal_zone: str | None = None
    period: tuple[str | None, str | None] = (None, None)
    gaps: str = ""
    overlays: str | None = None
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """What a revision says about itself.

    ``content_hash`` is the sum of the SHA-256 of every canonical quad line: it does not depend on the
    order of loading. ``digest`` is the SHA-256 over the sorted lines: what records and exports cite.
    """

    revision: str
    number: int
    parent: str | None
    format: int
    base: str
    content_hash: str
    digest: str
    quads: int
    sources: list[SourceEntry]
    ontology: str
    shapes: str
    tool: str
    loaded: str
    legal_zone: str = "UTC"

    def source(self, name: str) -> SourceEntry | None:
        """The entry of a source, if it is loaded."""
        return next((entry for entry in self.sources if entry.name == name), None)


def content_identity(store: EmbeddedStore) -> tuple[str, str, int]:
    """(content hash, digest, number of quads) of a store without blank nodes."""
    with tempfile.TemporaryFile() as file:
        store.dump(file)
        file.seek(0)
        lines = file.read().splitlines()
    lines.sort()
    total = 0
    digest = hashlib.sha256()
    for line in lines:
        total += int.from_bytes(hashlib.sha256(line).digest(), "big")
        digest.update(line)
        digest.update(b"\n")
    return f"{total % _MODULUS:064x}", digest.hexdigest(), len(lines)


class Revisions:
    """The revisions of one store folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def audit(self) -> Path:
        """Where call records go."""
        return self.folder / "audit"

    def current(self) -> str | None:
        """The id of the published revision, None before the first load."""
        try:
            name = (self.folder / "current").read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        if not name:
            raise StoreError(f"{self.folder / 'current'} is empty; it must name a folder of revisions/.")
        return name

    def manifest(self, revision: str | None = None) -> Manifest:
        """The manifest of a revision (default: the published one)."""
        name = revision or self.current()
        if name is None:
            raise NoRevision(
                f"Nothing is loaded in {self.folder}: run 'satgraph load SOURCE --store {self.folder}'."
            )
        path = self.folder / "revisions" / name / "manifest.json"
        if name.startswith(".") or "/" in name or not path.is_file():
            raise NoRevision(f"There is no revision {name!r} in {self.folder}.")
        try:
            data: dict[str, Any] = dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise StoreError(f"The manifest of revision {name} is damaged.") from None
        if data.get("format") != FORMAT:
            raise UnknownStoreFormat(
                f"Revision {name} has store format {data.get('format')!r}; this version reads "
                f"format {FORMAT}. Load the sources again with this version."
            )
        try:
            sources = [
                SourceEntry(**{**entry, "period": tuple(entry["period"])}) for entry in data.pop("sources")
            ]
            return Manifest(sources=sources, **data)
        except (TypeError, KeyError):
            raise StoreError(f"The manifest of revision {name} is damaged.") from None

    def published(self) -> list[Manifest]:
        """The published revisions still there, newest first."""
        found: list[Manifest] = []
        seen: set[str] = set()
        name = self.current()
        while name is not None and name not in seen and (self.folder / "revisions" / name).is_dir():
            seen.add(name)
            found.append(self.manifest(name))
            name = found[-1].parent
        return found

    def half_made(self) -> list[str]:
        """Folders that no published revision owns: what an interrupted load left."""
        root = self.folder / "revisions"
        if not root.is_dir():
            return []
        if self.current() is not None:
            self.manifest()  # a pointer to nothing is damage, not a reason to sweep
        newest = self.manifest().number if self.current() is not None else 0
        return sorted(entry.name for entry in root.iterdir() if not _published(entry.name, newest))

    def open(self, revision: str | None = None, memory_quads: int = 0) -> tuple[EmbeddedStore, Manifest]:
        """A revision opened read-only; in memory if it has at most ``memory_quads`` quads."""
        manifest = self.manifest(revision)
        path = self.folder / "revisions" / manifest.revision / "graph"
        in_memory = manifest.quads <= memory_quads
        return EmbeddedStore.read_only(path, manifest.revision, in_memory), manifest

    def holder(self) -> str | None:
        """Who holds the writer's lock, None if nobody."""
        path = self.folder / "lock"
        if not path.exists():
            return None
        with path.open("r", encoding="utf-8") as file:
            name = file.read().strip()
            if not name:
                return None  # a writer leaves its name while it writes
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return name
            return None  # the name of a writer that was killed

    def _lock(self, lock: IO[str]) -> None:
        """Take the lock; patient for a moment, because who only asks for the holder takes it too."""
        for attempt in range(_ATTEMPTS):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if attempt + 1 < _ATTEMPTS:
                    time.sleep(_PAUSE)
            else:
                return
        lock.seek(0)
        holder = lock.read().strip() or "another process"
        raise StoreLocked(f"The store {self.folder} is being written by {holder}.")

    @contextmanager
    def write(self, who: str, on_step: Step = _ignore) -> Iterator[Writer]:
        """The one writer of the store; a second one fails at once, naming the first."""
        try:
            (self.folder / "revisions").mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("a+", encoding="utf-8")
        except OSError as fault:
            raise StoreError(f"The store folder {self.folder} cannot be written: {fault}.") from None
        with lock:
            self._lock(lock)
            lock.truncate(0)
            lock.write(f"{who}, process {os.getpid()}")
            lock.flush()
            writer = Writer(self, lock, on_step)
            try:
                yield writer
            finally:
                writer.abandon()
                lock.truncate(0)


class Writer:
    """Makes one new revision under the lock."""

    def __init__(self, revisions: Revisions, lock: IO[str], on_step: Step) -> None:
        self._revisions = revisions
        self._lock = lock
        self._on_step = on_step
        self._building: Path | None = None
        self._store: EmbeddedStore | None = None
        self.swept = revisions.half_made()
        for name in self.swept:
            shutil.rmtree(revisions.folder / "revisions" / name, ignore_errors=True)
        self.parent = revisions.manifest() if revisions.current() is not None else None

    @property
    def number(self) -> int:
        """The number of the revision being made."""
        return self.parent.number + 1 if self.parent is not None else 1

    def checkpoint(self) -> EmbeddedStore:
        """A writable store that starts as the published revision, or empty."""
        root = self._revisions.folder / "revisions"
        self._building = root / f".{self.number:06d}-building"
        self._building.mkdir()
        graph = self._building / "graph"
        if self.parent is not None:
            source = root / self.parent.revision / "graph"
            EmbeddedStore.read_only(source, in_memory=False).backup(graph)
        self._on_step("after checkpoint")
        self._store = EmbeddedStore.folder(graph)
        return self._store

    def add_file(self, name: str, text: str) -> None:
        """Put a file beside the graph."""
        assert self._building is not None
        _write(self._building / name, text)

    def publish(self, make: Callable[[str], Manifest], content_hash: str) -> Manifest:
        """Write the manifest last, make everything durable, and rename ``current``."""
        assert self._building is not None
        self._close()
        name = f"{self.number:06d}-{content_hash[:6]}"
        manifest = make(name)
        self._on_step("before manifest")
        self.add_file("manifest.json", json.dumps(asdict(manifest), ensure_ascii=False, indent=2) + "\n")
        for path in [*self._building.rglob("*"), self._building]:
            _sync(path)
        self._on_step("before rename")
        root = self._revisions.folder / "revisions"
        self._building.rename(root / name)
        self._building = None
        _sync(root)
        self._on_step("before current")
        waiting = self._revisions.folder / ".current"
        _write(waiting, name + "\n")
        waiting.rename(self._revisions.folder / "current")
        _sync(self._revisions.folder)
        self._on_step("after rename")
        return manifest

    def _close(self) -> None:
        """Nothing may be written any more into a folder that is to be renamed or removed."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def abandon(self) -> None:
        """Remove what was being made and was not published."""
        self._close()
        if self._building is not None:
            shutil.rmtree(self._building, ignore_errors=True)
            self._building = None


def _published(name: str, newest: int) -> bool:
    """Whether a folder can be a published revision: finished, and not newer than the newest."""
    number = name.partition("-")[0]
    return number.isdigit() and int(number) <= newest


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
