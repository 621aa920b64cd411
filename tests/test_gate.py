"""The gate on graphs the writer made: good ones pass, each kind of damage to them is found.

That pySHACL says the same is tried on the situations of ``test_gate_situations.py``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Quad
from rdflib import Graph, Namespace

from satgraph_rdf.binding import Template
from satgraph_rdf.errors import InvalidDeclaration
from satgraph_rdf.gate.check import Violation, check
from satgraph_rdf.gate.compiled import checks, query_text
from satgraph_rdf.gate.overlap import overlaps
from satgraph_rdf.gate.report import turtle
from satgraph_rdf.gate.shapes import read
from satgraph_rdf.ingest.adapters import satgraph_json
from satgraph_rdf.ingest.itemclass import declare_types
from satgraph_rdf.ingest.model import SourceInfo
from satgraph_rdf.ingest.paint import Painter
from satgraph_rdf.ingest.write import Writer
from satgraph_rdf.resources import resource
from satgraph_rdf.store.embedded import EmbeddedStore
from satgraph_rdf.terms import IdSpace
from satgraph_rdf.vocabulary import RDF_TYPE, XSD_DATE_TIME, iri

SPACE = IdSpace("https://example.org/")
SH = Namespace("http://www.w3.org/ns/shacl#")
SHAPES = resource("shapes")
GRAPH = SPACE.graph("s")
STAGE = """{
 "items": [
  {"id": "lei", "typeId": "law", "label": "Law"},
  {"id": "lei!art1", "typeId": "article", "label": "Art. 1", "parentId": "lei"},
  {"id": "act", "typeId": "law", "label": "Amending act"}],
 "versions": [
  {"id": "lei@2000-01-01!art1", "itemId": "lei!art1", "type": "statutory",
   "validityInterval": ["2000-01-01T00:00:00Z", "2010-01-01T00:00:00Z"], "producedByActionId": "enact"},
  {"id": "lei@2010-01-01!art1", "itemId": "lei!art1", "type": "statutory",
   "validityInterval": ["2010-01-01T00:00:00Z", null], "producedByActionId": "amend"},
  {"id": "act@2010-01-01", "itemId": "act", "type": "statutory",
   "validityInterval": ["2010-01-01T00:00:00Z", null]}],
 "textUnits": [
  {"sourceType": "Version", "sourceId": "lei@2000-01-01!art1", "language": "en", "aspect": "canonical", "content": "Old."},
  {"sourceType": "Version", "sourceId": "lei@2010-01-01!art1", "language": "en", "aspect": "canonical", "content": "New."}],
 "actions": [
  {"id": "enact", "type": "Creation", "eventTime": "2000-01-01T00:00:00Z", "sourceVersionIds": ["lei@2000-01-01"],
   "producesVersionIds": ["lei@2000-01-01!art1"]},
  {"id": "amend", "type": "Amendment", "eventTime": "2010-01-01T00:00:00Z", "sourceVersionIds": ["act@2010-01-01"],
   "producesVersionIds": ["lei@2010-01-01!art1"], "terminatesVersionIds": ["lei@2000-01-01!art1"]}],
 "relations": [{"sourceType": "Item", "sourceId": "act", "predicate": "cites", "targetType": "Item", "targetId": "lei"}]
}"""

Quads = set[Quad]
Mutation = Callable[[Quads], None]
OLD, NEW = SPACE.iri("lei@2000-01-01!art1"), SPACE.iri("lei@2010-01-01!art1")
ART, LAW, AMEND, ENACT = (SPACE.iri(name) for name in ("lei!art1", "lei", "amend", "enact"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Quads:
    path = tmp_path_factory.mktemp("gate") / "s.json"
    path.write_text(STAGE, encoding="utf-8")
    draft = satgraph_json.read(path, SourceInfo("s"))
    painter = Painter(draft.records)
    painter.paint(draft.acts)
    draft.settle(painter)
    declare_types(draft.records)
    assert list(draft.records.violations()) == []
    return set(Writer(SPACE, draft.records).quads())


def add(subject: NamedNode, name: str, value: NamedNode | Literal) -> Mutation:
    return lambda quads: quads.add(Quad(subject, iri(name), value, GRAPH))


def drop(subject: NamedNode | None, name: str, value: Any = None) -> Mutation:
    def mutate(quads: Quads) -> None:
        found = {
            q
            for q in quads
            if q.predicate == iri(name) and subject in (None, q.subject) and value in (None, q.object)
        }
        assert found, "the mutation changes nothing"
        quads -= found

    return mutate


def instant(text: str) -> Literal:
    return Literal(text, datatype=XSD_DATE_TIME)


def statement(quads: Quads, version: NamedNode, **wanted: str) -> NamedNode:
    """The statement of a version with given bounds."""
    for quad in quads:
        if quad.predicate == iri("sat:statementVersion") and quad.object == version:
            values = {
                q.predicate.value.rpartition("#")[2]: q.object.value
                for q in quads
                if q.subject == quad.subject
            }
            if all(values[name] == value for name, value in wanted.items()):
                return quad.subject  # type: ignore[return-value]
    raise AssertionError("no such statement")


def restate(version: NamedNode, name: str, value: Literal, **wanted: str) -> Mutation:
    """Give one bound of a statement another value."""

    def mutate(quads: Quads) -> None:
        node = statement(quads, version, **wanted)
        drop(node, name)(quads)
        add(node, name, value)(quads)

    return mutate


def both(*mutations: Mutation) -> Mutation:
    def mutate(quads: Quads) -> None:
        for mutation in mutations:
            mutation(quads)

    return mutate


LAST = {"knownUntil": "9999-12-31T00:00:00Z"}
SECOND_TEXT = SPACE.iri("text:second")
BAD: dict[str, tuple[Mutation, str]] = {
    "an item without a label": (drop(ART, "rdfs:label"), "item-label"),
    "an item with two labels": (add(ART, "rdfs:label", Literal("Other")), "item-label"),
    "an item without a type": (drop(ART, "crm:P2_has_type"), "item-type"),
    "a part of two wholes": (add(ART, "eli:is_part_of", SPACE.iri("act")), "item-parent"),
    "a whole that is its own part": (add(LAW, "eli:is_part_of", ART), "item-acyclic"),
    "an item that is a version too": (add(ART, "rdf:type", iri("sat:Version")), "kind-item"),
    "a version of nothing": (drop(NEW, "sat:versionOf"), "version-item"),
    "a version of an unknown kind": (
        both(drop(NEW, "sat:versionType"), add(NEW, "sat:versionType", Literal("draft"))),
        "version-type",
    ),
    "a version whose class is another": (drop(NEW, "rdf:type", iri("sat:StatutoryVersion")), "version-class"),
    "a producer that does not know it": (drop(AMEND, "sat:produces", NEW), "version-produced"),
    "a product that does not know it": (drop(NEW, "sat:producedBy"), "action-produces"),
    "a version nobody ever sees": (drop(None, "sat:statementVersion", NEW), "version-statement"),
    "a component that is no version": (add(OLD, "sat:hasComponent", ART), "version-component"),
    "a container whose part is not in force": (
        both(
            add(SPACE.iri("lei@2010-01-01"), "sat:hasComponent", OLD),
        ),
        "version-component-in-force",
    ),
    "an instant without zone": (restate(NEW, "sat:from", instant("2010-01-01T00:00:00"), **LAST), "statement-from"),
    "a date in the place of an instant": (
        restate(NEW, "sat:from", Literal("2010-01-01", datatype=iri("xsd:date")), **LAST),
        "statement-from",
    ),
    "an impossible instant": (restate(NEW, "sat:from", instant("2010-13-45T00:00:00Z"), **LAST), "statement-from"),
    "an end before the start": (restate(NEW, "sat:until", instant("2009-01-01T00:00:00Z"), **LAST), "statement-interval"),
    "two versions in force at once": (
        restate(OLD, "sat:until", instant("2011-01-01T00:00:00Z"), **LAST),
        "version-overlap",
    ),
    "two statements for one observer": (
        restate(OLD, "sat:knownUntil", instant("2012-01-01T00:00:00Z"), knownFrom="2000-01-01T00:00:00Z"),
        "version-statement-overlap",
    ),
    "a gap in what is known": (
        restate(OLD, "sat:knownUntil", instant("2009-01-01T00:00:00Z"), knownFrom="2000-01-01T00:00:00Z"),
        "version-statement-gap",
    ),
    "known backwards": (
        restate(OLD, "sat:knownUntil", instant("1999-01-01T00:00:00Z"), knownFrom="2000-01-01T00:00:00Z"),
        "statement-known-interval",
    ),
    "known before the act": (restate(NEW, "sat:knownFrom", instant("2009-01-01T00:00:00Z"), **LAST), "statement-asserted"),
    "an end the act does not own": (drop(AMEND, "sat:terminates", OLD), "statement-ended"),
    "an ending that ends nothing": (add(ENACT, "sat:terminates", NEW), "action-terminates"),
    "an action without a time": (drop(AMEND, "prov:endedAtTime"), "action-time"),
    "an action of a complete source without a source": (
        both(
            drop(AMEND, "sat:hasSource"),
            drop(None, "sat:complete"),
            add(GRAPH, "sat:complete", Literal(True)),
        ),
        "action-source",
    ),
    "an action before its whole": (add(ENACT, "sat:partOfAction", AMEND), "action-parent-time"),
    "a text without content": (drop(SPACE.iri("lei@2010-01-01~texto;en!art1"), "sat:content"), "text-content"),
    "a text in an ill-formed language": (
        add(SPACE.iri("lei@2010-01-01~texto;en!art1"), "sat:language", Literal("en_GB")),
        "text-language",
    ),
    "a canonical text of nothing": (drop(SPACE.iri("lei@2010-01-01~texto;en!art1"), "eli:realizes"), "text-realizes"),
    "a second canonical text": (
        both(
            *(add(SECOND_TEXT, "rdf:type", iri(name)) for name in ("sat:TextUnit", "sat:CanonicalText")),
            *(add(SECOND_TEXT, name, NEW) for name in ("sat:textOf", "eli:realizes")),
            *(
                add(SECOND_TEXT, name, Literal(value))
                for name, value in (
                    ("sat:sourceType", "Version"), ("sat:content", "New too."), ("sat:contentHash", "x"),
                    ("sat:language", "en"), ("sat:aspect", "canonical"),
                )
            ),
        ),
        "text-unique",
    ),
    "a relation to nowhere": (
        lambda quads: both(drop(None, "sat:relationTarget"), add(relation(quads), "sat:relationTarget", SPACE.iri("gone")))(quads),
        "relation-target-there",
    ),
    "a type without a label": (drop(SPACE.iri("article"), "skos:prefLabel"), "item-type-label"),
    "a type broader than itself": (add(SPACE.iri("component"), "skos:broader", SPACE.iri("article")), "item-type-acyclic"),
    "a part that its whole does not allow": (add(SPACE.iri("law"), "sat:allowsPart", SPACE.iri("case-law")), "item-part-allowed"),
}  # fmt: skip
WARNINGS = {
    "an action of a complete source without a source",
    "a relation to nowhere",
    "a part that its whole does not allow",
}


def relation(quads: Quads) -> NamedNode:
    return next(q.subject for q in quads if q.predicate == RDF_TYPE and q.object == iri("sat:Relation"))  # type: ignore[return-value]


def ours(quads: Quads) -> list[Violation]:
    store = EmbeddedStore.memory()
    store.insert(quads)
    return check(store, [GRAPH], SHAPES)


def test_a_good_graph_has_no_finding(good: Quads) -> None:
    assert ours(good) == []


@pytest.mark.parametrize("name", BAD)
def test_each_kind_of_bad_graph_is_found(good: Quads, name: str) -> None:
    mutate, shape = BAD[name]
    quads = set(good)
    mutate(quads)
    assert quads != good
    found = ours(quads)
    hit = [violation for violation in found if violation.shape.endswith("#" + shape)]
    assert hit, f"expected {shape}; got {found}"
    assert {violation.severity for violation in hit} == {"warning" if name in WARNINGS else "violation"}


def test_the_sweep_finds_what_the_query_finds(good: Quads) -> None:
    """version-overlap is answered by a sweep; its query, which SHACL processors run, says the same."""
    [swept] = [shape for shape in read(SHAPES) if shape.iri.endswith("#version-overlap")]
    [check_] = checks(swept)
    for name in BAD:
        quads = set(good)
        BAD[name][0](quads)
        if any(
            violation.shape.endswith(("#statement-from", "#statement-until")) for violation in ours(quads)
        ):
            continue  # no instants, no comparison
        store = EmbeddedStore.memory()
        store.insert(quads)
        by_query = {(row[0], row[1]) for row in store.select(check_.query, [GRAPH]).rows}
        intervals = store.select(Template.cut(query_text("structural_intervals")).bind({}), [GRAPH])
        assert set(overlaps(intervals)) == by_query, name


def test_many_versions_of_one_item_are_swept_in_little_time(good: Quads) -> None:
    """Case H1: 2,400 versions; what grows with the square would take minutes."""
    quads = set(good)
    add(OLD, "rdfs:comment", Literal("many"))(quads)
    moments = [f"{1000 + n // 12:04d}-{n % 12 + 1:02d}-01T00:00:00Z" for n in range(2401)]
    for n in range(2400):
        version, node = SPACE.iri(f"v{n}"), SPACE.iri(f"statement:v{n}")
        add(version, "rdf:type", iri("sat:Version"))(quads)
        add(node, "sat:statementVersion", version)(quads)
        add(node, "sat:validityOf", SPACE.iri("many"))(quads)
        for name, value in zip(
            ("sat:from", "sat:until", "sat:knownFrom", "sat:knownUntil"),
            (moments[n], moments[n + 1], moments[n], "9999-12-31T00:00:00Z"),
            strict=True,
        ):
            add(node, name, instant(value))(quads)
    store = EmbeddedStore.memory()
    store.insert(quads)
    intervals = store.select(Template.cut(query_text("structural_intervals")).bind({}), [GRAPH])
    assert len(intervals.rows) >= 2400
    assert overlaps(intervals) == []


def test_two_observers_do_not_make_an_overlap(good: Quads) -> None:
    """Before 2010 the old version is open for ever; the observer of today sees it ended (case H2)."""
    open_then = statement(good, OLD, knownFrom="2000-01-01T00:00:00Z")
    values = {q.predicate.value.rpartition("#")[2]: q.object.value for q in good if q.subject == open_then}
    assert values["until"] == "9999-12-31T00:00:00Z"
    assert [violation for violation in ours(good) if violation.shape.endswith("version-overlap")] == []


def test_a_misspelt_target_class_fails_the_gate_itself(good: Quads, tmp_path: Path) -> None:
    """Case H3: a mandatory shape that checks nothing must not look like a clean graph."""
    folder = tmp_path / "shapes"
    shutil.copytree(SHAPES, folder)
    text = (folder / "text.ttl").read_text(encoding="utf-8")
    assert "sat:CanonicalText" in text
    (folder / "text.ttl").write_text(
        text.replace("sat:CanonicalText", "sat:CannonicalText"), encoding="utf-8"
    )
    store = EmbeddedStore.memory()
    store.insert(good)
    found = check(store, [GRAPH], folder)
    assert any(
        "CannonicalText" in violation.focus and violation.severity == "violation" for violation in found
    )


def test_shacl_that_the_gate_cannot_run_is_refused(good: Quads, tmp_path: Path) -> None:
    folder = tmp_path / "shapes"
    shutil.copytree(SHAPES, folder)
    with (folder / "text.ttl").open("a", encoding="utf-8") as file:
        file.write("\nshape:extra a sh:NodeShape ; sh:targetClass sat:Item ; sh:closed true .\n")
    store = EmbeddedStore.memory()
    store.insert(good)
    with pytest.raises(InvalidDeclaration, match="closed"):
        check(store, [GRAPH], folder)


def test_a_blank_node_is_a_violation(good: Quads) -> None:
    from pyoxigraph import BlankNode

    quads = set(good) | {Quad(BlankNode("b"), RDF_TYPE, iri("sat:Item"), GRAPH)}
    assert any(violation.shape.endswith("no-blank-nodes") for violation in ours(quads))


def test_the_report_is_a_shacl_validation_report(good: Quads) -> None:
    quads = set(good)
    drop(ART, "rdfs:label")(quads)
    report = Graph().parse(data=turtle(ours(quads)), format="turtle")
    node = next(report.subjects(SH.conforms))
    assert str(report.value(node, SH.conforms)) == "false"
    results = list(report.objects(node, SH.result))
    assert [str(report.value(result, SH.focusNode)) for result in results] == [ART.value]
    clean = Graph().parse(data=turtle([]), format="turtle")
    assert str(next(clean.objects(None, SH.conforms))) == "true"
