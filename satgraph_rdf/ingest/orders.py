"""Which parts a whole lists, in which order, on which stretch of valid time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise

from satgraph_rdf.ingest.timeline import Region, Timeline, keep
from satgraph_rdf.terms import OPEN, Instant

Parts = tuple[tuple[str, str], ...]
"""(item id, version id) in document order"""


class Orders:
    """The lists of parts of all wholes of a source, painted by acts like everything else."""

    def __init__(self) -> None:
        self._timelines: dict[str, Timeline] = {}
        self._values: list[tuple[str, ...]] = []
        self._wholes: dict[str, set[str]] = defaultdict(set)

    def paint(self, whole: str, start: Instant, order: tuple[str, ...]) -> None:
        """From ``start`` on a whole lists these parts."""
        timeline = self._timelines.setdefault(whole, Timeline())
        timeline.paint(start, OPEN, str(len(self._values)), keep)
        self._values.append(order)
        for item in order:
            self._wholes[item].add(whole)

    def lists(self, item: str) -> bool:
        """Whether an item ever lists parts."""
        return item in self._timelines

    def wholes(self, item: str) -> set[str]:
        """The items that ever list an item among their parts."""
        return self._wholes.get(item, set())

    def composition(self, whole: str, instant: Instant, seen: Callable[[str, Instant], str | None]) -> Parts:
        """The parts seen at an instant, in the order then in force."""
        timeline = self._timelines.get(whole)
        name = timeline.at(instant) if timeline is not None else None
        if name is None:
            return ()
        parts = ((item, seen(item, instant)) for item in self._values[int(name)])
        return tuple((item, version) for item, version in parts if version is not None)

    def stretches(
        self, whole: str, regions: Iterable[Region], validity: Callable[[str], Timeline]
    ) -> Iterable[Region]:
        """The regions cut wherever the whole, its order or one of its parts changes."""
        own = self._timelines[whole]
        items = {item for segment in own.segments for item in self._values[int(segment.version)]}
        timelines = [validity(whole), own, *(validity(item) for item in items)]
        edges: set[Instant] = set()
        for region in regions:
            edges.update(region)
            for timeline in timelines:
                for segment in timeline.within(*region):
                    edges.update(edge for edge in segment[:2] if region.start < edge < region.until)
        for start, until in pairwise(sorted(edges)):
            if any(region.start <= start and until <= region.until for region in regions):
                yield Region(start, until)
