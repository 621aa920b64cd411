"""The contract of a store, on every kind there is."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from satgraph_rdf.errors import StoreError
from satgraph_rdf.store.embedded import EmbeddedStore
from satgraph_rdf.vocabulary import XSD_DATE_TIME

A, B, P = (NamedNode(f"http://x.example/{name}") for name in "abp")
ONE, TWO = NamedNode("http://x.example/graph/one"), NamedNode("http://x.example/graph/two")
WHEN = Literal("2000-02-14T00:00:00Z", datatype=XSD_DATE_TIME)
WORD = Literal("moradia", language="pt-br")
QUADS = [Quad(A, P, WHEN, ONE), Quad(A, P, WORD, ONE), Quad(B, P, Literal("other"), TWO)]
ALL = "SELECT ?s ?o WHERE { ?s ?p ?o } ORDER BY ?s ?o"

Make = Callable[[Path], EmbeddedStore]


def memory(_folder: Path) -> EmbeddedStore:
    store = EmbeddedStore.memory()
    store.insert(QUADS)
    return store


def folder(path: Path) -> EmbeddedStore:
    store = EmbeddedStore.folder(path / "graph")
    store.insert(QUADS)
    return store


def read_only(in_memory: bool) -> Make:
    def make(path: Path) -> EmbeddedStore:
        folder(path).close()
        gc.collect()
        return EmbeddedStore.read_only(path / "graph", "r1", in_memory)

    return make


@pytest.fixture(
    params=[memory, folder, read_only(True), read_only(False)],
    ids=["memory", "folder", "copied", "read-only"],
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EmbeddedStore:
    made: EmbeddedStore = request.param(tmp_path)
    return made


def test_select_gives_plain_rows_in_the_order_of_the_query(store: EmbeddedStore) -> None:
    rows = store.select(ALL, [ONE, TWO])
    assert rows.variables == ("s", "o")
    assert rows.rows[-1] == (B, Literal("other"))
    assert {row[1] for row in rows.rows[:2]} == {WHEN, WORD}
    assert isinstance(rows.rows, list)
    assert all(isinstance(row, tuple) for row in rows.rows)


def test_an_unbound_variable_is_none(store: EmbeddedStore) -> None:
    assert store.select("SELECT ?s ?x WHERE { ?s ?p 'other' }", [TWO]).rows == [(B, None)]


def test_ask_and_construct(store: EmbeddedStore) -> None:
    assert store.ask("ASK { ?s ?p 'other' }", [TWO]) is True
    assert store.ask("ASK { ?s ?p 'other' }", [ONE]) is False
    [triple] = store.construct("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", [TWO])
    assert (triple.subject, triple.object) == (B, Literal("other"))


def test_the_granted_graphs_are_the_whole_data_set(store: EmbeddedStore) -> None:
    assert {row[0] for row in store.select(ALL, [ONE]).rows} == {A}
    named = "SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }"
    assert [row[0] for row in store.select(named, [TWO]).rows] == [TWO]
    assert (
        store.select("SELECT ?s WHERE { GRAPH <http://x.example/graph/two> { ?s ?p ?o } }", [ONE]).rows == []
    )


def test_no_grant_sees_nothing(store: EmbeddedStore) -> None:
    assert store.select(ALL, []).rows == []
    assert store.select("SELECT ?s WHERE { GRAPH ?g { ?s ?p ?o } }", []).rows == []
    assert store.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", []).rows[0][0] == Literal(0)


def test_graphs_are_listed_in_order(store: EmbeddedStore) -> None:
    assert store.graphs() == [ONE, TWO]


def test_results_can_be_used_in_another_thread(store: EmbeddedStore) -> None:
    rows = store.select(ALL, [ONE, TWO])
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(str(row[0]) for row in rows.rows))
    thread.start()
    thread.join()
    assert len(found) == 3


def test_many_threads_read_at_once(store: EmbeddedStore) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(len(store.select(ALL, [ONE, TWO]).rows)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 8


def test_ask_and_construct_are_restricted_too(store: EmbeddedStore) -> None:
    triples = "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }"
    assert {triple.subject for triple in store.construct(triples, [ONE])} == {A}
    assert store.construct(triples, []) == []
    assert store.construct("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", []) == []
    assert store.construct("DESCRIBE <http://x.example/b>", [ONE]) == []
    assert len(store.construct("DESCRIBE <http://x.example/b>", [TWO])) == 1
    for pattern in ("?s ?p ?o", "GRAPH ?g { ?s ?p ?o }"):
        assert store.ask(f"ASK {{ {pattern} }}", []) is False
        assert store.ask(f"ASK {{ {pattern} FILTER(?s = <http://x.example/b>) }}", [ONE]) is False
        assert store.ask(f"ASK {{ {pattern} FILTER(?s = <http://x.example/b>) }}", [ONE, TWO]) is True


def test_a_count_reveals_nothing_of_what_is_not_granted(store: EmbeddedStore) -> None:
    count = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
    assert [store.select(count, [graph]).rows for graph in (ONE, TWO)] == [[(Literal(2),)], [(Literal(1),)]]


def test_a_grant_of_a_graph_that_is_not_there_sees_nothing(store: EmbeddedStore) -> None:
    assert store.select(ALL, [NamedNode("http://x.example/graph/three")]).rows == []


# Canonical forms: the embedded engine keeps numbers and instants by value, not by spelling.
TERMS = [
    WHEN,
    Literal("2000-02-13T23:59:59.999Z", datatype=XSD_DATE_TIME),
    Literal("2000-02-14T00:00:00-03:00", datatype=XSD_DATE_TIME),
    Literal("0001-01-01T00:00:00Z", datatype=XSD_DATE_TIME),
    Literal("9999-12-31T00:00:00Z", datatype=XSD_DATE_TIME),
    Literal("-7", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")),
    Literal("1.5", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#decimal")),
    Literal("true", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#boolean")),
    Literal('{"b":1,"a":"\u00e9"}', datatype=NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON")),
    Literal("x", datatype=NamedNode("http://x.example/own")),
    WORD,
    Literal("\u65e5\u672c", language="ja"),
    Literal(""),
    Literal('a "quoted"\n\ttext \\ with\r\n\U0001f600 everything'),
    Literal("x" * 100_000),
    NamedNode("http://x.example/\u00e9?a=b#c"),
]


@pytest.mark.parametrize("kind", ["memory", "folder", "copied", "read-only"])
def test_terms_come_back_as_they_were(kind: str, tmp_path: Path) -> None:
    subjects = [NamedNode(f"http://x.example/{number}") for number in range(len(TERMS))]
    made = EmbeddedStore.memory() if kind == "memory" else EmbeddedStore.folder(tmp_path / "graph")
    made.insert(Quad(subject, P, term, ONE) for subject, term in zip(subjects, TERMS, strict=True))
    if kind in ("copied", "read-only"):
        made.close()
        made = EmbeddedStore.read_only(tmp_path / "graph", in_memory=kind == "copied")
    found = dict(made.select("SELECT ?s ?o WHERE { ?s ?p ?o }", [ONE]).rows)
    for subject, term in zip(subjects, TERMS, strict=True):
        assert found[subject] == term
        assert str(found[subject]) == str(term)
    assert {triple.object for triple in made.construct("CONSTRUCT WHERE { ?s ?p ?o }", [ONE])} == set(TERMS)


def test_a_folder_is_read_by_several_at_once_and_written_by_none(tmp_path: Path) -> None:
    folder(tmp_path).close()
    one, other = (EmbeddedStore.read_only(tmp_path / "graph", "r1", in_memory=False) for _ in range(2))
    assert one.select(ALL, [ONE, TWO]) == other.select(ALL, [ONE, TWO])
    assert one.revision == "r1"
    with pytest.raises((OSError, RuntimeError, StoreError), match=r"read-(write|only)"):
        one.insert([Quad(B, P, Literal("more"), ONE)])
    assert len(other) == len(QUADS)


def test_a_graph_is_cleared_alone(tmp_path: Path) -> None:
    made = folder(tmp_path)
    made.clear(ONE)
    assert [row[0] for row in made.select(ALL, [ONE, TWO]).rows] == [B]


def test_a_checkpoint_is_a_store_of_its_own(tmp_path: Path) -> None:
    made = folder(tmp_path)
    made.backup(tmp_path / "copy")
    copy = EmbeddedStore.folder(tmp_path / "copy")
    copy.clear(ONE)
    assert len(copy) == 1
    assert len(made) == 3


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="missing"):
        EmbeddedStore.read_only(tmp_path / "missing")
