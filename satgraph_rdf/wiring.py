"""The only place that chooses: which store, which sink, which clock."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from satgraph_rdf.audit.record import FileSink, Sink
from satgraph_rdf.call import Answer, Caller
from satgraph_rdf.engine import Engine
from satgraph_rdf.errors import SatGraphError, StoreError
from satgraph_rdf.registry import Registry
from satgraph_rdf.revisions import Manifest, Revisions
from satgraph_rdf.settings import Settings
from satgraph_rdf.terms import IdSpace, Instant

_log = logging.getLogger("satgraph")
_LOOK_EVERY: Final = 0.25
"""Seconds between two looks at ``current``."""


def open_engine(
    revisions: Revisions, settings: Settings, sink: Sink, registry: Registry, revision: str | None = None
) -> tuple[Engine, Manifest]:
    """An engine on one revision of a store."""
    store, manifest = revisions.open(revision, settings.memory_quads)
    zone = ZoneInfo(manifest.legal_zone)

    def legal_clock(now: Instant) -> Instant:
        # The wall clock of the law's place, relabelled Z: a law of 1 December does not appear on
        # the evening of 30 November (contract, "defaults of at, observerTime").
        return Instant(now.at.astimezone(zone).replace(tzinfo=UTC))

    engine = Engine(registry, store, IdSpace(manifest.base), sink, legal_clock=legal_clock)
    return engine, manifest


@dataclass(frozen=True)
class Served:
    """One revision as it is served: the engine and what the revision says about itself."""

    engine: Engine
    manifest: Manifest

    def everything(self, name: str) -> Caller:
        """A caller granted every source of the revision."""
        space = self.engine.space
        return Caller(name, tuple(space.graph(source.name) for source in self.manifest.sources))


class Service:
    """The published revision of a store, followed as it changes.

    A call in flight ends on the revision it began on; the next one sees the new revision whole.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.revisions = Revisions(settings.store)
        self.registry = Registry.load()
        self.revisions.manifest()  # nothing loaded: say so before anything is written
        writer = f"{socket.gethostname()}-{os.getpid()}-{int(time.time())}"
        self._sink = FileSink(self.revisions.audit, writer)
        self._lock = threading.Lock()
        self._looked = time.monotonic()
        self._served = self._open()

    def _open(self) -> Served:
        return Served(*open_engine(self.revisions, self._settings, self._sink, self.registry))

    def served(self) -> Served:
        """The published revision, looked up at most every quarter of a second."""
        if time.monotonic() - self._looked >= _LOOK_EVERY and self._lock.acquire(blocking=False):
            # One call opens the new revision; the others go on with the old one meanwhile.
            try:
                self._looked = time.monotonic()
                if self.revisions.current() not in (None, self._served.manifest.revision):
                    self._served = self._open()
            except StoreError:
                _log.exception("the published revision cannot be opened; the last one is served")
            finally:
                self._lock.release()
        return self._served

    def run(self, primitive: str, arguments: Mapping[str, Any], door: str, caller: str = "local") -> Answer:
        """Run a primitive for a caller granted every source (until keys exist)."""
        served = self.served()
        return served.engine.run(primitive, arguments, served.everything(caller), door)

    def refuse(self, primitive: str, fault: SatGraphError, door: str, caller: str = "local") -> None:
        """Record a call that its door could not read; raises the fault."""
        served = self.served()
        served.engine.refuse(primitive, fault, served.everything(caller), door)

    def close(self) -> None:
        """Close the audit file."""
        self._sink.close()


def store_settings(store: Path | None, once: bool = False) -> Settings:
    """The settings of the environment, with the store given on the command line.

    ``once``: for a single call, which is answered from the folder faster than a copy in memory is made.
    """
    settings = Settings.from_environment()
    return Settings(store or settings.store, 0 if once else settings.memory_quads)
