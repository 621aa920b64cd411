"""Two structural versions of one item in force at one instant for one observer.

The shape's query compares every pair of statements of an item: 23 million pairs and seven seconds for
an item with 2,400 versions. This sweep through the knowledge of observers finds the same pairs at a
cost of n log n while the data is right. ``tests/test_gate.py`` holds both to the same verdicts.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pyoxigraph import NamedNode

from satgraph_rdf.store import Rows
from satgraph_rdf.terms import chronological


class Stretch(NamedTuple):
    """A version's interval as some observers see it; sorts by its start."""

    start: str
    until: str
    version: str
    known_from: str
    known_until: str


def overlaps(rows: Rows) -> list[tuple[NamedNode, NamedNode]]:
    """The pairs of versions that overlap, the lesser IRI first. Rows: ``structural_intervals.rq``."""
    items: dict[str, list[Stretch]] = defaultdict(list)
    for item, version, *bounds in rows.rows:
        start, until, known_from, known_until = (chronological(_text(bound)) for bound in bounds)
        if start < until and known_from < known_until:
            stretch = Stretch(start, until, _text(version), known_from, known_until)
            items[_text(item)].append(stretch)
    pairs = {pair for stretches in items.values() if len(stretches) > 1 for pair in _sweep(set(stretches))}
    return [(NamedNode(first), NamedNode(second)) for first, second in sorted(pairs)]


def _text(cell: object) -> str:
    return str(getattr(cell, "value", cell))


def _sweep(stretches: Iterable[Stretch]) -> Iterator[tuple[str, str]]:
    """Follow one item's knowledge: what ends being known leaves before what begins to be known enters."""
    events = [(s.known_from, 1, s) for s in stretches] + [(s.known_until, 0, s) for s in stretches]
    events.sort()
    # What is known now: stretches that do not overlap, by start, and beside them those that do.
    apart: list[Stretch] = []
    others: list[Stretch] = []
    for _, entering, stretch in events:
        if not entering:
            if stretch in others:
                others.remove(stretch)
            else:
                del apart[bisect_left(apart, stretch)]
            continue
        met = [
            *_met(apart, stretch),
            *(o for o in others if o.start < stretch.until and stretch.start < o.until),
        ]
        for other in met:
            if other.version != stretch.version:
                first, second = sorted((other.version, stretch.version))
                yield first, second
        if met:
            others.append(stretch)
        else:
            insort(apart, stretch)


def _met(apart: list[Stretch], stretch: Stretch) -> Iterator[Stretch]:
    """The stretches, apart from each other, that this one overlaps: they are neighbours."""
    place = bisect_left(apart, stretch)
    if place and apart[place - 1].until > stretch.start:
        yield apart[place - 1]
    while place < len(apart) and apart[place].start < stretch.until:
        yield apart[place]
        place += 1
