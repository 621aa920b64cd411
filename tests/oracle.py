"""The independent oracle of valid time: the last painter that covers the instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DAYS = 12
FOREVER = 10_000


@dataclass(frozen=True)
class Paint:
    """One act on one item: known from a day, painting [start, until) with a version or with nothing."""

    known: int
    start: int
    until: int | None
    version: bool


def effective(paints: Sequence[Paint]) -> list[tuple[Paint, int]]:
    """Each paint in order of application, with the end it has where it states none."""
    done: list[tuple[Paint, int]] = []
    for paint in sorted(paints, key=lambda p: p.known):
        until = FOREVER if paint.until is None else paint.until
        if paint.until is None and paint.version:
            # A version is superseded by the next later one that was known just before it.
            starts = (
                day
                for day in range(paint.start + 1, 4 * DAYS)
                if seen(done, day) is not None and seen(done, day) != seen(done, day - 1)
            )
            until = next(starts, FOREVER)
        done.append((paint, until))
    return done


def seen(done: Sequence[tuple[Paint, int]], day: int, observer: int = FOREVER) -> int | None:
    """The index of the paint that an observer sees on a day, None for nothing."""
    covering = [n for n, (p, until) in enumerate(done) if p.known <= observer and p.start <= day < until]
    return covering[-1] if covering and done[covering[-1]][0].version else None
