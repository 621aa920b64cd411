"""Metadata as plain triples: each scalar of a JSON value, so that filters are plain patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyoxigraph import Literal


def scalars(metadata: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each scalar of a JSON value with its key path: nested keys joined by a dot, arrays element-wise.

    A dot or other separator inside a key is percent-encoded, so that a path has one reading.
    """
    if isinstance(metadata, dict):
        for key, value in metadata.items():
            step = "".join(
                c if c.isalnum() or c in "-_" else "".join(f"%{b:02X}" for b in c.encode()) for c in key
            )
            yield from scalars(value, f"{path}.{step}" if path else step)
    elif isinstance(metadata, list):
        for value in metadata:
            yield from scalars(value, path)
    elif metadata is not None and path:
        yield path, metadata


def literal(value: Any) -> Literal:
    """A JSON scalar as a literal of its own type."""
    if isinstance(value, bool):
        return Literal(value)
    if isinstance(value, int | float):
        return Literal(value)
    return Literal(str(value))
