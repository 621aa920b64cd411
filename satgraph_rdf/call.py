"""A call: who asks, what is known of it while it runs, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import NamedNode

from satgraph_rdf.binding import Value
from satgraph_rdf.primitive import Primitive
from satgraph_rdf.terms import Instant


@dataclass(frozen=True)
class Caller:
    """Who asks, and the named graphs granted to them."""

    id: str
    graphs: tuple[NamedNode, ...]


@dataclass(frozen=True)
class Answer:
    """What a call returns. ``body`` is the JSON text whose hash the record holds."""

    value: Any
    body: bytes
    revision: str
    record: str
    at: str | None = None
    observer_time: str | None = None
    missing: int | None = None


@dataclass
class Call:
    """What is known of a call so far; its record is made of this, however it ends.

    ``values`` and ``terms`` are the checked inputs by parameter name; ``arguments`` the same by wire name
    and as JSON, with defaults filled, as the record shows them.
    """

    primitive: Primitive
    graphs: tuple[NamedNode, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    terms: dict[str, Value] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    ids: Sequence[str] = ()
    missing: int | None = None

    @property
    def moment(self) -> str:
        """The instant that chooses between several stretches of applicability."""
        at = self.values.get("at")
        return str(at if isinstance(at, Instant) else self.values.get("observer_time", ""))

    @property
    def subject(self) -> str:
        """The IRI of the entity in the path."""
        use = self.primitive.subject
        term = self.terms[use.param.name] if use is not None else None
        return term.value if isinstance(term, NamedNode) else ""
