"""One query file -> one primitive, with every check at start-up.

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
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyoxigraph import Store

from satgraph_rdf.binding import Template, term_of
from satgraph_rdf.errors import InvalidDeclaration
from satgraph_rdf.params import PARAMS
from satgraph_rdf.primitive import Primitive, Use, camel, example
from satgraph_rdf.results import MODELS, Model
from satgraph_rdf.terms import IdSpace

_KEYS: Final = frozenset(
    {"summary", "source", "path", "method", "operation", "params", "returns", "order", "hydrate", "absent"}
)
_FORBIDDEN: Final = frozenset(
    (
        "SERVICE", "FROM", "INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY",
        "WITH", "USING", "ASK", "CONSTRUCT", "DESCRIBE", "LIMIT", "OFFSET",
    )
)  # fmt: skip
_HEADER: Final = re.compile(r"#\+\s*([a-z]+):\s*(.*\S)\s*")
_USE: Final = re.compile(r"([a-z_]+)(\?)?(?:=([a-z]+))?")
_RETURNS: Final = re.compile(r"(\[)?([A-Za-z]+)(\])?(?: or ([A-Z_]+))?")
_OUTCOMES: Final = frozenset({"RESOURCE_NOT_FOUND", "NO_VALID_VERSION", "NOT_YET_KNOWN"})
_DEFAULTS: Final = frozenset({"now", "beginning", "open"})
_DOCUMENT: Final = frozenset(
    {"rootId", "versionId", "itemId", "typeId", "label", "componentOrder", "workLanguage"}
    | {"textUnitId", "language", "content"}
)
_TREE: Final = frozenset({"id", "parent", "position"})
_NONE: Final[frozenset[str]] = frozenset()
# What the folds of structure.py may read, the parameters that they, not the query, use, and what they need.
_STRUCTURE: Final[Mapping[str, tuple[frozenset[str], frozenset[str], frozenset[str]]]] = {
    "id": (_TREE | {"itemId", "componentOrder"}, frozenset({"depth", "order"}), _TREE),
    "Document": (_DOCUMENT, frozenset({"language"}), _DOCUMENT),
    "Facts": (_NONE, _NONE, _NONE),
}


class Declaration:
    """One query file, read and checked."""

    def __init__(self, path: Path, prefixes: str, scratch: Store) -> None:
        self.path = path
        self.prefixes = prefixes
        self.scratch = scratch
        self.text = path.read_text(encoding="utf-8")
        self.lines: dict[str, int] = {}

    def fault(self, message: str, line: int = 1) -> InvalidDeclaration:
        """An error that names file and line."""
        return InvalidDeclaration(f"{self.path}:{line}: {message}")

    def read(self) -> Primitive:
        """The primitive; :class:`InvalidDeclaration` names file and line of what is wrong."""
        header = self._header()
        for key in ("summary", "params", "returns"):
            if key not in header:
                raise self.fault(f"the header lacks '{key}:'.")
        uses = self._uses(header["params"])
        path = self._path(header.get("path", ""), uses)
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
        self._check_inputs(template, uses, returns)
        variables = self._check_query(template, uses, returns, "hydrate" in header)
        if many and returns in MODELS:
            self._check_order(template)
        if returns == "Facts" and path:
            raise self.fault("only an internal query returns Facts.", self.lines["returns"])
        if outcome == "NO_VALID_VERSION" and "absent" not in header and "{version}" not in path:
            raise self.fault(
                "NO_VALID_VERSION of an item needs 'absent:', to say why.", self.lines["returns"]
            )
        order = self._order(header.get("order", ""), uses, variables)
        name = self.path.stem
        method = header.get("method", "GET")
        if method not in ("GET", "POST"):
            raise self.fault(f"'method:' must be GET or POST; got {method!r}.", self.lines["method"])
        return Primitive(
            name=name,
            operation_id=header.get("operation", camel(name)),
            group=self.path.parent.name,
            summary=header["summary"],
            source=header.get("source", ""),
            method=method,
            path=path,
            uses=uses,
            returns=returns,
            many=many,
            outcome=outcome,
            order=order,
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
            if number != len(header) + 1:
                raise self.fault("a header line must stand at the top of the file.", number)
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
            if match.group(3) and match.group(3) not in _DEFAULTS:
                known = ", ".join(sorted(_DEFAULTS))
                raise self.fault(
                    f"unknown default {match.group(3)!r}; there are {known}.", self.lines["params"]
                )
            if any(use.param is param for use in uses):
                raise self.fault(f"parameter {param.name!r} stands twice.", self.lines["params"])
            if match.group(2) and default is None:
                raise self.fault(
                    f"{param.name!r} has no default, so it cannot be optional.", self.lines["params"]
                )
            uses.append(Use(param, match.group(2) is None, default))
        return tuple(uses)

    def _path(self, path: str, uses: tuple[Use, ...]) -> str:
        """The route: fixed segments and at most one subject, a required id."""
        if not path:
            return path
        line = self.lines["path"]
        if not re.fullmatch(r"(/[a-z-]+)+(/\{[^{}/]*\}(/[a-z-]+)*)?", path):
            raise self.fault("'path:' must be like /items/{item}/children, with one subject at most.", line)
        for name in re.findall(r"\{([^}]*)\}", path):
            use = next((use for use in uses if use.param.name == name), None)
            if use is None:
                raise self.fault(f"path names {name!r}, which is no parameter.", line)
            if not use.required:
                raise self.fault(f"{name!r} stands in the path, so it cannot be optional.", line)
        return path

    def _order(self, text: str, uses: tuple[Use, ...], variables: tuple[str, ...]) -> tuple[str, ...]:
        """The order that SPARQL cannot sort by, and what it needs."""
        order = tuple(text.split())
        match order:
            case ():
                right = True
            case ("input", name, field):
                right = field in variables and any(use.param.name == name and use.param.many for use in uses)
            case ("components" | "chain",):
                right = "componentOrder" in variables
            case ("lineage",):
                right = True
            case _:
                right = False
        if not right:
            raise self.fault(
                f"'order:' {text!r} is unknown, or what it needs is not selected.", self.lines["order"]
            )
        return order

    def _check_inputs(self, template: Template, uses: tuple[Use, ...], returns: str) -> None:
        declared = {use.param.name for use in uses}
        folded = _STRUCTURE.get(returns, (_NONE, _NONE, _NONE))[1]
        if unknown := sorted(template.inputs - declared):
            raise self.fault(
                f"input ${unknown[0]} is used but not declared.", self._line_of(f"${unknown[0]}")
            )
        if unused := sorted(declared - template.inputs - folded):
            raise self.fault(f"parameter {unused[0]!r} is declared but not used.", self.lines["params"])
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
        except (SyntaxError, RuntimeError, ValueError) as error:
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
        elif missing := sorted(_STRUCTURE[returns][2] - set(variables)):
            raise self.fault(f"?{missing[0]}, which {returns} needs, is not selected.")
        return variables

    def _check_fields(self, model: Model, variables: tuple[str, ...], hydrated: bool) -> None:
        needed = {"id"}
        if not hydrated:
            needed |= {name for name in model.required if name in model.single}
            spans = [model.spans[name] for name in model.required if name in model.spans]
            needed |= {bound for span in spans for bound in (span.start, span.until)}
        if missing := sorted(needed - set(variables)):
            raise self.fault(f"?{missing[0]}, a required field of {model.name}, is not selected.")

    def _check_order(self, template: Template) -> None:
        """The outermost ORDER BY must have ?id itself as a key, so that no two entities are ever tied."""
        text = "".join(piece if isinstance(piece, str) else "" for piece in template.pieces)
        tail = text[text.rindex("}") + 1 :] if "}" in text else ""
        keys = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", tail))
        if not re.search(r"\bORDER\s+BY\b[^{]*\?id(?!\w)", keys):
            raise self.fault("a list needs a total order: ORDER BY with ?id among its keys.")

    def _line_of(self, token: str) -> int:
        lines = self.text.splitlines()
        found = (n for n, line in enumerate(lines, 1) if not line.startswith("#") and token in line.upper())
        exact = (n for n, line in enumerate(lines, 1) if not line.startswith("#") and token in line)
        return next(exact, next(found, 1))
