"""What an adapter is: a name, a test of a path, and a reader that gives a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pyoxigraph import Quad

from satgraph_rdf.ingest.act import Act
from satgraph_rdf.ingest.model import Records, SourceInfo
from satgraph_rdf.ingest.paint import Painter


def _nothing(_painter: Painter) -> None:
    """For an adapter with nothing to settle."""


@dataclass(slots=True)
class Draft:
    """Records not yet painted, the acts to paint, and what to settle once they are.

    An adapter whose input already is our RDF gives ``quads`` in the place of acts; their graph is
    not looked at.
    """

    records: Records
    acts: list[Act] = field(default_factory=list)
    settle: Callable[[Painter], None] = _nothing
    quads: list[Quad] | None = None


@dataclass(frozen=True)
class Adapter:
    """One format: how it is named, recognised and read."""

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Path, SourceInfo], Draft]
