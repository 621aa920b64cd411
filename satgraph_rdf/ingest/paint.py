"""The painter: the one place that turns acts into interval statements and container versions.

Acts are applied in the order (event time, sequence, id). All acts known at one instant are applied
together; then every container whose parts are seen differently somewhere gets one new version for
each stretch of valid time of equal composition, and so on up to the root (two-clocks, "Painting"
and "Structure over time").
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from satgraph_rdf.ingest.act import Act, Effect
from satgraph_rdf.ingest.model import Kind, Records, TextRecord, VersionRecord
from satgraph_rdf.ingest.names import insert, text_id, version_id
from satgraph_rdf.ingest.orders import Orders
from satgraph_rdf.ingest.timeline import Interval, Lane, Ledger, Region, Timeline
from satgraph_rdf.terms import OPEN, Instant


class Painter:
    """Paints the acts of one source into its :class:`Records`."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.lanes: dict[tuple[str, str], Lane] = {}
        self.ended: dict[str, list[str]] = defaultdict(list)
        """action -> the versions in force that its effects cut or covered"""
        self.derived: set[str] = set()
        """versions that no source stated: of containers, and continued remainders"""
        self._orders = Orders()
        self._composed: set[str] = set()
        self._ledger = Ledger()
        self._producers: dict[str, str | None] = {}
        self._hidden = {version.id for version in records.versions.values() if version.placeholder}

    def paint(self, acts: Iterable[Act]) -> None:
        """Apply all acts and leave statements, container versions and causes in the records."""
        ordered = sorted(acts, key=lambda act: (act.known, act.sequence, act.key))
        for known, group in groupby(ordered, key=lambda act: act.known):
            self._apply(known, list(group))
        self.records.statements = self._ledger.all()
        # An act may end a version for some observers only: another act ended it earlier meanwhile.
        for statement in self.records.statements:
            if statement.ended_by is not None:
                self.records.actions[statement.ended_by].terminates.append(statement.version)
        for action in self.records.actions.values():  # each once, in the order first said
            action.produces = list(dict.fromkeys(action.produces))
            action.terminates = list(dict.fromkeys(action.terminates))

    def seen(self, item: str, instant: Instant) -> str | None:
        """The structural version (or placeholder) of an item that the newest observer sees."""
        lane = self.lanes.get((item, ""))
        return lane.validity.at(instant) if lane is not None else None

    def interval(self, item: str, lane: str, version: str) -> Interval | None:
        """The interval of a version for the newest observer, None if it was never painted."""
        return self.lanes[item, lane].intervals.get(version) if (item, lane) in self.lanes else None

    def has_parts(self, item: str) -> bool:
        """Whether an item ever lists parts."""
        return self._orders.lists(item)

    def _validity(self, item: str) -> Timeline:
        return self._lane(item, "").validity

    def _lane(self, item: str, name: str) -> Lane:
        lane = self.lanes.get((item, name))
        if lane is None:
            lane = self.lanes[item, name] = Lane(item)
        return lane

    # One group of acts -------------------------------------------------------------------------

    def _apply(self, known: Instant, group: list[Act]) -> None:
        touched: dict[str, set[Region]] = defaultdict(set)  # a law's articles all touch one region
        makers: dict[str, int] = {}
        painted: dict[int, Lane] = {}
        fresh: set[str] = set()

        def touch(item: str, regions: list[Region], maker: int) -> None:
            touched[item].update(regions)
            makers[item] = max(makers.get(item, -1), maker)

        for maker, act in enumerate(group):
            for container, order in act.orders.items():
                start = act.start or act.known
                self._orders.paint(container, start, order)
                touch(container, [Region(start, OPEN)], maker)
            for effect in act.effects:
                regions = self._paint_effect(effect, known, painted)
                if effect.version is not None:
                    fresh.add(effect.version)
                if effect.lane:
                    continue
                if self._orders.lists(effect.item):
                    touch(effect.item, regions, maker)
                for container in self._orders.wholes(effect.item):
                    touch(container, regions, maker)
        self._propagate(known, group, touched, makers, fresh, painted)
        asserters = {act.macro: act.key for act in group if act.key in self.records.actions}
        for lane in painted.values():
            self._ledger.record(
                lane, self._asserted(lane, known, asserters), known, self._producers, self._hidden
            )

    def _asserted(
        self, lane: Lane, known: Instant, asserters: dict[str | None, str]
    ) -> dict[str, str | None]:
        """Who made each changed statement: the action, or of an older macro action the act known now."""
        actions = self.records.actions
        return {
            version: action
            if action is None or actions[action].event_time == known
            else asserters.get(action, action)
            for version, action in lane.dirty.items()
        }

    def _paint_effect(self, effect: Effect, known: Instant, painted: dict[int, Lane]) -> list[Region]:
        lane = self._lane(effect.item, effect.lane)
        painted[id(lane)] = lane
        if effect.until is not None:
            until = effect.until
        else:
            until = lane.validity.next_start(effect.start) if effect.version is not None else OPEN
        if effect.version is not None:
            self._producers[effect.version] = effect.action
            self.records.versions[effect.version].retroactive = known > effect.start
            self.records.versions[effect.version].produced_by = effect.action
            if effect.action is not None:
                self.records.actions[effect.action].produces.append(effect.version)
        applicability = None
        if effect.applicability is not None:
            a_start, a_until = effect.applicability
            applicability = (a_start, OPEN if a_until is None else a_until)
        regions, cut = lane.paint(
            effect.start,
            until,
            effect.version,
            effect.action,
            lambda version, start: self._continue(version, start, known, effect.action),
            applicability,
            self._producers.get,
        )
        live = [version for version in cut if version not in self._hidden]
        if effect.action is not None:
            self.ended[effect.action].extend(live)
        if effect.version is not None and cut:
            self.records.versions[effect.version].previous = cut[-1]
        return regions

    def _continue(self, version: str, start: Instant, known: Instant, action: str | None) -> str:
        """The version that continues another one after a stretch was painted out of its middle."""
        old = self.records.versions[version]
        name = self._untaken(version_id(old.item, start, known, continued=True))
        made = VersionRecord(name, old.item, old.kind, self._texts(old, name), old.components)
        made.placeholder, made.continues = old.placeholder, version
        made.retroactive = known > start
        self._add(made, action)
        return name

    def _untaken(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self.records.versions:
            count += 1
            candidate = insert(name, f".{count}")
        return candidate

    def _texts(self, old: VersionRecord | None, name: str) -> list[TextRecord]:
        """The canonical texts of a version as text nodes of another: a version's texts never change."""
        texts = old.texts if old is not None else []
        return [
            replace(text, source=name, id=text_id(name, text.language))
            for text in texts
            if text.aspect == "canonical"
        ]

    def _add(self, version: VersionRecord, action: str | None) -> None:
        version.produced_by = action
        self.derived.add(version.id)
        self.records.versions[version.id] = version
        self._producers[version.id] = action
        if version.placeholder:
            self._hidden.add(version.id)
        if action is not None:
            self.records.actions[action].produces.append(version.id)

    def _all_hidden(self, components: tuple[tuple[str, str], ...]) -> bool:
        return bool(components) and all(version in self._hidden for _, version in components)

    # Containers --------------------------------------------------------------------------------

    def _depth(self, item: str) -> int:
        depth, parent = 0, self.records.items[item].parent
        while parent is not None:
            depth, parent = depth + 1, self.records.items[parent].parent
        return depth

    def _propagate(
        self,
        known: Instant,
        group: list[Act],
        touched: dict[str, set[Region]],
        makers: dict[str, int],
        fresh: set[str],
        painted: dict[int, Lane],
    ) -> None:
        """Give containers their new versions, deepest first, up to the roots."""
        queue = [(-self._depth(item), item) for item in touched]
        heapq.heapify(queue)
        queued = set(touched)
        while queue:
            _, container = heapq.heappop(queue)
            queued.discard(container)
            regions = touched.pop(container)
            maker = makers[container]
            changed = self._recompose(container, regions, known, group[maker].macro, fresh, painted)
            if not changed:
                continue
            for parent in self._orders.wholes(container):
                touched[parent].update(changed)
                makers[parent] = max(makers.get(parent, -1), maker)
                if parent not in queued:
                    queued.add(parent)
                    heapq.heappush(queue, (-self._depth(parent), parent))

    def _recompose(
        self,
        container: str,
        regions: Iterable[Region],
        known: Instant,
        macro: str | None,
        fresh: set[str],
        painted: dict[int, Lane],
    ) -> list[Region]:
        lane = self._lane(container, "")
        changed: list[Region] = []
        plan: list[tuple[Region, VersionRecord | None, tuple[tuple[str, str], ...]]] = []
        for stretch in self._orders.stretches(container, regions, self._validity):
            parts = self._orders.composition(container, stretch.start, self.seen)
            name = lane.validity.at(stretch.start)
            own = self.records.versions[name] if name is not None else None
            if own is not None and own.id in fresh and own.id not in self._composed:
                self._composed.add(own.id)
                own.components = parts  # painted by this group: its parts are set once, here
                self._hide_if_empty(own)
                changed.append(stretch)
            elif (own.components if own is not None else ()) != parts:
                if plan and plan[-1][0].until == stretch.start and plan[-1][1:] == (own, parts):
                    stretch = Region(plan.pop()[0].start, stretch.until)  # noqa: PLW2901 - one version for both
                plan.append((stretch, own, parts))
        # Latest first: what an earlier stretch cuts off is then no longer what a later one replaces.
        for region, own, parts in reversed(plan):
            version: str | None = None
            if parts or (own is not None and own.texts):
                version = self._derive(container, own, parts, region.start, known, macro).id
            changed.extend(self._paint_container(lane, region, version, known, macro, painted))
        return changed

    def _hide_if_empty(self, version: VersionRecord) -> None:
        if not version.texts and self._all_hidden(version.components):
            version.placeholder = True
            self._hidden.add(version.id)

    def _derive(
        self,
        container: str,
        own: VersionRecord | None,
        parts: tuple[tuple[str, str], ...],
        start: Instant,
        known: Instant,
        macro: str | None,
    ) -> VersionRecord:
        """A container version: the text of its own that it had, and new parts."""
        name = self._untaken(version_id(container, start, known))
        texts = self._texts(own, name)
        made = VersionRecord(name, container, "documentary", texts, parts, retroactive=known > start)
        if texts and own is not None:
            made.placeholder = own.placeholder
        else:
            made.placeholder = self._all_hidden(parts)
        if not made.placeholder:
            live = own is not None and not own.placeholder
            made.kind = own.kind if live and own is not None else self._kind(parts)
        self._add(made, macro)
        return made

    def _kind(self, parts: tuple[tuple[str, str], ...]) -> Kind:
        """A container is statutory unless all it holds is documentary."""
        kinds = {self.records.versions[version].kind for _, version in parts if version not in self._hidden}
        return "documentary" if kinds == {"documentary"} else "statutory"

    def _paint_container(
        self,
        lane: Lane,
        region: Region,
        version: str | None,
        known: Instant,
        macro: str | None,
        painted: dict[int, Lane],
    ) -> list[Region]:
        """Paint a container's timeline; the regions that now show another version of it."""
        painted[id(lane)] = lane
        regions, cut = lane.paint(
            region.start,
            region.until,
            version,
            macro,
            lambda old, start: self._continue(old, start, known, macro),
            None,
            self._producers.get,
        )
        ended = [old for old in cut if old not in self._hidden and old != version]
        if macro is not None:
            self.records.actions[macro].terminates.extend(ended)
        if version is not None and cut and cut[-1] != version:
            self.records.versions[version].previous = cut[-1]
        return regions
