"""Acts as the painter takes them: what was done, known when, painted where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from satgraph_rdf.terms import Instant


@dataclass(slots=True)
class Effect:
    """What one act paints on one item: ``version``, or nothing where it is None.

    ``lane`` is empty for the structural timeline, else the id of the interpretive version whose own
    timeline is painted. ``until`` is None where the act states no end.
    """

    item: str
    version: str | None
    start: Instant
    until: Instant | None = None
    action: str | None = None
    lane: str = ""
    applicability: tuple[Instant, Instant | None] | None = None


@dataclass(slots=True)
class Act:
    """Effects that became known together, and the order of parts they leave behind.

    ``macro`` produces the container versions. ``orders`` gives, for each container whose list of
    parts changes, the items it lists from ``start`` on, in document order.
    """

    known: Instant
    key: str
    effects: list[Effect]
    macro: str | None = None
    sequence: int = 1
    start: Instant | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
