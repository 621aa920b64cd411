"""The store as the rest of the product sees it: a few calls that take query text.

Text crosses the seam, not features, so any SPARQL 1.1 endpoint can serve. Results are plain lists
made in the thread that ran the query: a pyoxigraph iterator used from another thread aborts the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyoxigraph import Literal, NamedNode, Quad, Triple

Cell = NamedNode | Literal | None


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer of a SELECT: variable names, and rows of terms in the order of the query."""

    variables: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


class Store(Protocol):
    """Reading.

    ``graphs`` are the named graphs the caller may see: they are the whole dataset, both as the
    default graph (their union) and as the graphs that ``GRAPH`` can name.
    """

    @property
    def revision(self) -> str:
        """The revision served, empty for a store without revisions."""
        ...

    def select(self, query: str, graphs: Sequence[NamedNode]) -> Rows:
        """The rows of a SELECT query."""
        ...

    def ask(self, query: str, graphs: Sequence[NamedNode]) -> bool:
        """The answer of an ASK query."""
        ...

    def construct(self, query: str, graphs: Sequence[NamedNode]) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query."""
        ...

    def graphs(self) -> list[NamedNode]:
        """The named graphs there are, sorted."""
        ...


class WritableStore(Protocol):
    """Writing, used by loads only."""

    def insert(self, quads: Iterable[Quad]) -> None:
        """Add quads, all or none."""
        ...

    def clear(self, graph: NamedNode) -> None:
        """Remove a named graph."""
        ...
