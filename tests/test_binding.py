"""The one place where values enter query text: nothing gets out of its term."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, parse

from satgraph_rdf.audit.record import NullSink
from satgraph_rdf.binding import Slot, Template
from satgraph_rdf.call import Caller
from satgraph_rdf.engine import Engine
from satgraph_rdf.errors import InvalidDeclaration, SatGraphError
from satgraph_rdf.registry import Registry
from satgraph_rdf.store.embedded import EmbeddedStore
from satgraph_rdf.terms import IdSpace
from satgraph_rdf.vocabulary import PREFIXES

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


# Codes that mean something to a parser, for ids and literals made of nothing else.
FRAGMENTS = st.sampled_from(
    ["<", ">", "{", "}", '"', "'", "\\", "\\u0022", "\\U0000003E", "$item", "?id", ".", ";", "#", " ", "%3E", "%", "http://a/",
     "urn:x", "UNION", "?s ?p ?o", "VALUES", "(", ")", "[", "]", "|", "^", "`", "&&", "*", "/", "^^", "@en", SPACE.base, SPACE.prefix]
)  # fmt: skip
HOSTILE = st.lists(FRAGMENTS, min_size=1, max_size=10).map("".join)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(HOSTILE, min_size=1, max_size=4, unique=True))
def test_hostile_text_stays_as_many_terms_as_it_was(texts: list[str]) -> None:
    template = Template.cut("SELECT ?x ?y { VALUES ?x { $texts } VALUES ?y { $ids } FILTER(?x IN ($texts)) }")
    nodes = list({SPACE.requested(text) for text in texts})
    rows = list(Store().query(template.bind({"texts": [Literal(t) for t in texts], "ids": nodes})))
    assert {row[0].value for row in rows} == set(texts)
    assert {row[1] for row in rows} == set(nodes)
    assert len(rows) == len(texts) * len(nodes)


def test_a_value_that_looks_like_an_input_is_not_bound_again() -> None:
    bound = Template.cut("SELECT ($a AS ?x) ($b AS ?y) {}").bind({"a": Literal("$b"), "b": Literal("$a")})
    [row] = list(Store().query(bound))
    assert [cell.value for cell in row] == ["$b", "$a"]


def test_an_input_left_open_is_a_variable() -> None:
    template = Template.cut("SELECT ?x { VALUES (?x ?item) { (1 2) } FILTER($item = $n) }").with_variable(
        "item"
    )
    assert template.inputs == {"n"}
    assert len(list(Store().query(template.bind({"n": Literal(2)})))) == 1
    assert list(Store().query(template.bind({"n": Literal(3)}))) == []


def test_comments_go_and_strings_stay() -> None:
    text = 'SELECT (\'# $a\' AS ?x) # $b\n(<http://a/#$c> AS ?y) ("""\'\\""# $d""" AS ?z) { } # $e'
    template = Template.cut(text)
    assert template.inputs == frozenset()
    [row] = list(Store().query(template.bind({})))
    assert [cell.value for cell in row] == ["# $a", "http://a/#$c", '\'""# $d']
    assert "$b" not in template.bind({})
    assert "$e" not in template.bind({})


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
    "http://a/> } UNION { ?s ?p ?o . FILTER(?s != <http://a/",
    "<law>",
    "law\\u003E",
    "la*",
    "law%",
    "law law@1",
    'law") || "*" IN ("*',
    "canonical' || true || '",
    "\u2028law",
    "%6Caw",
    "https://law.example/id/law%3E%20?p%20?o",
    "https://law.example/id/%FF",
    "https://law.example/id/",
]


# A work of one part, whole enough for every primitive to answer; the same once more, not granted.
GRAPH = """
<{0}law> a sat:Item ; crm:P2_has_type <{0}norm> ; rdfs:label "Law" ; sat:position "0" ; sat:language "pt-br" .
<{0}art> a sat:Item ; crm:P2_has_type <{0}norm> ; rdfs:label "Art" ; sat:position "1" ; eli:is_part_of <{0}law> .
<{0}law@1> a sat:Version ; sat:versionOf <{0}law> ; sat:versionType "statutory" ; sat:producedBy <{0}act> ;
  sat:hasComponent <{0}art@1> ; sat:componentOrder "[\\"art\\"]" .
<{0}art@1> a sat:Version ; sat:versionOf <{0}art> ; sat:versionType "statutory" ; sat:producedBy <{0}act> .
<{0}act> a sat:Action ; sat:actionType "Creation" ; sat:sequence 1 ; sat:hasSource <{0}law@1> ;
  prov:endedAtTime "2000-01-01T00:00:00Z"^^xsd:dateTime ; sat:produces <{0}law@1>, <{0}art@1> .
<{0}word> a sat:TextUnit ; sat:textOf <{0}art@1> ; eli:realizes <{0}art@1> ; sat:sourceType "Version" ;
  sat:language "pt-br" ; sat:aspect "canonical" ; sat:content "Art. 1" .
""" + "".join(
    f"""
<{{0}}s-{item}> sat:statementVersion <{{0}}{item}@1> ; sat:validityOf <{{0}}{item}> ; sat:applicabilityOf <{{0}}{item}> ;
  sat:from "2000-01-01T00:00:00Z"^^xsd:dateTime ; sat:until "9999-12-31T00:00:00Z"^^xsd:dateTime ;
  sat:knownFrom "2000-01-01T00:00:00Z"^^xsd:dateTime ; sat:knownUntil "9999-12-31T00:00:00Z"^^xsd:dateTime .
"""
    for item in ("law", "art")
)  # fmt: skip
REGISTRY = Registry.load()
RIGHT = {
    "item": "law", "version": "law@1", "action": "act", "text_unit": "word", "source_work": "law", "ids": ["law"],
    "item_ids": ["law"], "version_ids": ["art@1"], "at": "2001-01-01", "observer_time": "2001-01-01", "language": "pt",
}  # fmt: skip
INSTEAD = {  # where what is asked about must be another one for there to be an answer
    "get_item_ancestors": {"item": "art"},
    "get_version_ancestors": {"version": "art@1"},
    "get_version_parents": {"version": "art@1"},
    "get_version_text_units": {"version": "art@1"},
    "get_batch_versions": {"ids": ["law@1"]},
    "get_batch_actions": {"ids": ["act"]},
}


def quads(text: str, graph: NamedNode) -> list[Quad]:
    prefixes = "".join(f"PREFIX {name}: <{space}>\n" for name, space in PREFIXES.items())
    triples = parse(prefixes + text, format=RdfFormat.TURTLE)
    return [Quad(triple.subject, triple.predicate, triple.object, graph) for triple in triples]


def right(name: str) -> dict[str, Any]:
    """Arguments, all that the primitive takes and that have an example here, to which it answers."""
    values = RIGHT | INSTEAD.get(name, {})
    uses = (use for use in REGISTRY[name].uses if use.param.name in values)
    return {use.param.wire: values[use.param.name] for use in uses}


@pytest.fixture(scope="module")
def engine() -> Engine:
    store = EmbeddedStore.memory()
    store.insert(quads(GRAPH.replace("{0}", SPACE.prefix), SPACE.graph("s")))
    store.insert(quads(GRAPH.replace("{0}", SPACE.prefix + "hidden-"), SPACE.graph("hidden")))
    return Engine(REGISTRY, store, SPACE, NullSink())


CALLER = Caller("attacker", (SPACE.graph("s"),))
NAMES = [primitive.name for primitive in REGISTRY]


@pytest.mark.parametrize("name", NAMES)
def test_every_primitive_answers_the_right_arguments(engine: Engine, name: str) -> None:
    """Otherwise the tests that follow would prove nothing."""
    answer = engine.run(name, right(name), CALLER)
    assert answer.value
    assert b"hidden" not in answer.body


def attacked(engine: Engine, name: str, attack: str) -> None:
    """Case S5: an error of the contract or nothing, never somebody's row."""
    for use in REGISTRY[name].uses:
        arguments = right(name) | {use.param.wire: [attack] if use.param.many else attack}
        try:
            answer = engine.run(name, arguments, CALLER)
        except SatGraphError:
            continue
        assert answer.value == [], use.param.wire


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", NAMES)
def test_no_parameter_of_any_primitive_reaches_a_row(engine: Engine, name: str, attack: str) -> None:
    attacked(engine, name, attack)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(HOSTILE)
def test_no_hostile_text_in_any_parameter_reaches_a_row(engine: Engine, name: str, attack: str) -> None:
    attacked(engine, name, "x" + attack)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_granted_is_as_unknown(engine: Engine, name: str) -> None:
    """The ids of the hidden graph, in every id parameter, answer as ids that nobody has."""

    def outcome(prefix: str) -> object:
        arguments = {
            wire: [prefix + entry for entry in value]
            if isinstance(value, list)
            else prefix + value
            if wire.endswith(("Id", "Ids"))
            else value
            for wire, value in right(name).items()
        }
        try:
            return engine.run(name, arguments, CALLER).value
        except SatGraphError as fault:
            return (fault.code, str(fault).replace(prefix, ""))

    assert outcome("hidden-") == outcome("nobodys-")
