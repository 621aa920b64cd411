"""One item's valid time as acts paint it, and what observers may know of it.

Rules: two-clocks, "Painting" and "Interval statements". Intervals are half-open; a :class:`Timeline`
never holds two segments that overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from satgraph_rdf.ingest.model import Statement
from satgraph_rdf.terms import OPEN, Instant


class Segment(NamedTuple):
    """A stretch of valid time that shows one version."""

    start: Instant
    until: Instant
    version: str


class Region(NamedTuple):
    """A stretch of valid time where what is seen has changed."""

    start: Instant
    until: Instant


class Interval(NamedTuple):
    """A version's interval as now known, and the action that set its end."""

    start: Instant
    until: Instant
    ended_by: str | None


Remainder = Callable[[str, Instant], str]
"""Makes the version that continues a given one from an instant, and returns its id."""


def keep(version: str, _start: Instant) -> str:
    """The remainder rule of applicability: no version is made for a hole."""
    return version


@dataclass(slots=True)
class Timeline:
    """Segments of valid time, sorted."""

    segments: list[Segment] = field(default_factory=list)

    def at(self, instant: Instant) -> str | None:
        """The version seen at an instant."""
        for segment in reversed(self.segments):
            if segment.start <= instant:
                return segment.version if instant < segment.until else None
        return None

    def next_start(self, instant: Instant) -> Instant:
        """Where the next later version starts; the open end if there is none."""
        return next((segment.start for segment in self.segments if segment.start > instant), OPEN)

    def within(self, start: Instant, until: Instant) -> Iterable[Segment]:
        """The segments that overlap an interval."""
        return (segment for segment in self.segments if segment.start < until and segment.until > start)

    def paint(
        self, start: Instant, until: Instant, version: str | None, remainder: Remainder
    ) -> tuple[list[Segment], list[Segment]]:
        """Paint ``[start, until)``; return the segments overlapped and the right remainders made.

        A left remainder keeps its version. A right remainder keeps it if there is no left one;
        otherwise ``remainder`` names the version that continues it.
        """
        if start >= until:  # never in force: nothing is painted, nothing is cut
            return [], []
        kept: list[Segment] = []
        overlapped: list[Segment] = []
        continued: list[Segment] = []
        for segment in self.segments:
            if segment.until <= start or segment.start >= until:
                kept.append(segment)
                continue
            overlapped.append(segment)
            left, right = segment.start < start, segment.until > until
            if left:
                kept.append(Segment(segment.start, start, segment.version))
            if right:
                name = remainder(segment.version, until) if left else segment.version
                rest = Segment(until, segment.until, name)
                kept.append(rest)
                if name != segment.version:
                    continued.append(rest)
        if version is not None:
            kept.append(Segment(start, until, version))
        kept.sort()
        self.segments = kept
        return overlapped, continued


@dataclass(slots=True)
class Lane:
    """Validity and applicability of one item's structural versions, or of one interpretive version.

    ``applicability`` is None as long as it coincides with validity, which is the rule.
    """

    item: str
    validity: Timeline = field(default_factory=Timeline)
    applicability: Timeline | None = None
    intervals: dict[str, Interval] = field(default_factory=dict)
    applicable_ends: dict[tuple[str, Instant], str | None] = field(default_factory=dict)
    dirty: dict[str, str | None] = field(default_factory=dict)

    def paint(
        self,
        start: Instant,
        until: Instant,
        version: str | None,
        action: str | None,
        remainder: Remainder,
        applicability: tuple[Instant, Instant] | None = None,
        ender: Callable[[str], str | None] = lambda _version: None,
    ) -> tuple[list[Region], list[str]]:
        """Paint both timelines; return the regions that changed and the versions cut or covered.

        ``ender`` names the producer of a later version that bounds the painted one.
        """
        if applicability is not None and self.applicability is None:
            self.applicability = Timeline(list(self.validity.segments))
        overlapped, continued = self.validity.paint(start, until, version, remainder)
        enders = {segment.until: self.intervals[segment.version].ended_by for segment in overlapped}
        for segment in overlapped:
            self._cut(segment, start, until, action)
        for rest in continued:
            self.intervals[rest.version] = Interval(rest.start, rest.until, enders[rest.until])
            self.dirty[rest.version] = action
        if version is not None:
            painted = Segment(start, until, version)
            ended_by = self._ended_by(painted, ender)
            # An end that the act itself states is nobody's termination (temporary law).
            self.intervals[version] = Interval(start, until, ended_by if ended_by != action else None)
            self.dirty[version] = action
        if self.applicability is not None:
            a_start, a_until = applicability if applicability is not None else (start, until)
            cut, _ = self.applicability.paint(a_start, a_until, version, keep)
            for segment in cut:
                self.applicable_ends[segment.version, a_start] = action
                self.dirty.setdefault(segment.version, action)
        regions = [Region(start, until)] if start < until else []
        regions.extend(Region(rest.start, rest.until) for rest in continued)
        return regions, [segment.version for segment in overlapped]

    def _cut(self, segment: Segment, start: Instant, until: Instant, action: str | None) -> None:
        if segment.start < start:
            interval = Interval(segment.start, start, action)
        elif segment.until > until:
            interval = Interval(until, segment.until, self.intervals[segment.version].ended_by)
        else:
            interval = Interval(segment.start, segment.start, action)
        self.intervals[segment.version] = interval
        self.dirty[segment.version] = action

    def _ended_by(self, segment: Segment, ender: Callable[[str], str | None]) -> str | None:
        """Who set the end of a newly painted segment: the producer of the version that follows it."""
        if segment.until in {OPEN, segment.start}:
            return None
        follower = self.validity.at(segment.until)
        return ender(follower) if follower is not None else None

    def statements(
        self, version: str, placeholder: bool
    ) -> list[tuple[Instant, Instant, bool, bool, str | None]]:
        """What is now known of a version: (start, until, validity, applicability, ended by)."""
        interval = self.intervals[version]
        if placeholder:
            return [(interval.start, interval.start, True, True, None)]
        if self.applicability is None:
            return [(interval.start, interval.until, True, True, interval.ended_by)]
        pieces = [s for s in self.applicability.segments if s.version == version]
        if [(s.start, s.until) for s in pieces] == [(interval.start, interval.until)]:
            return [(interval.start, interval.until, True, True, interval.ended_by)]
        known: list[tuple[Instant, Instant, bool, bool, str | None]] = [
            (interval.start, interval.until, True, False, interval.ended_by)
        ]
        for piece in pieces:
            ended = self.applicable_ends.get((version, piece.until))
            known.append((piece.start, piece.until, False, True, ended))
        return known


@dataclass(slots=True)
class Ledger:
    """The interval statements, closed and reopened as knowledge grows (never rewritten)."""

    closed: list[Statement] = field(default_factory=list)
    current: dict[str, list[Statement]] = field(default_factory=dict)

    def record(
        self,
        lane: Lane,
        asserted: dict[str, str | None],
        known: Instant,
        producers: dict[str, str | None],
        hidden: set[str],
    ) -> None:
        """Bring the statements of a lane's changed versions up to the instant ``known``."""
        for version, action in asserted.items():
            wanted = lane.statements(version, version in hidden)
            kept: list[Statement] = []
            for statement in self.current.get(version, ()):
                key = (
                    statement.start,
                    statement.until,
                    statement.validity,
                    statement.applicability,
                    statement.ended_by,
                )
                if key in wanted:
                    wanted.remove(key)
                    kept.append(statement)
                elif statement.known_from < known:  # else nobody ever saw it: not written
                    statement.known_until = known
                    self.closed.append(statement)
            for start, until, validity, applicability, ended_by in wanted:
                kept.append(
                    Statement(
                        version,
                        lane.item,
                        start,
                        until,
                        known,
                        OPEN,
                        validity,
                        applicability,
                        producers.get(version),
                        ended_by,
                        action,
                    )
                )
            self.current[version] = kept
        lane.dirty.clear()

    def all(self) -> list[Statement]:
        """Every statement, in a total order."""
        statements = self.closed + [s for group in self.current.values() for s in group]
        statements.sort(key=lambda s: (s.version, s.known_from, s.start, s.until, s.validity))
        return statements
