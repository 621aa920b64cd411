"""The primitives of a folder of query files (see :mod:`satgraph_rdf.declaration`), by every name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from satgraph_rdf.declaration import Declaration
from satgraph_rdf.errors import InvalidDeclaration, NotFound
from satgraph_rdf.primitive import Primitive

QUERIES: Final = Path(__file__).parent / "queries"


class Registry:
    """The primitives of a folder of query files, by every name they answer to."""

    def __init__(self, primitives: Mapping[str, Primitive], internal: Mapping[str, Primitive]) -> None:
        self._primitives = primitives
        self.internal = internal
        self._names: dict[str, Primitive] = {}
        for primitive in primitives.values():
            for name in (primitive.name, primitive.operation_id, primitive.camel_name, primitive.command):
                self._names[name.lower()] = primitive

    def __iter__(self) -> Iterator[Primitive]:
        return iter(self._primitives.values())

    def __getitem__(self, name: str) -> Primitive:
        try:
            return self._names[name.lower()]
        except KeyError:
            known = ", ".join(sorted(primitive.camel_name for primitive in self))
            raise NotFound(f"No primitive is called {name!r}; there are {known}.") from None

    @classmethod
    def load(cls, folder: Path = QUERIES) -> Registry:
        """Read and check every file; :class:`InvalidDeclaration` names file and line of a fault."""
        prefixes = (folder / "prefixes.rq").read_text(encoding="utf-8")
        scratch = Store()
        primitives: dict[str, Primitive] = {}
        internal: dict[str, Primitive] = {}
        taken: dict[str, Path] = {}
        for path in sorted(folder.glob("*/*.rq")):
            primitive = Declaration(path, prefixes, scratch).read()
            names = {primitive.name.lower(), primitive.operation_id.lower(), primitive.camel_name.lower()}
            if primitive.path:
                names.add(f"{primitive.method} {re.sub('{[^}]*}', '{}', primitive.path)}")
            for name in names:
                if name in taken:
                    raise InvalidDeclaration(f"{path}: {name!r} is taken by {taken[name]}.")
                taken[name] = path
            (primitives if primitive.path else internal)[primitive.name] = primitive
        for primitive in primitives.values():
            if primitive.absent and primitive.absent not in internal:
                raise InvalidDeclaration(f"{primitive.name}: 'absent:' must name an internal query.")
            if primitive.hydrate:
                primitives[primitive.name] = _with_hydrator(primitive, primitives)
        return cls(primitives, internal)


def _with_hydrator(primitive: Primitive, primitives: Mapping[str, Primitive]) -> Primitive:
    """The primitive with an audit identity that pins the second query too."""
    hydrator = primitives.get(primitive.hydrate)
    if (
        hydrator is None
        or hydrator.hydrate
        or hydrator.returns != primitive.returns
        or "ids" not in hydrator.template.inputs
        or not primitive.many
    ):
        raise InvalidDeclaration(
            f"{primitive.name}: 'hydrate:' must name a batch primitive of {primitive.returns}."
        )
    both = f"{primitive.identity}\n{hydrator.identity}".encode()
    return replace(primitive, identity=hashlib.sha256(both).hexdigest())
