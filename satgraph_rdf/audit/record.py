"""The audit record and where it is written.

The fields are fixed (architecture, "The life of a request"); ``prev`` is kept for the hash chain.
Records are canonical JSON lines in ``audit/{writer}/{yyyymmdd}-{n}.jsonl``, each one write.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from satgraph_rdf.errors import StoreError

_ROTATE_AT: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """One call. ``scores`` is for discovery; ``ids`` are the entities returned, the first 1,000."""

    id: str
    parent: str | None
    trace: str
    time: str
    door: str
    caller: str
    primitive: str
    query: str
    args: Mapping[str, Any]
    revision: str
    graphs: Sequence[str]
    rows: int
    ids: Sequence[str]
    scores: Sequence[float] | None
    result: str | None
    error: str | None
    ms: float
    prev: str | None = None

    def line(self) -> bytes:
        """The record as one line of canonical JSON."""
        text = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return text.encode("utf-8", errors="backslashreplace") + b"\n"


class Sink(Protocol):
    """Where records go."""

    def write(self, record: Record) -> None:
        """Keep a record; returns when it is handed to the operating system."""
        ...


class NullSink:
    """Keeps nothing: for calls on a store without a folder, such as in tests."""

    def write(self, record: Record) -> None:
        """Forget the record."""


class FileSink:
    """Appends to one folder a writer; a writer is one process."""

    def __init__(self, folder: Path, writer: str) -> None:
        self._folder = folder / writer
        self._lock = threading.Lock()
        self._file: int | None = None
        self._day = ""
        self._size = 0

    def write(self, record: Record) -> None:
        """Append a record with a single write; :class:`StoreError` if it could not be kept whole."""
        line = record.line()
        day = record.time[:10].replace("-", "")
        with self._lock:
            try:
                if self._file is None or day != self._day or self._size > _ROTATE_AT:
                    self._open(day)
                assert self._file is not None
                written = os.write(self._file, line)
            except OSError as fault:
                raise StoreError(f"The call cannot be recorded: {fault.strerror}.") from None
            if written < len(line):
                self._day = ""  # the next record begins a new file, not the end of a torn line
                raise StoreError("The call cannot be recorded: there is no room left.")
            self._size += len(line)

    def _open(self, day: str) -> None:
        if self._file is not None:
            os.close(self._file)
        self._folder.mkdir(parents=True, exist_ok=True)
        count = 1 + len(list(self._folder.glob(f"{day}-*.jsonl")))
        path = self._folder / f"{day}-{count}.jsonl"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._day, self._size = day, 0

    def close(self) -> None:
        """Close the open file."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
