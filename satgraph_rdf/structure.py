"""Folds that need the order of parts: hierarchies, chains of ancestors, the text of a date.

The order of a date is ``sat:componentOrder``, a JSON list of item ids on each container version; it
cannot be sorted by in SPARQL, so it is followed here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from satgraph_rdf.store import Cell, Rows
from satgraph_rdf.terms import language_matches

ToId = Callable[[str], str]


class DocumentRow(TypedDict, total=False):
    """One part of a text: where it stands and what it says; no content in a language it lacks."""

    itemId: str
    versionId: str
    textUnitId: str
    typeId: str
    depth: int
    label: str
    content: str | None
    availableLanguages: list[str]


class Document(TypedDict):
    """The text of a work or a part at an instant, in document order (extension getDocumentText)."""

    itemId: str
    versionId: str
    at: str
    observerTime: str
    language: str
    rows: list[DocumentRow]


def _text(cell: Cell) -> str | None:
    return None if cell is None else cell.value


def hierarchy(rows: Rows, to_id: ToId, root: str, depth: int, order: str) -> list[str]:
    """Ids below ``root`` (an IRI): by (depth, position, id), or in reading order.

    Rows hold ``id``, ``parent``, ``position`` and, for versions, ``itemId`` and the parent's
    ``componentOrder``, which then decides between siblings.
    """
    at = {name: rows.variables.index(name) for name in rows.variables}
    children: dict[str, list[tuple[Any, str, str]]] = defaultdict(list)
    ranks: dict[str, dict[str, int]] = {}
    for row in rows.rows:
        node, parent = _text(row[at["id"]]) or "", _text(row[at["parent"]]) or ""
        position: Any = _text(row[at["position"]]) or ""
        if "componentOrder" in at:
            if parent not in ranks:
                listed = json.loads(_text(row[at["componentOrder"]]) or "[]")
                ranks[parent] = {item: rank for rank, item in enumerate(listed)}
            position = ranks[parent].get(to_id(_text(row[at["itemId"]]) or ""), len(ranks[parent]))
        children[parent].append((position, node, to_id(node)))
    for siblings in children.values():
        siblings.sort(key=lambda child: (child[0], child[2]))
    limit = depth if depth >= 0 else len(rows.rows) + 1
    return _reading(children, root, limit) if order == "document" else _levels(children, root, limit)


def _levels(children: dict[str, list[tuple[Any, str, str]]], root: str, limit: int) -> list[str]:
    found: list[str] = []
    level = [root]
    while level and limit > 0:
        below = [child for node in level for child in children.get(node, ())]
        if below and isinstance(below[0][0], str):  # items: one order for the whole level
            below.sort(key=lambda child: (child[0], child[2]))
        found.extend(child[2] for child in below)
        level = [child[1] for child in below]
        limit -= 1
    return found


def _reading(children: dict[str, list[tuple[Any, str, str]]], root: str, limit: int) -> list[str]:
    found: list[str] = []
    stack = [(child, 1) for child in reversed(children.get(root, []))]
    while stack:
        (_, node, name), level = stack.pop()
        if level > limit:
            continue
        found.append(name)
        stack.extend((child, level + 1) for child in reversed(children.get(node, [])))
    return found


def component_orders(rows: Rows, to_id: ToId) -> dict[str, list[str]]:
    """The ``componentOrder`` of each row by the id in ``id``."""
    at, key = rows.variables.index("componentOrder"), rows.variables.index("id")
    cells = ((row[key], row[at]) for row in rows.rows)
    return {
        to_id(node.value): json.loads(order.value)
        for node, order in cells
        if node is not None and order is not None
    }


def lineage(entities: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ancestor items from the root down: each one's parent stands before it."""
    above = {entity["id"]: entity.get("parentId") for entity in entities}

    def level(name: str | None) -> int:
        steps = 0
        while name is not None and steps <= len(above):
            name, steps = above.get(name), steps + 1
        return steps

    return sorted(entities, key=lambda entity: (level(entity["id"]), entity["id"]))


def chain(entities: list[dict[str, Any]], orders: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Ancestors from the root down: each one lists the next among its components."""
    listed = {entity["id"]: set(orders.get(entity["id"], ())) for entity in entities}
    above = {entity["id"]: sum(entity["itemId"] in names for names in listed.values()) for entity in entities}
    ordered: list[dict[str, Any]] = []
    waiting = sorted(entities, key=lambda entity: (above[entity["id"]], entity["id"]))
    while waiting:
        last = listed[ordered[-1]["id"]] if ordered else None
        chosen = next((e for e in waiting if last is not None and e["itemId"] in last), waiting[0])
        waiting.remove(chosen)
        ordered.append(chosen)
    return ordered


def document(rows: Rows, to_id: ToId, wanted: str, at: str, observer: str) -> Document | None:
    """The text of a root version's whole tree; None where no root version was found.

    Rows hold ``rootId``, ``versionId``, ``itemId``, ``typeId``, ``label``, ``componentOrder``,
    ``workLanguage`` and one canonical text (``textUnitId``, ``language``, ``content``) or none.
    ``wanted`` is a language range; ``*`` means the language of the work.
    """
    if not rows.rows:
        return None
    column = {name: index for index, name in enumerate(rows.variables)}
    names = ("versionId", "itemId", "componentOrder", "textUnitId", "language", "content")
    version, item, order, unit, tag, content = (column[name] for name in names)
    work: str | None = None
    orders: dict[str, list[str]] = {}
    texts: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    kept: dict[str, tuple[Cell, ...]] = {}
    root = rows.rows[0][column["rootId"]].value  # type: ignore[union-attr]
    root_item = ""
    for row in rows.rows:
        name = to_id(row[item].value)  # type: ignore[union-attr]
        if row[version].value == root:  # type: ignore[union-attr]
            root_item = name
        if row[order] is not None:
            orders[name] = json.loads(row[order].value)  # type: ignore[union-attr]
        if row[unit] is not None:
            texts[name].append((row[tag].value, row[unit].value, row[content].value))  # type: ignore[union-attr]
            kept[name] = row
        elif work is None:
            work = _text(row[column["workLanguage"]])
    language = wanted if wanted != "*" else work or "*"
    out: list[DocumentRow] = []
    stack = [(root_item, 0)]
    columns = (version, column["typeId"], column["label"])
    while stack:
        name, depth = stack.pop()
        if name in kept:
            out.append(_row(name, kept[name], texts[name], language, depth, to_id, columns))
        stack.extend((part, depth + 1) for part in reversed(orders.get(name, ())))
    return {
        "itemId": root_item,
        "versionId": to_id(root),
        "at": at,
        "observerTime": observer,
        "language": language,
        "rows": out,
    }


def _row(
    name: str,
    row: tuple[Cell, ...],
    texts: list[tuple[str, str, str]],
    language: str,
    depth: int,
    to_id: ToId,
    columns: Sequence[int],
) -> DocumentRow:
    version, kind, label = (_text(row[column]) or "" for column in columns)
    made: DocumentRow = {"itemId": name, "versionId": to_id(version)}
    chosen = min((text for text in texts if language_matches(text[0], language)), default=None)
    if chosen is not None:
        made["textUnitId"] = to_id(chosen[1])
    made["typeId"] = to_id(kind)
    made["depth"] = depth
    made["label"] = label
    made["content"] = chosen[2] if chosen is not None else None
    if chosen is None:
        made["availableLanguages"] = sorted({text[0] for text in texts})
    return made
