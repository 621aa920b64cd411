"""Folds over the order of parts: hierarchies, chains of ancestors, the text of a date."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode

from satgraph_rdf.store import Cell, Rows
from satgraph_rdf.structure import chain, component_orders, document, hierarchy, lineage

BASE = "http://x.example/"


def node(name: str) -> NamedNode:
    return NamedNode(BASE + name)


def to_id(iri: str) -> str:
    assert iri.startswith(BASE)
    return iri.removeprefix(BASE)


# Hierarchies -----------------------------------------------------------------------------------

# Positions sort over the whole work: t1 < a1 < p1 < a2 < t2 < a3.
ITEMS = [
    ("a3", "t2", "0005"),
    ("p1", "a1", "0002"),
    ("t2", "root", "0004"),
    ("a2", "t1", "0003"),
    ("t1", "root", "0000"),
    ("a1", "t1", "0001"),
]


def item_rows(items: list[tuple[str, str, str]]) -> Rows:
    rows: list[tuple[Cell, ...]] = [
        (node(name), node(parent), Literal(position)) for name, parent, position in items
    ]
    return Rows(("id", "parent", "position"), rows)


@pytest.mark.parametrize(
    ("order", "depth", "expected"),
    [
        ("depth", -1, "t1 t2 a1 a2 a3 p1"),
        ("document", -1, "t1 a1 p1 a2 t2 a3"),
        ("depth", -7, "t1 t2 a1 a2 a3 p1"),
        ("depth", 0, ""),
        ("document", 0, ""),
        ("depth", 1, "t1 t2"),
        ("document", 1, "t1 t2"),
        ("depth", 2, "t1 t2 a1 a2 a3"),
        ("document", 2, "t1 a1 a2 t2 a3"),
        ("depth", 99, "t1 t2 a1 a2 a3 p1"),
        ("document", 99, "t1 a1 p1 a2 t2 a3"),
    ],
)
def test_a_hierarchy_by_level_or_in_reading_order(order: str, depth: int, expected: str) -> None:
    for rows in (ITEMS, ITEMS[::-1], sorted(ITEMS)):
        assert hierarchy(item_rows(rows), to_id, BASE + "root", depth, order) == expected.split()


def test_a_level_is_ordered_as_a_whole_by_position() -> None:
    """By (depth, position, id): the cousins' order is not that of their parents."""
    items = [("x", "root", "1"), ("y", "root", "2"), ("late", "x", "9"), ("early", "y", "3")]
    assert hierarchy(item_rows(items), to_id, BASE + "root", -1, "depth") == ["x", "y", "early", "late"]
    assert hierarchy(item_rows(items), to_id, BASE + "root", -1, "document") == ["x", "late", "y", "early"]


def test_equal_positions_are_ordered_by_id() -> None:
    items = [("c", "root", "1"), ("a", "root", "1"), ("b", "root", "1")]
    for order in ("depth", "document"):
        assert hierarchy(item_rows(items), to_id, BASE + "root", -1, order) == ["a", "b", "c"]


def test_only_what_is_below_the_root_is_listed() -> None:
    assert hierarchy(item_rows(ITEMS), to_id, BASE + "t1", -1, "document") == ["a1", "p1", "a2"]
    assert hierarchy(item_rows(ITEMS), to_id, BASE + "p1", -1, "document") == []
    assert hierarchy(item_rows([]), to_id, BASE + "root", -1, "depth") == []


VERSION_ROWS = [
    # version, item, parent version, position of the item, components of the parent
    ("a@1", "a", "root@1", "0001", ["b", "a"]),
    ("b@1", "b", "root@1", "0002", ["b", "a"]),
    ("x@1", "x", "a@1", "0003", ["y", "z", "x"]),
    ("y@1", "y", "a@1", "0004", ["y", "z", "x"]),
    ("z@1", "z", "a@1", "0005", ["y", "z", "x"]),
    ("w@1", "w", "b@1", "0009", ["w"]),
]


def version_rows() -> Rows:
    rows: list[tuple[Cell, ...]] = [
        (node(name), node(item), node(parent), Literal(position), Literal(json.dumps(order)))
        for name, item, parent, position, order in VERSION_ROWS
    ]
    return Rows(("id", "itemId", "parent", "position", "componentOrder"), rows)


def test_versions_follow_the_order_of_the_date_and_not_of_the_ids() -> None:
    root = BASE + "root@1"
    assert hierarchy(version_rows(), to_id, root, -1, "document") == [
        "b@1",
        "w@1",
        "a@1",
        "y@1",
        "z@1",
        "x@1",
    ]
    assert hierarchy(version_rows(), to_id, root, -1, "depth") == ["b@1", "a@1", "w@1", "y@1", "z@1", "x@1"]
    assert hierarchy(version_rows(), to_id, root, 1, "document") == ["b@1", "a@1"]


def test_a_version_that_two_parents_share_stands_under_the_one_asked_for() -> None:
    rows = version_rows()
    shared = (node("y@1"), node("y"), node("other@2"), Literal("0004"), Literal('["y"]'))
    both = Rows(rows.variables, [*rows.rows, shared])
    assert hierarchy(both, to_id, BASE + "other@2", -1, "document") == ["y@1"]
    assert hierarchy(both, to_id, BASE + "a@1", -1, "document") == ["y@1", "z@1", "x@1"]


def test_a_deep_tree_is_no_recursion() -> None:
    depth = 5000
    items = [(f"n{n + 1}", f"n{n}", f"{n:05d}") for n in range(depth)]
    expected = [f"n{n + 1}" for n in range(depth)]
    for order in ("depth", "document"):
        assert hierarchy(item_rows(items), to_id, BASE + "n0", -1, order) == expected


# Ancestors -------------------------------------------------------------------------------------


def test_a_lineage_goes_from_the_root_down() -> None:
    items = [
        {"id": "b", "parentId": "z"},
        {"id": "a", "parentId": "b"},
        {"id": "z"},
        {"id": "c", "parentId": "a"},
    ]
    assert [item["id"] for item in lineage(items)] == ["z", "b", "a", "c"]
    assert [item["id"] for item in lineage(items[::-1])] == ["z", "b", "a", "c"]
    assert lineage([]) == []


def test_a_lineage_whose_root_is_part_of_something_not_seen() -> None:
    items = [{"id": "a", "parentId": "b"}, {"id": "b", "parentId": "unseen"}]
    assert [item["id"] for item in lineage(items)] == ["b", "a"]


def test_a_lineage_that_goes_in_a_circle_comes_to_an_end() -> None:
    items = [{"id": "a", "parentId": "b"}, {"id": "b", "parentId": "a"}]
    assert sorted(item["id"] for item in lineage(items)) == ["a", "b"]


def test_a_chain_follows_the_components() -> None:
    versions: list[dict[str, Any]] = [
        {"id": "1-section", "itemId": "section"},
        {"id": "2-root", "itemId": "root"},
        {"id": "3-title", "itemId": "title"},
    ]
    orders = {"2-root": ["preamble", "title"], "3-title": ["section", "other"], "1-section": ["article"]}
    expected = ["2-root", "3-title", "1-section"]
    assert [version["id"] for version in chain(versions, orders)] == expected
    assert [version["id"] for version in chain(versions[::-1], orders)] == expected
    assert chain([], {}) == []


def test_component_orders_are_read_by_id() -> None:
    rows = Rows(
        ("id", "componentOrder"),
        [(node("v"), Literal('["b","a"]')), (node("w"), Literal("[]")), (node("x"), None)],
    )
    assert component_orders(rows, to_id) == {"v": ["b", "a"], "w": []}


# Documents -------------------------------------------------------------------------------------

COLUMNS = (
    "rootId", "versionId", "itemId", "typeId", "label", "componentOrder", "workLanguage", "textUnitId", "language", "content",
)  # fmt: skip


def text_row(item: str, content: str, language: str = "pt-br") -> tuple[Cell, ...]:
    return (
        node("root@1"), node(f"{item}@1"), node(item), node("type"), Literal(item.upper()), None, None,
        node(f"{item}@1~{language}"), Literal(language), Literal(content),
    )  # fmt: skip


def order_row(item: str, *parts: str) -> tuple[Cell, ...]:
    order = Literal(json.dumps(parts))
    return (node("root@1"), node(f"{item}@1"), node(item), None, None, order, None, None, None, None)


def root_row(language: str = "pt-br") -> tuple[Cell, ...]:
    return (
        node("root@1"), node("root@1"), node("root"), None, None, None, Literal(language), None, None, None,
    )  # fmt: skip


DOCUMENT = [
    text_row("a2", "Art. 2º"),
    text_row("p1", "§ 1º"),
    text_row("t1", "Título I"),
    order_row("t1", "a1", "a2"),
    order_row("root", "t1", "end"),
    order_row("a1", "cpt", "p1"),
    text_row("end", "Fim."),
    text_row("cpt", "Art. 1º"),
    text_row("cpt", "Art. 1", "en"),
    root_row(),
]


def read(rows: list[tuple[Cell, ...]], wanted: str = "*") -> Any:
    return document(Rows(COLUMNS, rows), to_id, wanted, "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z")


@pytest.mark.parametrize("rows", [DOCUMENT, DOCUMENT[::-1]], ids=["as found", "backwards"])
def test_a_document_is_read_in_the_order_of_its_parts(rows: list[tuple[Cell, ...]]) -> None:
    made = read(rows)
    assert {name: made[name] for name in made if name != "rows"} == {
        "itemId": "root",
        "versionId": "root@1",
        "at": "2000-01-01T00:00:00Z",
        "observerTime": "2001-01-01T00:00:00Z",
        "language": "pt-br",
    }
    assert [(row["itemId"], row["depth"], row["content"]) for row in made["rows"]] == [
        ("t1", 1, "Título I"),
        ("cpt", 3, "Art. 1º"),
        ("p1", 3, "§ 1º"),
        ("a2", 2, "Art. 2º"),
        ("end", 1, "Fim."),
    ]
    assert made["rows"][0] == {
        "itemId": "t1",
        "versionId": "t1@1",
        "textUnitId": "t1@1~pt-br",
        "typeId": "type",
        "depth": 1,
        "label": "T1",
        "content": "Título I",
    }


def test_a_part_without_the_language_says_which_there_are() -> None:
    rows = {row["itemId"]: row for row in read(DOCUMENT, "en")["rows"]}
    assert rows["cpt"]["content"] == "Art. 1"
    assert "availableLanguages" not in rows["cpt"]
    assert rows["a2"]["content"] is None
    assert rows["a2"]["availableLanguages"] == ["pt-br"]
    assert "textUnitId" not in rows["a2"]
    assert read(DOCUMENT, "en")["language"] == "en"


@pytest.mark.parametrize(("wanted", "content"), [("PT", "Art. 1º"), ("pt-BR", "Art. 1º"), ("EN", "Art. 1")])
def test_a_language_is_a_range(wanted: str, content: str) -> None:
    [row] = [row for row in read(DOCUMENT, wanted)["rows"] if row["itemId"] == "cpt"]
    assert row["content"] == content


def test_a_range_is_not_found_by_what_is_wider() -> None:
    rows = read(DOCUMENT, "pt-br-1990")["rows"]
    assert {row["content"] for row in rows} == {None}
    assert len(rows) == 5


def test_a_document_of_one_part_is_that_part() -> None:
    [row] = read([text_row("root", "Tudo."), root_row()])["rows"]
    assert (row["depth"], row["content"]) == (0, "Tudo.")


def test_a_root_with_neither_text_nor_parts_is_an_empty_document() -> None:
    made = read([root_row()])
    assert (made["versionId"], made["rows"]) == ("root@1", [])


def test_what_no_order_lists_is_not_printed() -> None:
    rows = [order_row("root", "a"), text_row("a", "A"), text_row("b", "B"), root_row()]
    assert [row["content"] for row in read(rows)["rows"]] == ["A"]


def test_no_rows_are_no_document() -> None:
    assert read([]) is None
