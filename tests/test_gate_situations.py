"""One bad graph a legal situation: what the gate finds there, and pySHACL finds the same.

Each ``graphs/gate-*.ttl`` adds one situation, named by the file, to the law of ``graphs/gate-good.ttl``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, RdfFormat, parse
from pyshacl import validate
from rdflib import SH, Graph, Literal, URIRef

from satgraph_rdf.gate.check import Violation, check
from satgraph_rdf.gate.report import turtle
from satgraph_rdf.gate.shapes import read
from satgraph_rdf.resources import resource
from satgraph_rdf.store.embedded import EmbeddedStore

GRAPHS = Path(__file__).parent / "graphs"
SHAPES = resource("shapes")
GRAPH = NamedNode("https://example.org/graph/example")
ID, SHAPE = "https://example.org/id/", "https://w3id.org/sat-graph/shapes#"
Found = set[tuple[str, str]]

EXPECTED: dict[str, Found] = {
    "act-of-two-acts": {("repeal", "action-parent")},
    "act-without-source": {("decree", "action-source")},
    "act-without-time": {("decree", "action-time")},
    "act-without-type": {("decree", "action-concept"), ("decree", "action-type")},
    "component-not-there": {("norm-v2", "version-component")},
    "ended-by-an-act-that-denies-it": {("art8-v-s", "statement-ended")},
    "ends-before-it-begins": {("art8-v-s", "statement-interval")},
    "item-in-itself": {("art8", "item-acyclic"), ("chapter", "item-acyclic")},
    "item-of-two-types": {("art6", "item-part-allowed"), ("art6", "item-type")},
    "item-of-undescribed-type": {("art8", "item-part-allowed"), ("art8", "item-type-class")},
    "item-with-two-parents": {("art6", "item-parent")},
    "item-without-label": {("art8", "item-label")},
    "item-without-position": {("art8", "item-position")},
    "known-before-the-act": {("art8-v-s", "statement-asserted")},
    "one-name-every-thing": {("art6-summary", "kind-text-unit"), ("art6-summary", "relation-predicate"), ("art6-summary", "relation-source"), ("art6-summary", "relation-target"), ("cites", "item-type-label"), ("cites", "kind-relation"), ("law", "kind-item-type"), ("law", "statement-from"), ("law", "statement-known-from"), ("law", "statement-known-until"), ("law", "statement-timeline"), ("law", "statement-until"), ("law", "statement-version"), ("macro", "kind-action"), ("macro", "theme-label"), ("norm-v1", "kind-version"), ("norm-v1", "text-aspect"), ("norm-v1", "text-content"), ("norm-v1", "text-hash"), ("norm-v1", "text-language"), ("norm-v1", "text-of"), ("rights", "kind-theme")},
    "one-name-two-things": {("art6", "kind-item")},
    "part-not-allowed": {("part-case", "item-part-allowed")},
    "producer-that-denies-it": {("art6-v1", "version-produced")},
    "product-that-denies-it": {("ruling", "action-produces")},
    "provision-without-law": {("art8", "component-parent")},
    "relation-ends-before-it-begins": {("r", "relation-interval")},
    "relation-from-nowhere": {("r", "relation-source-there")},
    "relation-of-nothing": {("r", "relation-predicate"), ("r", "relation-source"), ("r", "relation-target")},
    "relation-time-without-zone": {("r", "relation-from"), ("r", "relation-until")},
    "relation-to-nowhere": {("r", "relation-target-there")},
    "repeal-note-in-force": {("art8-note", "version-placeholder")},
    "repeal-without-trace": {("repeal-8", "action-terminates")},
    "retroactive-overlap": {("art6-v0", "version-overlap")},
    "ruling-as-component": {("norm-v2", "version-component-in-force"), ("norm-v2", "version-component-interpretive")},
    "seen-by-nobody": {("art8-v-t", "statement-known-interval")},
    "statement-of-another-item": {("art8-v-s", "statement-applicability-item"), ("art8-v-s", "statement-validity-item")},
    "statement-of-nothing": {("art8-v-t", "statement-timeline")},
    "statement-of-two-items": {("art8-v-s", "statement-applicability"), ("art8-v-s", "statement-applicability-item"), ("art8-v-s", "statement-validity"), ("art8-v-s", "statement-validity-item")},
    "statement-without-version": {("gone-s", "statement-version")},
    "step-before-its-act": {("step", "action-parent-time")},
    "text-without-content": {("empty", "text-aspect"), ("empty", "text-content"), ("empty", "text-of")},
    "text-without-hash": {("art6-v1-text", "text-hash")},
    "text-without-language": {("art6-v1-text", "text-language")},
    "theme-with-two-labels": {("housing", "theme-label")},
    "theme-without-label": {("theme", "theme-label")},
    "themes-in-a-circle": {("housing", "theme-acyclic"), ("rights", "theme-acyclic")},
    "time-impossible": {("art8-v-s", "statement-from")},
    "time-is-a-date": {("art8-v-s", "statement-from")},
    "time-missing": {("art8-v-s", "statement-until")},
    "time-twice": {("art8-v-s", "statement-until")},
    "time-without-zone": {("art8-v-s", "statement-from")},
    "two-versions-in-force": {("art6-v2", "version-overlap")},
    "two-wordings-in-one-language": {("art6-v2-pt", "text-unique")},
    "type-without-label": {("clause", "item-type-label")},
    "types-in-a-circle": {("article", "item-type-acyclic"), ("part", "item-type-acyclic")},
    "version-forgotten-for-a-year": {("art8-v", "version-statement-gap")},
    "version-forgotten": {("art8-v", "version-statement-gap")},
    "version-known-twice": {("art8-v", "version-statement-overlap")},
    "version-never-stated": {("art8-v", "version-statement")},
    "version-of-no-class": {("art8-v", "version-class"), ("art8-v", "version-type")},
    "version-of-no-item": {("stray", "version-item"), ("stray-s", "statement-applicability-item"), ("stray-s", "statement-validity-item")},
    "version-of-two-items": {("art7-v1", "version-item")},
    "version-only-applicable": {("art8-v", "version-statement")},
    "version-type-against-class": {("art10-v", "version-statutory"), ("art11-v", "version-documentary"), ("art8-v", "version-interpretive")},
    "wording-of-nothing": {("loose", "text-realizes")},
}  # fmt: skip
WARNINGS = {
    "action-source", "component-parent", "item-part-allowed", "item-type-class", "relation-target-there",
}  # fmt: skip


def files(name: str) -> list[Path]:
    return [GRAPHS / "gate-good.ttl", *([GRAPHS / f"gate-{name}.ttl"] if name != "good" else [])]


def findings(name: str) -> list[Violation]:
    store = EmbeddedStore.memory()
    for path in files(name):
        store.insert(
            Quad(q.subject, q.predicate, q.object, GRAPH)
            for q in parse(path=str(path), format=RdfFormat.TURTLE)
        )
    return check(store, [GRAPH], SHAPES)


def short(focus: object, shape: object) -> tuple[str, str]:
    return str(focus).removeprefix(ID), str(shape).removeprefix(SHAPE)


def ours(name: str) -> Found:
    return {short(violation.focus, violation.shape) for violation in findings(name)}


@pytest.fixture(scope="module")
def shacl() -> Graph:
    graph = Graph()
    for path in SHAPES.glob("*.ttl"):
        graph.parse(path)
    return graph


def theirs(name: str, shacl: Graph) -> Found:
    """What pySHACL finds. It knows no order of shapes: where one of an order fails, later ones do not count."""
    data = Graph()
    for path in files(name):
        data.parse(path)
    _, report, _ = validate(data, shacl_graph=shacl, advanced=True, inference="none")
    assert isinstance(report, Graph)
    results = [
        (report.value(result, SH.focusNode), report.value(result, SH.sourceShape))
        for result in report.subjects(SH.focusNode)
    ]
    orders = {shape: order(shape, shacl) for _, shape in results}
    first = min((value for value in orders.values() if value is not None), default=None)
    return {short(focus, shape) for focus, shape in results if orders[shape] in (None, first)}


def order(shape: object, shacl: Graph) -> int | None:
    """The order of a node shape, or of the node shape of a property shape."""
    assert isinstance(shape, URIRef)
    owner = shacl.value(None, SH.property, shape) or shape
    value = shacl.value(owner, SH.order)
    return int(value) if isinstance(value, Literal) else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["good", *EXPECTED])
def test_the_gate_finds_the_situation_and_pyshacl_agrees(name: str, shacl: Graph) -> None:
    found = ours(name)
    assert found == EXPECTED.get(name, set())
    assert found == theirs(name, shacl)


@pytest.mark.parametrize("name", EXPECTED)
def test_severities_and_a_readable_report(name: str) -> None:
    found = findings(name)
    for violation in found:
        warning = short(violation.focus, violation.shape)[1] in WARNINGS
        assert violation.severity == ("warning" if warning else "violation")
    report = Graph().parse(data=turtle(found), format="turtle")
    written = {
        short(report.value(result, SH.focusNode), report.value(result, SH.sourceShape))
        for result in report.objects(None, SH.result)
    }
    assert written == EXPECTED[name]


def test_every_file_and_every_shape_is_tried() -> None:
    assert {path.stem.removeprefix("gate-") for path in GRAPHS.glob("gate-*.ttl")} == {"good", *EXPECTED}
    names = {
        one.removeprefix(SHAPE)
        for shape in read(SHAPES)
        for one in [*(part.iri for part in shape.properties), *([shape.iri] if shape.selects else [])]
    }
    assert names == {shape for found in EXPECTED.values() for _, shape in found}
