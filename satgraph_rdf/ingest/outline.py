"""A series of dated outlines (consolidated texts) -> items, micro and macro actions, acts to paint.

An outline says what a work printed from a date on; what happened between two outlines is derived:
text changed is an Amendment, a path gone a Revocation, a row that only says so a Revocation with a
printed placeholder, a path new or back again a Creation, a changed parent a move (two-clocks,
"Structure over time" and "Texts that are only a note of repeal or veto").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from satgraph_rdf.ingest.act import Act, Effect
from satgraph_rdf.ingest.model import ActionRecord, ItemRecord, Metadata, Records, TextRecord, VersionRecord
from satgraph_rdf.ingest.names import insert, text_id, version_id
from satgraph_rdf.ingest.paint import Painter
from satgraph_rdf.terms import Instant


@dataclass(slots=True)
class Node:
    """A part of a work as printed on a date; ``text`` is None for a container without text."""

    item: str
    type: str
    parent: str
    text: str | None = None
    placeholder: bool = False
    alias: str | None = None
    label: str = ""


@dataclass(slots=True)
class AmendingAct:
    """A norm whose promulgation made an outline take effect."""

    id: str
    type: str
    label: str
    url: str | None = None


@dataclass(slots=True)
class Outline:
    """What the work printed from ``date`` on, in document order, and the acts that made it so."""

    date: Instant
    nodes: list[Node]
    acts: list[AmendingAct] = field(default_factory=list)


class _Cause(NamedTuple):
    """What the micro actions of one date share."""

    macro: str
    date: Instant
    sources: list[str]
    attribution: str


class OutlineSeries:
    """Turns the outlines of one work, oldest first, into records and acts."""

    def __init__(self, records: Records, work: ItemRecord) -> None:
        self.records = records
        self.work = work
        self.language = records.info.language
        records.items[work.id] = work
        self._nodes: dict[str, Node] = {}
        self._orders: dict[str, tuple[str, ...]] = {}

    def acts(self, outlines: Iterable[Outline]) -> list[Act]:
        """The acts of all outlines; records gain items, versions with texts, actions."""
        acts: list[Act] = []
        for outline in outlines:
            acts.extend(self._enact(outline.date, act) for act in outline.acts)
            acts.append(self._step(outline))
        return acts

    def _enact(self, date: Instant, act: AmendingAct) -> Act:
        """The amending norm as an item with a version, known from its date."""
        self.records.items.setdefault(act.id, ItemRecord(act.id, act.type, act.label, url=act.url))
        version = version_id(act.id, date, date)
        self.records.versions[version] = VersionRecord(version, act.id, "statutory")
        return Act(date, version, [Effect(act.id, version, date)])

    def _step(self, outline: Outline) -> Act:
        date, first = outline.date, not self._orders
        nodes = {node.item: node for node in outline.nodes}
        orders = self._read_orders(outline.nodes)
        self._read_items(outline.nodes)
        macro = f"action:{insert(self.work.id, '@' + date.stamp)}"
        sources = [version_id(act.id, date, date) for act in outline.acts]
        cause = _Cause(macro, date, sources, "act" if len(sources) < 2 else "date")
        effects: list[Effect] = []
        for node in outline.nodes:
            old = self._nodes.get(node.item)
            if node.text is not None and (old is None or old.text != node.text):
                kind, change = _verdict(node, old)
                if node.placeholder:
                    message = f"Printed from {date.stamp} as a note of repeal, never in force: {node.text}"
                    self.records.report("info", "PLACEHOLDER", message, node.item)
                action = macro if first else self._micro(cause, node.item, kind, change)
                effects.append(self._paint(node, date, action))
            elif node.text is None and old is not None and old.text is not None:
                action = self._micro(cause, node.item, "Revocation")
                effects.append(Effect(node.item, None, date, action=action))
        for item, old in self._nodes.items():
            if item not in nodes and old.text is not None:
                action = macro
                if not old.placeholder:
                    action = self._micro(cause, item, "Revocation")
                effects.append(Effect(item, None, date, action=action))
        for node in outline.nodes:
            old = self._nodes.get(node.item)
            if old is not None and old.parent != node.parent:
                move: Metadata = {"change": "move", "item": node.item, "from": old.parent, "to": node.parent}
                self._micro(cause, node.item, "Amendment", move, suffix=";move")
        changed = {
            container: order for container, order in orders.items() if self._orders.get(container) != order
        }
        changed |= {container: () for container in self._orders if container not in orders}
        metadata: Metadata = {"attribution": "joint" if len(sources) > 1 else "act"}
        if not effects and not changed:
            metadata["change"] = "none in source"
        enacted = sources or [version_id(self.work.id, date, date)]  # a constitution enacts itself
        self.records.actions[macro] = ActionRecord(
            macro,
            "Creation" if first else "Amendment",
            date,
            enacted,
            validity=(date, None),
            metadata=metadata,
        )
        self._nodes, self._orders = nodes, orders
        return Act(date, macro, effects, macro=macro, orders=changed)

    def _read_orders(self, nodes: Sequence[Node]) -> dict[str, tuple[str, ...]]:
        lists: dict[str, list[str]] = defaultdict(list)
        for node in nodes:
            lists[node.parent].append(node.item)
        return {container: tuple(items) for container, items in lists.items()}

    def _read_items(self, nodes: Sequence[Node]) -> None:
        items = self.records.items
        for node in nodes:
            item = items.get(node.item)
            if item is None:
                item = items[node.item] = ItemRecord(node.item, node.type, node.label, node.parent)
            item.parent = node.parent
            item.label = node.label or item.label
            if node.alias is not None and node.alias not in item.aliases:
                item.aliases.append(node.alias)

    def _micro(
        self, cause: _Cause, item: str, kind: str, change: Metadata | None = None, suffix: str = ""
    ) -> str:
        name = f"action:{insert(item, '@' + cause.date.stamp)}{suffix}"
        metadata: Metadata = {"attribution": cause.attribution, **(change or {})}
        self.records.actions[name] = ActionRecord(
            name,
            kind,
            cause.date,
            list(cause.sources),
            parent=cause.macro,
            validity=(cause.date, None),
            metadata=metadata,
        )
        return name

    def _paint(self, node: Node, date: Instant, action: str) -> Effect:
        name = version_id(node.item, date, date)
        text = TextRecord(
            name, "Version", self.language, "canonical", node.text or "", text_id(name, self.language)
        )
        self.records.versions[name] = VersionRecord(
            name,
            node.item,
            "documentary" if node.placeholder else "statutory",
            [text],
            placeholder=node.placeholder,
        )
        return Effect(node.item, name, date, action=action)


def _verdict(node: Node, old: Node | None) -> tuple[str, Metadata | None]:
    """The type of the micro action that put a text in place, and what is special about it."""
    if node.placeholder:
        if old is not None and old.placeholder:
            return "Amendment", {"change": "placeholder"}
        return "Revocation", None
    if old is None or old.text is None or old.placeholder:
        return "Creation", None
    return "Amendment", None


def settle(records: Records, painter: Painter) -> None:
    """Complete derived actions by what the painter found that they end."""
    for name, versions in painter.ended.items():
        action = records.actions[name]
        action.terminates = list(dict.fromkeys([*action.terminates, *versions]))
