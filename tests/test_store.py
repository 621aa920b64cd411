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
