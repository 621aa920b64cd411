"""The embedded adapter: Oxigraph in memory or in a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import pyoxigraph as ox

from satgraph_rdf.errors import StoreError
from satgraph_rdf.store import Rows


class EmbeddedStore:
    """An Oxigraph store behind the protocols of :mod:`satgraph_rdf.store`."""

    def __init__(self, inner: ox.Store, revision: str = "") -> None:
        self._inner = inner
        self._revision = revision

    @classmethod
    def memory(cls, revision: str = "") -> EmbeddedStore:
        """An empty store in memory."""
        return cls(ox.Store(), revision)

    @classmethod
    def folder(cls, path: Path) -> EmbeddedStore:
        """A writable store in a folder (one process only)."""
        try:
            return cls(ox.Store(str(path)))
        except OSError as fault:
            raise StoreError(f"The store folder {path} cannot be opened: {fault}.") from None

    @classmethod
    def read_only(cls, path: Path, revision: str = "", in_memory: bool = True) -> EmbeddedStore:
        """A closed store folder opened for reading by any number of processes.

        ``in_memory`` copies it into memory first (through N-Quads, the fastest way measured).
        """
        try:
            inner = ox.Store.read_only(str(path))
        except (OSError, ValueError) as fault:
            raise StoreError(f"The store folder {path} cannot be opened: {fault}.") from None
        if not in_memory:
            return cls(inner, revision)
        copy = ox.Store()
        with tempfile.TemporaryFile() as file:
            inner.dump(file, format=ox.RdfFormat.N_QUADS)
            file.seek(0)
            copy.bulk_load(file, format=ox.RdfFormat.N_QUADS)
        return cls(copy, revision)

    @property
    def revision(self) -> str:
        """The revision served."""
        return self._revision

    def __len__(self) -> int:
        return len(self._inner)

    def _query(self, query: str, graphs: Sequence[ox.NamedNode]) -> Any:
        granted: Any = list(graphs)
        return self._inner.query(query, default_graph=granted, named_graphs=granted)

    def select(self, query: str, graphs: Sequence[ox.NamedNode]) -> Rows:
        """The rows of a SELECT query."""
        solutions = self._query(query, graphs)
        names = tuple(variable.value for variable in solutions.variables)
        return Rows(names, [tuple(solution) for solution in solutions])

    def ask(self, query: str, graphs: Sequence[ox.NamedNode]) -> bool:
        """The answer of an ASK query."""
        return bool(self._query(query, graphs))

    def construct(self, query: str, graphs: Sequence[ox.NamedNode]) -> list[ox.Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query."""
        return list(self._query(query, graphs))

    def graphs(self) -> list[ox.NamedNode]:
        """The named graphs there are, sorted."""
        named = [graph for graph in self._inner.named_graphs() if isinstance(graph, ox.NamedNode)]
        return sorted(named, key=lambda graph: graph.value)

    def insert(self, quads: Iterable[ox.Quad]) -> None:
        """Add quads, all or none."""
        self._inner.bulk_extend(quads)

    def clear(self, graph: ox.NamedNode) -> None:
        """Remove a named graph."""
        self._inner.remove_graph(graph)

    def backup(self, target: Path) -> None:
        """A checkpoint: a second store folder that shares files with this one."""
        self._inner.backup(str(target))

    def close(self) -> None:
        """Write everything to disk and let go of the folder; the store cannot be used after that.

        Compaction goes on in the background as long as a folder is held, so its files may vanish.
        Closing twice is closing once.
        """
        if hasattr(self, "_inner"):
            self._inner.flush()
            del self._inner

    def dump(self, file: IO[bytes]) -> None:
        """Every quad as a line of N-Quads."""
        self._inner.dump(file, format=ox.RdfFormat.N_QUADS)
