"""Query files -> primitives, with every check at start-up.

A file is a header of ``#+ key: value`` lines and a query:

    #+ summary: Versions of an Item in force at an instant, as known to an observer.
    #+ source:  SAT-Graph API 1.0.0, getValidVersions
    #+ path:    /items/{item}/valid-versions
    #+ params:  item, at?, observer_time?
    #+ returns: [Version] or NO_VALID_VERSION

Optional keys: ``method`` (POST for batches), ``operation`` (the published operationId, where it is
not the file's name), ``hydrate`` (the file only finds ids; the named batch primitive reads the
entities), ``absent`` (the internal query that explains an empty answer), ``order`` (an order that
SPARQL cannot sort by: ``input PARAM FIELD``, ``components``, ``chain`` or ``lineage``).
``name?=beginning`` overrides a default. A file without ``path`` is internal: the engine asks it, no
facade shows it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from satgraph_rdf.binding import Template, term_of
from satgraph_rdf.errors import InvalidDeclaration, NotFound
from satgraph_rdf.params import PARAMS
from satgraph_rdf.primitive import Primitive, Use, example
from satgraph_rdf.results import MODELS, Model
from satgraph_rdf.terms import IdSpace

QUERIES: Final = Path(__file__).parent / "queries"
_KEYS: Final = frozenset(
    {"summary", "source", "path", "method", "operation", "params", "returns", "order", "hydrate", "absent"}
)
_FORBIDDEN: Final = frozenset(
    [
        "SERVICE",
        "FROM",
        "INSERT",
        "DELETE",
        "LOAD",
        "CLEAR",
        "DROP",
        "CREATE",
        "ADD",
        "MOVE",
        "COPY",
        "WITH",
        "USING",
        "ASK",
        "CONSTRUCT",
        "DESCRIBE",
    ]
)
_HEADER: Final = re.compile(r"#\+\s*([a-z]+):\s*(.*\S)\s*")
_USE: Final = re.compile(r"([a-z_]+)(\?)?(?:=([a-z]+))?")
_RETURNS: Final = re.compile(r"(\[)?([A-Za-z]+)(\])?(?: or ([A-Z_]+))?")
_OUTCOMES: Final = frozenset({"RESOURCE_NOT_FOUND", "NO_VALID_VERSION", "NOT_YET_KNOWN"})
# What the folds of structure.py read, and the parameters that they, not the query, use.
_STRUCTURE: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "id": (
        frozenset({"id", "parent", "position", "itemId", "componentOrder"}),
        frozenset({"depth", "order"}),
    ),
    "Document": (
        frozenset(
            {"rootId", "versionId", "itemId", "typeId", "label", "componentOrder", "workLanguage"}
            | {"textUnitId", "language", "content"}
        ),
        frozenset({"language"}),
    ),
    "Facts": (frozenset(), frozenset()),
}


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
            primitive = _Reader(path, prefixes, scratch).read()
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
    if hydrator is None or hydrator.returns != primitive.returns or not primitive.many:
        raise InvalidDeclaration(
            f"{primitive.name}: 'hydrate:' must name a batch primitive of {primitive.returns}."
        )
    both = f"{primitive.identity}\n{hydrator.identity}".encode()
    return replace(primitive, identity=hashlib.sha256(both).hexdigest())


class _Reader:
    """Reads one file."""

    def __init__(self, path: Path, prefixes: str, scratch: Store) -> None:
        self.path = path
        self.prefixes = prefixes
        self.scratch = scratch
        self.text = path.read_text(encoding="utf-8")
        self.lines: dict[str, int] = {}

    def fault(self, message: str, line: int = 1) -> InvalidDeclaration:
        return InvalidDeclaration(f"{self.path}:{line}: {message}")

    def read(self) -> Primitive:
        header = self._header()
        for key in ("summary", "params", "returns"):
            if key not in header:
                raise self.fault(f"the header lacks '{key}:'.")
        path = header.get("path", "")
        uses = self._uses(header["params"])
        match = _RETURNS.fullmatch(header["returns"])
        if match is None or bool(match.group(1)) != bool(match.group(3)):
            raise self.fault("'returns:' must be like [Version] or NO_VALID_VERSION.", self.lines["returns"])
        returns, many, outcome = match.group(2), bool(match.group(1)), match.group(4)
        if returns not in MODELS and returns not in _STRUCTURE:
            known = ", ".join([*MODELS, *_STRUCTURE])
            raise self.fault(f"unknown model {returns!r}; there are {known}.", self.lines["returns"])
        if outcome is not None and outcome not in _OUTCOMES:
            raise self.fault(f"unknown code {outcome!r}; there are {', '.join(sorted(_OUTCOMES))}.")
        template = Template.cut(f"{self.prefixes}\n{self.text}")
        self._check_inputs(template, uses, returns, path)
        variables = self._check_query(template, uses, returns, "hydrate" in header)
        if many and returns in MODELS:
            self._check_order(template)
        name = self.path.stem
        camel = "".join(word.capitalize() if n else word for n, word in enumerate(name.split("_")))
        method = header.get("method", "GET")
        if method not in ("GET", "POST"):
            raise self.fault(f"'method:' must be GET or POST; got {method!r}.", self.lines["method"])
        return Primitive(
            name=name,
            operation_id=header.get("operation", camel),
            group=self.path.parent.name,
            summary=header["summary"],
            source=header.get("source", ""),
            method=method,
            path=path,
            uses=uses,
            returns=returns,
            many=many,
            outcome=outcome,
            order=tuple(header.get("order", "").split()),
            hydrate=header.get("hydrate", ""),
            absent=header.get("absent", ""),
            template=template,
            variables=variables,
            identity=hashlib.sha256((self.prefixes + "\n" + self.text).encode("utf-8")).hexdigest(),
        )

    def _header(self) -> dict[str, str]:
        header: dict[str, str] = {}
        for number, line in enumerate(self.text.splitlines(), 1):
            if not line.startswith("#+"):
                continue
            match = _HEADER.fullmatch(line)
            if match is None or match.group(1) not in _KEYS:
                raise self.fault(f"unknown header key; there are {', '.join(sorted(_KEYS))}.", number)
            if match.group(1) in header:
                raise self.fault(f"header key {match.group(1)!r} stands twice.", number)
            header[match.group(1)] = match.group(2)
            self.lines[match.group(1)] = number
        return header

    def _uses(self, text: str) -> tuple[Use, ...]:
        uses: list[Use] = []
        for entry in text.split(","):
            match = _USE.fullmatch(entry.strip())
            if match is None or match.group(1) not in PARAMS:
                raise self.fault(f"unknown parameter {entry.strip()!r}; see params.py.", self.lines["params"])
            param = PARAMS[match.group(1)]
            default = match.group(3) or param.default
            if match.group(2) and default is None:
                raise self.fault(
                    f"{param.name!r} has no default, so it cannot be optional.", self.lines["params"]
                )
            uses.append(Use(param, match.group(2) is None, default))
        return tuple(uses)

    def _check_inputs(self, template: Template, uses: tuple[Use, ...], returns: str, path: str) -> None:
        declared = {use.param.name for use in uses}
        folded = _STRUCTURE.get(returns, (frozenset(), frozenset()))[1]
        if unknown := sorted(template.inputs - declared):
            raise self.fault(
                f"input ${unknown[0]} is used but not declared.", self._line_of(f"${unknown[0]}")
            )
        if unused := sorted(declared - template.inputs - folded):
            raise self.fault(f"parameter {unused[0]!r} is declared but not used.", self.lines["params"])
        for name in re.findall(r"\{([^}]*)\}", path):
            if name not in declared:
                raise self.fault(f"path names {name!r}, which is no parameter.", self.lines["path"])
        if word := sorted(template.words & _FORBIDDEN):
            raise self.fault(f"{word[0]} is not allowed in a primitive.", self._line_of(word[0]))

    def _check_query(
        self, template: Template, uses: tuple[Use, ...], returns: str, hydrated: bool
    ) -> tuple[str, ...]:
        space = IdSpace("https://example.org/")
        values = {use.param.name: term_of(use.param, example(use), space) for use in uses}
        text = template.bind({name: values[name] for name in template.inputs})
        try:
            solutions = self.scratch.query(text)
        except SyntaxError as error:
            raise self.fault(f"does not parse with example values: {error}") from None
        variables = tuple(variable.value for variable in solutions.variables)  # type: ignore[union-attr]
        model = MODELS.get(returns)
        allowed = (
            model.variables | {"componentOrder", "sequence"} if model is not None else _STRUCTURE[returns][0]
        )
        if returns != "Facts" and (extra := sorted(set(variables) - allowed)):
            raise self.fault(f"?{extra[0]} is no field of {returns}.", self._line_of(f"?{extra[0]}"))
        if model is not None:
            self._check_fields(model, variables, hydrated)
        return variables

    def _check_fields(self, model: Model, variables: tuple[str, ...], hydrated: bool) -> None:
        needed = {"id"}
        if not hydrated:
            needed |= {name for name in model.required if name in model.single}
        if missing := sorted(needed - set(variables)):
            raise self.fault(f"?{missing[0]}, a required field of {model.name}, is not selected.")

    def _check_order(self, template: Template) -> None:
        """The last ORDER BY must name ?id, so that no two entities are ever tied."""
        text = "".join(piece for piece in template.pieces if isinstance(piece, str))
        clause = re.split(r"\bORDER\s+BY\b", text)
        if len(clause) < 2 or not re.search(r"\?id\b", clause[-1]):
            raise self.fault("a list needs a total order: ORDER BY with ?id among its keys.")

    def _line_of(self, token: str) -> int:
        lines = self.text.splitlines()
        return next((n for n, line in enumerate(lines, 1) if not line.startswith("#") and token in line), 1)
