"""SHACL files -> dataclasses. What the gate does not compile is refused, never ignored.

A term that was skipped silently would be a rule that everybody believes to be checked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Triple, parse
from pyoxigraph import Literal as RdfLiteral

from satgraph_rdf.binding import Term
from satgraph_rdf.errors import InvalidDeclaration
from satgraph_rdf.vocabulary import RDF_TYPE, XSD_DATE_TIME, iri

SH: Final = "http://www.w3.org/ns/shacl#"
SHAPES: Final = "https://w3id.org/sat-graph/shapes#"
Severity = Literal["violation", "warning"]
Node = NamedNode | BlankNode | RdfLiteral | Triple

_SEVERITIES: Final[dict[str, Severity]] = {SH + "Violation": "violation", SH + "Warning": "warning"}
# sh: terms a subject may have, by what the subject is. The keys of the second are the constraints.
_NODE_SHAPE: Final = {"targetClass", "property", "sparql", "severity", "message", "order"}
_CONSTRAINTS: Final = {
    "minCount": "MinCountConstraintComponent",
    "maxCount": "MaxCountConstraintComponent",
    "datatype": "DatatypeConstraintComponent",
    "nodeKind": "NodeKindConstraintComponent",
    "class": "ClassConstraintComponent",
    "in": "InConstraintComponent",
    "pattern": "PatternConstraintComponent",
    "lessThan": "LessThanConstraintComponent",
    "lessThanOrEquals": "LessThanOrEqualsConstraintComponent",
}
_PROPERTY_SHAPE: Final = {"path", "severity", "message", *_CONSTRAINTS}
_SPARQL: Final = {"prefixes", "select"}
_DECLARATION: Final = {"prefix", "namespace"}
# Datatypes whose IRI is also a cast in SPARQL, which is how a malformed value is found.
_DATATYPES: Final = {XSD_DATE_TIME, *map(iri, ("xsd:string", "xsd:boolean", "xsd:integer", "xsd:decimal"))}


@dataclass(frozen=True)
class PropertyPath:
    """A property, or the inverse of one."""

    property: NamedNode
    inverse: bool = False

    def __str__(self) -> str:
        return "^" * self.inverse + self.property.value


@dataclass(frozen=True)
class Constraint:
    """One constraint of a property shape: the SHACL parameter (``minCount``) and its value."""

    name: str
    value: Term | tuple[Term, ...]

    @property
    def component(self) -> str:
        """The IRI that a SHACL report names."""
        return SH + _CONSTRAINTS[self.name]


@dataclass(frozen=True)
class PropertyShape:
    """What the values of one property must be."""

    iri: str
    path: PropertyPath
    constraints: tuple[Constraint, ...]
    severity: Severity
    message: str


@dataclass(frozen=True)
class NodeShape:
    """What the nodes of a class must be; ``select`` are texts with ``$this``, prefixes included."""

    iri: str
    target: NamedNode
    properties: tuple[PropertyShape, ...]
    selects: tuple[str, ...]
    severity: Severity
    message: str
    order: int | None


def read(folder: Path) -> list[NodeShape]:
    """All node shapes of the files of a folder, in a total order."""
    files = sorted(folder.glob("*.ttl"))
    if not files:
        raise InvalidDeclaration(f"No shapes: {folder} holds no .ttl file.")
    triples: list[Quad] = []
    for file in files:
        try:
            triples.extend(parse(path=str(file), format=RdfFormat.TURTLE))
        except SyntaxError as fault:
            raise InvalidDeclaration(f"{file}: {fault}") from None
    return _Reader(triples).shapes()


class _Reader:
    """The triples of all files by subject and predicate."""

    def __init__(self, triples: list[Quad]) -> None:
        self._of: dict[Node, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for quad in triples:
            self._of[quad.subject][quad.predicate.value].append(quad.object)
        self._read: set[Node] = set()

    def shapes(self) -> list[NodeShape]:
        kind = NamedNode(SH + "NodeShape")
        found = [self._node_shape(node) for node in list(self._of) if kind in self._all(node, RDF_TYPE.value)]
        for node in list(self._of):
            used = [p for p in self._of[node] if p.startswith(SH)]
            if node not in self._read and used:
                raise InvalidDeclaration(
                    f"{node} has {used[0]} and is part of no shape: it would check nothing."
                )
        return sorted(found, key=lambda shape: shape.iri)

    # Parts of a shape --------------------------------------------------------------------------

    def _node_shape(self, node: Node) -> NodeShape:
        name = self._named(node)
        self._only(node, _NODE_SHAPE, name)
        target = self._one(node, "targetClass", name)
        if not isinstance(target, NamedNode):
            raise InvalidDeclaration(f"{name}: sh:targetClass must be exactly one class.")
        severity, message = self._severity(node, name), self._text(node, "message", name)
        shape = NodeShape(
            name,
            target,
            tuple(self._property(part) for part in self._all(node, SH + "property")),
            tuple(self._select(part, name) for part in self._all(node, SH + "sparql")),
            severity,
            message,
            self._order(node, name),
        )
        if not shape.properties and not shape.selects:
            raise InvalidDeclaration(f"{name}: a shape without a constraint checks nothing.")
        return shape

    def _property(self, node: Node) -> PropertyShape:
        name = self._named(node)
        self._only(node, _PROPERTY_SHAPE, name)
        constraints = tuple(
            Constraint(key, self._value(key, self._one(node, key, name), name))
            for key in _CONSTRAINTS
            if self._all(node, SH + key)
        )
        if not constraints:
            raise InvalidDeclaration(f"{name}: a property shape without a constraint checks nothing.")
        path = self._path(self._one(node, "path", name), name)
        return PropertyShape(
            name, path, constraints, self._severity(node, name), self._text(node, "message", name)
        )

    def _path(self, node: Node | None, name: str) -> PropertyPath:
        if isinstance(node, NamedNode):
            return PropertyPath(node)
        if isinstance(node, BlankNode):
            self._only(node, {"inversePath"}, name)
            inner = self._one(node, "inversePath", name)
            if isinstance(inner, NamedNode):
                return PropertyPath(inner, inverse=True)
        raise InvalidDeclaration(f"{name}: sh:path must be a property or the inverse of one.")

    def _value(self, key: str, node: Node | None, name: str) -> Term | tuple[Term, ...]:
        """A constraint's value, if it is one that the gate compiles."""
        if key == "in":
            return tuple(self._list(node, name))
        if key in {"minCount", "maxCount"}:
            possible = isinstance(node, RdfLiteral) and node.value == "1"
        elif key == "pattern":
            possible = isinstance(node, RdfLiteral)
        elif key == "nodeKind":
            possible = node == NamedNode(SH + "IRI")
        elif key == "datatype":
            possible = node in _DATATYPES
        else:
            possible = isinstance(node, NamedNode)
        if possible and isinstance(node, NamedNode | RdfLiteral):
            return node
        raise InvalidDeclaration(f"{name}: sh:{key} {node} is not compiled by the gate.")

    def _list(self, node: Node | None, name: str) -> Iterator[Term]:
        while node is not None and node != iri("rdf:nil"):
            first = self._all(node, iri("rdf:first").value)
            rest = self._all(node, iri("rdf:rest").value)
            if len(first) != 1 or len(rest) != 1 or not isinstance(first[0], NamedNode | RdfLiteral):
                raise InvalidDeclaration(f"{name}: sh:in must be a list of IRIs and literals.")
            yield first[0]
            node = rest[0]

    def _select(self, node: Node, name: str) -> str:
        self._only(node, _SPARQL, name)
        return "".join(sorted(self._prefixes(node))) + self._text(node, "select", name)

    def _prefixes(self, node: Node) -> Iterator[str]:
        for owner in self._all(node, SH + "prefixes"):
            name = self._named(owner)
            self._only(owner, {"declare"}, name)
            for declaration in self._all(owner, SH + "declare"):
                self._only(declaration, _DECLARATION, name)
                prefix = self._text(declaration, "prefix", name)
                yield f"PREFIX {prefix}: <{self._text(declaration, 'namespace', name)}>\n"

    # Single values -----------------------------------------------------------------------------

    def _all(self, node: Node, predicate: str) -> list[Node]:
        return self._of[node].get(predicate, []) if node in self._of else []

    def _one(self, node: Node, key: str, name: str) -> Node | None:
        values = self._all(node, SH + key)
        if len(values) > 1:
            raise InvalidDeclaration(f"{name}: sh:{key} has {len(values)} values.")
        return values[0] if values else None

    def _text(self, node: Node, key: str, name: str) -> str:
        value = self._one(node, key, name)
        return value.value if isinstance(value, RdfLiteral) else ""

    def _severity(self, node: Node, name: str) -> Severity:
        value = self._one(node, "severity", name)
        severity = _SEVERITIES.get(value.value if isinstance(value, NamedNode) else SH + "Violation")
        if severity is None:
            raise InvalidDeclaration(f"{name}: sh:severity must be sh:Violation or sh:Warning.")
        return severity

    def _order(self, node: Node, name: str) -> int | None:
        text = self._text(node, "order", name)
        if text and not text.isdecimal():
            raise InvalidDeclaration(f"{name}: sh:order must be a whole number; got {text!r}.")
        return int(text) if text else None

    def _only(self, node: Node, allowed: set[str], name: str) -> None:
        """Refuse any sh: term that is not compiled."""
        self._read.add(node)
        for predicate in self._of[node]:
            if predicate.startswith(SH) and predicate.removeprefix(SH) not in allowed:
                raise InvalidDeclaration(
                    f"{name}: sh:{predicate.removeprefix(SH)} is not compiled by the gate "
                    f"(here: {', '.join(sorted(allowed))})."
                )

    @staticmethod
    def _named(node: Node) -> str:
        if not isinstance(node, NamedNode):
            raise InvalidDeclaration("A shape must have an IRI, so that a finding can name it.")
        return node.value
