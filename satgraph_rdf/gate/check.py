"""Runs the shapes on a store and says what is wrong, in a total order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from satgraph_rdf.binding import Template
from satgraph_rdf.gate.compiled import Check, checks, query_text
from satgraph_rdf.gate.overlap import overlaps
from satgraph_rdf.gate.shapes import SH, SHAPES, NodeShape, Severity, read
from satgraph_rdf.resources import resource
from satgraph_rdf.store import Cell, Store
from satgraph_rdf.vocabulary import RDF_TYPE

# The shape that a sweep answers instead of its query, see overlap.py.
_SWEPT: Final = SHAPES + "version-overlap"
_NO_BLANK_NODES: Final = SHAPES + "no-blank-nodes"
_Row = tuple[str | None, Cell, Cell]
"""(path, focus, value)"""


@dataclass(frozen=True)
class Violation:
    """One finding. ``term`` is the value as RDF text, for the report."""

    severity: Severity
    shape: str
    focus: str
    path: str | None
    value: str | None
    message: str
    component: str = field(default=SH + "SPARQLConstraintComponent")
    term: str | None = None

    def key(self) -> tuple[str, ...]:
        """Sorts violations before warnings, then by shape and focus."""
        return (
            self.severity,
            self.shape,
            self.focus,
            self.path or "",
            self.component,
            self.term or "",
            self.message,
        )


def check(store: Store, graphs: Sequence[NamedNode], shapes_dir: Path, limit: int = 1000) -> list[Violation]:
    """What in the union of the graphs breaks the shapes of a folder; empty if nothing does.

    ``limit`` is the most that one constraint reports; what is left out is counted in one more line.
    Shapes with ``sh:order`` run only if all shapes of a smaller order found nothing. A shape whose
    class the ontology does not declare is a violation itself: it would check nothing and seem to pass.
    """
    shapes = read(shapes_dir)
    found = [*_undeclared(shapes), *_blank_nodes(store, graphs, limit)]
    sequence = sorted(shapes, key=lambda shape: -1 if shape.order is None else shape.order)
    clean = True
    for order, group in groupby(sequence, key=lambda shape: shape.order):
        if order is not None and not clean:
            break
        for shape in group:
            results = [v for one in checks(shape) for v in _run(store, graphs, one, limit)]
            clean = clean and (order is None or not results)
            found.extend(results)
    return sorted(found, key=Violation.key)


def _run(store: Store, graphs: Sequence[NamedNode], one: Check, limit: int) -> list[Violation]:
    rows: list[_Row]
    path = str(one.path) if one.path is not None else None
    if one.shape == _SWEPT:
        intervals = store.select(Template.cut(query_text("structural_intervals")).bind({}), graphs)
        rows = [(path, focus, value) for focus, value in overlaps(intervals)]
    else:
        answer = store.select(one.query, graphs)
        rows = [(path, row[0], row[1] if len(row) > 1 else None) for row in answer.rows]
    return _violations(one, rows, limit)


def _violations(one: Check, rows: list[_Row], limit: int) -> list[Violation]:
    made = {
        Violation(
            one.severity, one.shape, _plain(focus) or "", path, _plain(value), one.message, one.component,
            str(value) if value is not None else None,
        )
        for path, focus, value in rows
    }  # fmt: skip
    ordered = sorted(made, key=Violation.key)
    if len(ordered) > limit:
        left = f"{len(ordered) - limit} more findings of this constraint are not listed."
        path = ordered[0].path
        ordered = [
            *ordered[:limit],
            Violation(one.severity, one.shape, one.shape, path, None, left, one.component),
        ]
    return ordered


def _plain(cell: Cell) -> str | None:
    """A term as people write it; a blank node, which the type of a cell does not foresee, as ``_:name``."""
    return cell.value if isinstance(cell, NamedNode | Literal) else None if cell is None else str(cell)


def _blank_nodes(store: Store, graphs: Sequence[NamedNode], limit: int) -> list[Violation]:
    answer = store.select(Template.cut(query_text("blank_nodes")).bind({}), graphs)
    rows: list[_Row] = [(_plain(path), focus, value) for focus, path, value in answer.rows]
    one = Check(
        _NO_BLANK_NODES, "", "violation", "A node without an IRI.", SH + "NodeKindConstraintComponent"
    )
    return _violations(one, rows, limit)


def _undeclared(shapes: Sequence[NodeShape]) -> list[Violation]:
    return [
        Violation(
            "violation",
            shape.iri,
            shape.target.value,
            None,
            None,
            "A mandatory shape checked nothing: its target class is not declared in the ontology.",
        )
        for shape in shapes
        if shape.target.value not in _declared()
    ]


@cache
def _declared() -> frozenset[str]:
    """The classes that the ontology declares."""
    kind = NamedNode("http://www.w3.org/2002/07/owl#Class")
    path = resource("ontology") / "satgraph.ttl"
    return frozenset(
        quad.subject.value
        for quad in parse(path=str(path), format=RdfFormat.TURTLE)
        if quad.predicate == RDF_TYPE and quad.object == kind and isinstance(quad.subject, NamedNode)
    )
