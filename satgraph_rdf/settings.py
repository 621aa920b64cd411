"""The only place that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from satgraph_rdf.errors import InvalidParameter


@dataclass(frozen=True)
class Settings:
    """What a process is told from outside; command-line options win over it.

    ``store``: folder of the store (SATGRAPH_STORE, default ``store``). ``memory_quads``: a revision of at
    most so many quads is served from memory (SATGRAPH_MEMORY_QUADS; about 0.3 KB a quad).
    """

    store: Path
    memory_quads: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read ``SATGRAPH_*``."""
        quads = environment.get("SATGRAPH_MEMORY_QUADS", "10000000")
        if not quads.isdecimal():
            raise InvalidParameter(f"SATGRAPH_MEMORY_QUADS must be a number of quads; got {quads!r}.")
        return cls(store=Path(environment.get("SATGRAPH_STORE", "store")), memory_quads=int(quads))
