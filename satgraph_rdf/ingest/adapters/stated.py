"""Versions and actions as a source states them -> acts to paint, and the check that both agree.

A source of this kind gives final intervals; the acts behind them are rebuilt, painted, and what the
painter shows must be what the source states (two-clocks, "Ends and starts that no action explains").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime

from satgraph_rdf.ingest.act import Act, Effect
from satgraph_rdf.ingest.model import ActionRecord, Records, Severity, VersionRecord
from satgraph_rdf.ingest.names import natural_key
from satgraph_rdf.ingest.paint import Painter
from satgraph_rdf.ingest.timeline import Interval
from satgraph_rdf.terms import OPEN, Instant

Bounds = tuple[Instant, Instant | None]
_FIRST = Instant(datetime(1, 1, 1, tzinfo=UTC))


class Stated:
    """What one document states about versions, and the acts it implies."""

    def __init__(
        self,
        records: Records,
        intervals: Mapping[str, Bounds],
        applicability: Mapping[str, Bounds],
        enders: Mapping[str, str],
        places: Mapping[str, str],
    ) -> None:
        self.records = records
        self.intervals = intervals
        self.applicability = applicability
        self.places = places
        self.enders = dict(enders)
        self.effects: dict[str, list[Effect]] = defaultdict(list)
        self._acts: list[Act] = []
        self._terminates: dict[str, list[str]] = {}

    def acts(self) -> list[Act]:
        """The acts to paint; empty where the document contradicts itself."""
        self._join()
        if any(self.records.violations()):
            return []
        self._terminates = {name: list(action.terminates) for name, action in self.records.actions.items()}
        for version in self.records.versions.values():
            self._produce(version)
        for action in self.records.actions.values():
            self._terminate(action)
        for name, effects in self.effects.items():
            action = self.records.actions[name]
            self._acts.append(Act(action.event_time, name, effects, self._macro(action), action.sequence))
        self._acts.append(Act(_FIRST, "", [], orders=self._orders(), start=_FIRST))
        return self._acts

    def reconcile(self, painter: Painter) -> None:
        """What the painter shows must be what the document states; faults become findings."""
        for name, stated in self._terminates.items():
            self._reconcile_action(name, stated, painter)
        for name, (start, until) in self.intervals.items():
            self._reconcile_interval(name, start, until, painter)
        for name, ender in self.enders.items():
            self._report_parts_left(name, ender, painter)
        for action in self.records.actions.values():
            for source in action.sources:
                if source in self.records.versions:
                    continue
                if self.records.info.overlays is not None:
                    self.records.externals.setdefault(source, self.places.get(action.id, ""))
                else:
                    severity: Severity = "violation" if self.records.info.complete else "warning"
                    message = f"'sourceVersionIds' of {action.id!r} names a version that is not there."
                    place = self.places.get(action.id, "")
                    self.records.report(severity, "UNKNOWN_SOURCE", message, source, place)

    def _reconcile_action(self, name: str, stated: list[str], painter: Painter) -> None:
        ended = painter.ended.get(name, [])
        for version in ended:
            stays = self._ends(name, version, painter)
            if stays and version not in stated and version not in painter.derived:
                self._fault(
                    "IMPLICIT_TERMINATION",
                    f"{name!r} takes effect while this version is in force and does not say that it ends it.",
                    version,
                )
        for version in stated:
            if version in ended or self._ends(name, version, painter):
                continue
            item = self.records.versions[version].item
            successor = next((other for other in ended if self.records.versions[other].item == item), None)
            if successor is None:
                self._fault(
                    "TERMINATES_NOT_IN_FORCE",
                    f"{name!r} ends this version, which was not in force for an observer just before it.",
                    version,
                )
                continue
            # A part had changed meanwhile: what ends is the derived successor of the stated version.
            ending = self.records.actions[name].terminates
            ending[ending.index(version)] = successor
            message = f"{name!r} ends {successor!r}, which continues it."
            self.records.report("info", "TERMINATES_DERIVED", message, version)

    def _report_parts_left(self, name: str, ender: str, painter: Painter) -> None:
        """A whole that ended lives on where its parts did not end: law, perhaps, or a slip of the source."""
        version, until = self.records.versions[name], self.intervals[name][1]
        left = painter.seen(version.item, until) if until is not None else None
        if (
            version.kind != "interpretive"
            and left in painter.derived
            and left in self.records.actions[ender].produces
        ):
            message = f"{ender!r} ends it, but not all of its parts: {left!r} holds those that stay."
            self.records.report("warning", "PARTS_REMAIN", message, name, self.places.get(name, ""))

    def _painted(self, name: str, painter: Painter) -> Interval | None:
        """The interval of a version as the painter left it."""
        version = self.records.versions[name]
        lane = name if version.kind == "interpretive" else ""
        return painter.interval(version.item, lane, name)

    def _ends(self, action: str, version: str, painter: Painter) -> bool:
        """Whether an action set the end of a version for the newest observer."""
        painted = self._painted(version, painter)
        return painted is not None and painted.ended_by == action

    def _reconcile_interval(self, name: str, start: Instant, until: Instant | None, painter: Painter) -> None:
        painted = self._painted(name, painter)
        wanted = (start, max(start, until) if until is not None else OPEN)
        if painted is not None and painted[:2] == wanted:
            return
        whole = painter.has_parts(self.records.versions[name].item)
        if painted is not None and whole and painted[0] == start and painted[1] <= wanted[1]:
            return  # a container's version ends when a part changes
        shown = f"{painted[0]} to {painted[1]}" if painted is not None else "nothing"
        self._fault(
            "INTERVAL_MISMATCH",
            f"The document states {wanted[0]} to {wanted[1]}; its actions give {shown}.",
            name,
        )

    def _fault(self, code: str, message: str, subject: str) -> None:
        self.records.report("violation", code, message, subject, self.places.get(subject, ""))

    def _join(self) -> None:
        """Both directions of each link say the same thing, or one of them is silent."""
        for action in self.records.actions.values():
            for name in action.produces:
                version = self.records.versions[name]
                if version.produced_by not in (None, action.id):
                    self._fault(
                        "PRODUCER_CONFLICT", f"Produced by {action.id!r} and {version.produced_by!r}.", name
                    )
                version.produced_by = action.id
            for name in action.terminates:
                if self.enders.setdefault(name, action.id) != action.id:
                    self._fault(
                        "TERMINATOR_CONFLICT", f"Ended by {action.id!r} and {self.enders[name]!r}.", name
                    )
        for name, ender in self.enders.items():
            action = self.records.actions[ender]
            if name not in action.terminates:
                action.terminates.append(name)
        for version in self.records.versions.values():
            if version.produced_by is not None:
                action = self.records.actions[version.produced_by]
                if version.id not in action.produces:
                    action.produces.append(version.id)

    def _produce(self, version: VersionRecord) -> None:
        start, until = self.intervals[version.id]
        action = self.records.actions[version.produced_by] if version.produced_by is not None else None
        if action is not None and action.validity is not None and action.validity[0] not in (None, start):
            self._fault(
                "START_CONFLICT",
                f"Starts at {start}, but the producing action {action.id!r} takes effect at "
                f"{action.validity[0]}.",
                version.id,
            )
            return
        lane = version.id if version.kind == "interpretive" else ""
        stated: Instant | None = None
        if until is not None and until <= start and version.id in self.enders:
            pass  # covered on the day it began: its end is painted by the action that ends it
        elif until is not None and until <= start:
            stated = start
            if until < start:
                self.records.report(
                    "warning",
                    "INTERVAL_STILLBORN",
                    f"Ends at {until}, before it starts at {start}: loaded as never in force.",
                    version.id,
                    self.places.get(version.id, ""),
                )
        elif until is not None and version.id not in self.enders:
            if action is not None and action.validity is not None and action.validity[1] == until:
                stated = until
            else:
                self._expire(version, lane, until)
        effect = Effect(
            version.item,
            version.id,
            start,
            stated,
            version.produced_by,
            lane,
            self.applicability.get(version.id),
        )
        if action is not None:
            self.effects[action.id].append(effect)
        else:
            self._acts.append(Act(start, version.id, [effect]))

    def _expire(self, version: VersionRecord, lane: str, until: Instant) -> None:
        """An end that no action explains: known from the end itself."""
        followed = any(
            other.item == version.item
            and other.kind != "interpretive"
            and self.intervals[other.id][0] == until
            for other in self.records.versions.values()
        )
        if followed and not lane:
            return  # the next version paints it over
        self.records.report(
            "info",
            "END_ASSUMED_KNOWN",
            f"No action explains the end at {until}: taken as known from that instant.",
            version.id,
            self.places.get(version.id, ""),
        )
        self._acts.append(Act(until, f"{version.id} end", [Effect(version.item, None, until, lane=lane)]))

    def _terminate(self, action: ActionRecord) -> None:
        replaced = {
            self.records.versions[name].item
            for name in action.produces
            if self.records.versions[name].kind != "interpretive"
        }
        effect_start = action.validity[0] if action.validity is not None else None
        for name in action.terminates:
            version = self.records.versions[name]
            lane = name if version.kind == "interpretive" else ""
            if not lane and version.item in replaced:
                continue  # painted over by the version that takes its place
            start = effect_start or action.event_time
            self.effects[action.id].append(Effect(version.item, None, start, None, action.id, lane))

    def _macro(self, action: ActionRecord) -> str:
        while action.parent is not None:
            action = self.records.actions[action.parent]
        return action.id

    def _orders(self) -> dict[str, tuple[str, ...]]:
        children: dict[str, list[str]] = defaultdict(list)
        for item in self.records.items.values():
            if item.parent is not None:
                children[item.parent].append(item.id)
        return {parent: tuple(sorted(items, key=natural_key)) for parent, items in children.items()}
