"""The one place where values enter query text: nothing gets out of its term."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, Quad, Store

from satgraph_rdf.audit.record import NullSink
from satgraph_rdf.binding import Slot, Template
from satgraph_rdf.engine import Caller, Engine
from satgraph_rdf.errors import InvalidDeclaration, SatGraphError
from satgraph_rdf.registry import Registry
from satgraph_rdf.store.embedded import EmbeddedStore
from satgraph_rdf.terms import IdSpace
from satgraph_rdf.vocabulary import iri

SPACE = IdSpace("https://law.example/")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { # $no\n ?x ?y ?z }",
        'SELECT ?x { ?x ?y "$no" }',
        "SELECT ?x { ?x ?y '$no' }",
        'SELECT ?x { ?x ?y """a "quoted" $no""" }',
        "SELECT ?x { ?x ?y '''it's $no''' }",
        'SELECT ?x { ?x ?y "a\\"$no" }',
        "SELECT ?x { ?x <http://a/$no?x#y> ?z }",
    ],
)
def test_an_input_in_a_comment_a_string_or_an_iri_is_none(text: str) -> None:
    assert Template.cut(text).inputs == frozenset()


def test_inputs_are_found_where_they_stand() -> None:
    template = Template.cut("SELECT ?x { VALUES ?x { $ids } FILTER(?y IN ($types) || $at < ?z) }")
    assert template.inputs == {"ids", "types", "at"}
    separators = {piece.name: piece.separator for piece in template.pieces if isinstance(piece, Slot)}
    assert (separators["ids"], separators["types"]) == (" ", ", ")


def test_a_list_is_separated_as_its_brackets_ask() -> None:
    template = Template.cut("SELECT ?x { VALUES ?x { $ids } FILTER(?x IN ($ids)) }")
    bound = template.bind({"ids": [Literal("a"), Literal("b")]})
    assert '{ "a" "b" }' in bound
    assert '("a", "b")' in bound
    assert len(list(Store().query(bound))) == 2


def test_an_input_without_a_value_is_an_error() -> None:
    with pytest.raises(InvalidDeclaration, match=r"\$x"):
        Template.cut("SELECT ($x AS ?y) {}").bind({})


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.text())
def test_any_text_comes_back_as_it_was(text: str) -> None:
    bound = Template.cut("SELECT ($x AS ?y) {}").bind({"x": Literal(text)})
    [row] = list(Store().query(bound))
    assert row[0] == Literal(text)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.text(min_size=1))
def test_any_id_stays_one_term(name: str) -> None:
    bound = Template.cut("SELECT ?y { VALUES ?y { $x } }").bind({"x": SPACE.iri(name)})
    [row] = list(Store().query(bound))
    assert row[0] == SPACE.iri(name)


ATTACKS = [
    "urn:x> ?p ?o } UNION { ?s ?p ?o",
    "urn:x } #",
    '"',
    "'",
    '" } UNION { ?s ?p ?o . FILTER("',
    "\\u0022 } #",
    "\\",
    "x\ny",
    "$item",
    "?id",
    "x' || '1'='1",
    "https://law.example/id/x> ?p ?o . <",
    "http://a/ } UNION { ?s ?p ?o } #",
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    store = EmbeddedStore.memory()
    node, graph = SPACE.iri("secret"), SPACE.graph("s")
    store.insert(
        [
            Quad(node, iri("rdf:type"), iri(kind), graph)
            for kind in ("sat:Item", "sat:Version", "sat:Action", "sat:TextUnit")
        ]
        + [
            Quad(node, iri("rdfs:label"), Literal("Secret"), graph),
            Quad(node, iri("eli:is_part_of"), node, graph),
        ]
    )
    return Engine(Registry.load(), store, SPACE, NullSink())


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", [primitive.name for primitive in Registry.load()])
def test_no_parameter_of_any_primitive_reaches_another_row(engine: Engine, name: str, attack: str) -> None:
    """Case S5: an error of the contract or nothing, never somebody else's row."""
    primitive = engine.registry[name]
    caller = Caller("attacker", (SPACE.graph("s"),))
    for attacked in primitive.uses:
        arguments: dict[str, Any] = {}
        for use in primitive.uses:
            if use is attacked:
                arguments[use.param.wire] = [attack] if use.param.many else attack
            elif use.required:
                arguments[use.param.wire] = use.param.example
        try:
            answer = engine.run(name, arguments, caller)
        except SatGraphError:
            continue
        assert answer.value == []
