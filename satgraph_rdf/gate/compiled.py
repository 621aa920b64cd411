"""Constraints -> set-wise queries: one for the whole extent of a class, not one a node.

The templates are the files of ``gate/queries``; terms enter them through :mod:`satgraph_rdf.binding`
like everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from pyoxigraph import NamedNode

from satgraph_rdf.binding import Template, Value
from satgraph_rdf.errors import InvalidDeclaration
from satgraph_rdf.gate.shapes import SH, Constraint, NodeShape, PropertyPath, PropertyShape, Severity

SPARQL_COMPONENT: Final = SH + "SPARQLConstraintComponent"
# The template of each constraint, and the input that takes its value (None: the value is always 1, or IRI).
_TEMPLATES: Final[dict[str, tuple[str, str | None]]] = {
    "minCount": ("min_count", None),
    "maxCount": ("max_count", None),
    "datatype": ("datatype", "datatype"),
    "nodeKind": ("node_kind", None),
    "class": ("class", "wanted"),
    "in": ("in", "values"),
    "pattern": ("pattern", "pattern"),
    "lessThan": ("less_than", "other"),
    "lessThanOrEquals": ("less_than_or_equals", "other"),
}
# SHACL forbids these next to $this, and they would make set-wise and node-wise verdicts differ.
_FORBIDDEN: Final = frozenset({"MINUS", "VALUES", "SERVICE", "GRAPH", "LIMIT", "OFFSET", "GROUP", "FROM"})


@dataclass(frozen=True)
class Check:
    """One query of the gate: its rows are ``?this`` and, where there is one, ``?value``."""

    shape: str
    query: str
    severity: Severity
    message: str
    component: str
    path: PropertyPath | None = None


def checks(shape: NodeShape) -> list[Check]:
    """The queries of a node shape, in the order of the file."""
    found = [
        _property_check(shape, part, constraint)
        for part in shape.properties
        for constraint in part.constraints
    ]
    for select in shape.selects:
        query = set_wise(select, shape.target, shape.iri)
        found.append(Check(shape.iri, query, shape.severity, shape.message, SPARQL_COMPONENT))
    return found


def query_text(name: str) -> str:
    """The text of ``gate/queries/NAME.rq``."""
    return (files("satgraph_rdf.gate") / "queries" / f"{name}.rq").read_text(encoding="utf-8")


@cache
def _template(name: str, inverse: bool) -> Template:
    # A path is one token in the template; its inverse is the same token with ^ before it.
    text = query_text(name)
    return Template.cut(text.replace("$path", "^$path") if inverse else text)


def _property_check(shape: NodeShape, part: PropertyShape, constraint: Constraint) -> Check:
    name, slot = _TEMPLATES[constraint.name]
    values: dict[str, Value] = {"class": shape.target, "path": part.path.property}
    if slot is not None:
        values[slot] = constraint.value
    query = _template(name, part.path.inverse).bind(values)
    return Check(part.iri, query, part.severity, part.message, constraint.component, part.path)


def set_wise(select: str, target: NamedNode, name: str) -> str:
    """A ``sh:select`` for all nodes of a class at once.

    ``$this``, which SHACL binds to one node after the other, becomes the plain variable ``?this``, and the
    first thing the query says of it is that it is of the class. The query is cut by the lexer of the
    binding, so a ``$this`` or brace in a string or comment stays what it is. A query with a sub-select is
    refused: ``$this`` would be free inside it.
    """
    template = Template.cut(select)
    if template.inputs != {"this"}:
        raise InvalidDeclaration(f"{name}: sh:select must use $this and no other $ variable.")
    forbidden = sorted(template.words & _FORBIDDEN)
    if forbidden:
        raise InvalidDeclaration(f"{name}: sh:select must not use {', '.join(forbidden)}.")
    text = template.with_variable("this").bind({})
    head, brace, body = text.partition("{")
    if not brace or "SELECT" not in template.words or "SELECT" in Template.cut(body).words:
        raise InvalidDeclaration(f"{name}: sh:select must be one SELECT query without sub-selects.")
    return Template.cut(f"{head}{{ ?this a $class .{body}").bind({"class": target})
