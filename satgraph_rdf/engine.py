"""The life of a call: validate, default, bind, query, fold, record.

Every facade enters through :meth:`Engine.run`; there is no other way to the store.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pyoxigraph import NamedNode
from ulid import ULID

from satgraph_rdf.absence import Absence
from satgraph_rdf.audit.record import Record, Sink
from satgraph_rdf.binding import Value, term_of
from satgraph_rdf.errors import InvalidDateRange, InvalidParameter, MissingParameter, SatGraphError
from satgraph_rdf.params import MAX_BATCH
from satgraph_rdf.primitive import Primitive, default_value
from satgraph_rdf.registry import Registry
from satgraph_rdf.results import MODELS, Fold, reorder
from satgraph_rdf.store import Rows, Store
from satgraph_rdf.structure import chain, component_orders, document, hierarchy, lineage
from satgraph_rdf.terms import IdSpace, Instant

_RANGES = (("start_at", "end_at"), ("start_time", "end_time"))


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
class _Call:
    """What is known of a call so far; the record is made of it, however the call ends."""

    arguments: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    ids: Sequence[str] = ()
    missing: int | None = None


def wall_clock() -> Instant:
    """The clock of the edge: now, in UTC."""
    return Instant(datetime.now(UTC))


class Engine:
    """Runs primitives on one revision of one store."""

    def __init__(
        self,
        registry: Registry,
        store: Store,
        space: IdSpace,
        sink: Sink,
        clock: Callable[[], Instant] = wall_clock,
        legal_clock: Callable[[Instant], Instant] = lambda now: now,
    ) -> None:
        self.registry = registry
        self.store = store
        self.space = space
        self._sink = sink
        self._clock = clock
        self._legal_clock = legal_clock
        self._absence = Absence(self._ask)
        self._ids: dict[str, str] = {}
        self._folds = {
            primitive.name: Fold(MODELS[primitive.returns], primitive.variables)
            for primitive in registry
            if primitive.returns in MODELS
        }
        self._calls = 0
        self._idle = threading.Condition()

    def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        door: str = "python",
        parent: str | None = None,
        trace: str | None = None,
    ) -> Answer:
        """Run a primitive with outside values (by wire name), on behalf of a caller.

        Returns the answer with the instants used; raises :class:`SatGraphError`. One audit record
        is written before this returns or raises.
        """
        primitive = self.registry[name]
        now = self._clock()

        def answer(call: _Call) -> Any:
            values = self._values(primitive, arguments, now, call)
            return self._answer(primitive, values, caller, call)

        return self._recorded(primitive, answer, caller, door, parent, trace, now)

    def _recorded(
        self,
        primitive: Primitive,
        work: Callable[[_Call], Any],
        caller: Caller,
        door: str,
        parent: str | None,
        trace: str | None,
        now: Instant | None = None,
    ) -> Answer:
        """Do the work of one call and write its record, however it ends."""
        started = time.perf_counter()
        now = now or self._clock()
        record, call = str(ULID.from_datetime(now.at)), _Call()
        result: str | None = None
        error: str | None = None
        with self._idle:
            self._calls += 1
        try:
            value = work(call)
            body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
            result = hashlib.sha256(body).hexdigest()
            at, observer = (call.arguments.get(wire) for wire in ("at", "observerTime"))
            return Answer(value, body, self.store.revision, record, at, observer, call.missing)
        except SatGraphError as fault:
            error = fault.code
            raise
        except Exception:
            error = "INTERNAL_ERROR"
            raise
        finally:
            self._sink.write(
                Record(
                    id=record,
                    parent=parent,
                    trace=trace or record,
                    time=str(now),
                    door=door,
                    caller=caller.id,
                    primitive=primitive.operation_id,
                    query=primitive.identity,
                    args=call.arguments,
                    revision=self.store.revision,
                    graphs=[graph.value for graph in caller.graphs],
                    rows=call.rows,
                    ids=call.ids,
                    scores=None,
                    result=result,
                    error=error,
                    ms=round((time.perf_counter() - started) * 1000, 3),
                )
            )
            with self._idle:
                self._calls -= 1
                self._idle.notify_all()

    def refuse(self, name: str, fault: SatGraphError, caller: Caller, door: str) -> None:
        """Record a call that its door could not read, so that every call leaves a record."""

        def unreadable(_call: _Call) -> Any:
            raise fault

        self._recorded(self.registry[name], unreadable, caller, door, None, None)

    def show(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The exact query text that :meth:`run` would send."""
        primitive = self.registry[name]
        values = self._values(primitive, arguments, self._clock(), _Call())
        return primitive.template.bind(self._terms(primitive, values))

    def drain(self, seconds: float) -> bool:
        """Wait until no call is in flight; False if some still are after ``seconds``."""
        with self._idle:
            return self._idle.wait_for(lambda: self._calls == 0, seconds)

    # Steps -------------------------------------------------------------------------------------

    def _values(
        self, primitive: Primitive, arguments: Mapping[str, Any], now: Instant, call: _Call
    ) -> dict[str, Any]:
        """Checked values of all inputs; the record's arguments, with every default filled."""
        known = {use.param.wire for use in primitive.uses}
        if unknown := sorted(set(arguments) - known):
            accepted = ", ".join(sorted(known))
            raise InvalidParameter(
                f"Unknown parameter {unknown[0]!r}; {primitive.operation_id} takes {accepted}."
            )
        values: dict[str, Any] = {}
        for use in primitive.uses:
            given = arguments.get(use.param.wire)
            if given is not None:
                value = use.param.check(given)
            elif use.required:
                raise MissingParameter(f"'{use.param.wire}' is required: {use.param.doc}")
            else:
                value = default_value(use, self._legal_clock(now) if use.default == "now" else now)
            values[use.param.name] = value
            if given is not None or use.filled:
                call.arguments[use.param.wire] = str(value) if isinstance(value, Instant) else value
        for start, until in _RANGES:
            if isinstance(values.get(start), Instant) and values[until] < values[start]:
                raise InvalidDateRange(
                    f"The interval ends ({values[until]}) before it starts ({values[start]})."
                )
        return values

    def _terms(self, primitive: Primitive, values: Mapping[str, Any]) -> dict[str, Value]:
        return {
            use.param.name: term_of(use.param, values[use.param.name], self.space) for use in primitive.uses
        }

    def _answer(self, primitive: Primitive, values: dict[str, Any], caller: Caller, call: _Call) -> Any:
        terms = self._terms(primitive, values)
        rows = self.store.select(primitive.template.bind(terms), caller.graphs)
        call.rows = len(rows.rows)
        value = self._fold(primitive, rows, values, terms, caller.graphs, call)
        if not value:
            value = self._absence.explain(primitive, values, terms, caller.graphs, value)
        call.ids = _ids(value)
        return value

    def _fold(
        self,
        primitive: Primitive,
        rows: Rows,
        values: dict[str, Any],
        terms: Mapping[str, Value],
        graphs: Sequence[NamedNode],
        call: _Call,
    ) -> Any:
        if primitive.returns == "Document":
            at, observer = str(values["at"]), str(values["observer_time"])
            return document(rows, self._id, values["language"], at, observer)
        if primitive.returns == "id":
            subject = primitive.subject
            root = terms[subject.param.name].value if subject is not None else ""  # type: ignore[union-attr]
            return hierarchy(rows, self._id, root, values["depth"], values["order"])
        if primitive.hydrate:
            return self._hydrate(primitive, rows, values, terms, graphs, call)
        entities = self._folds[primitive.name](rows, self._id, self._moment(values))
        if not primitive.many:
            return entities[0] if entities else None
        return self._arrange(primitive, rows, entities, terms, call)

    @staticmethod
    def _moment(values: Mapping[str, Any]) -> str:
        """The instant that chooses between several stretches of applicability."""
        at = values.get("at")
        return str(at if isinstance(at, Instant) else values.get("observer_time", ""))

    def _hydrate(
        self,
        primitive: Primitive,
        rows: Rows,
        values: dict[str, Any],
        terms: Mapping[str, Value],
        graphs: Sequence[NamedNode],
        call: _Call,
    ) -> Any:
        """Read the entities that a query found, at most 1,000 a query, in the order found."""
        hydrator = self.registry[primitive.hydrate]
        key = rows.variables.index("id")
        found = list(dict.fromkeys(row[key] for row in rows.rows))
        entities: list[dict[str, Any]] = []
        for start in range(0, len(found), MAX_BATCH):
            chunk: list[Any] = found[start : start + MAX_BATCH]
            text = hydrator.template.bind({**terms, "ids": chunk})
            answer = self.store.select(text, graphs)
            entities.extend(self._folds[hydrator.name](answer, self._id, self._moment(values)))
        entities = reorder(entities, "id", [self._id(node.value) for node in found])  # type: ignore[union-attr]
        return self._arrange(primitive, rows, entities, terms, call)

    def _arrange(
        self,
        primitive: Primitive,
        rows: Rows,
        entities: list[dict[str, Any]],
        terms: Mapping[str, Value],
        call: _Call,
    ) -> list[dict[str, Any]]:
        """Put entities in the order that the header declares."""
        match primitive.order:
            case ("input", name, key):
                asked = [self._id(term.value) for term in terms[name]]  # type: ignore[union-attr]
                call.missing = len(set(asked) - {entity[key] for entity in entities})
                return reorder(entities, key, asked)
            case ("components",):
                orders = list(component_orders(rows, self._id).values())
                return reorder(entities, "itemId", orders[0] if orders else [])
            case ("chain",):
                return chain(entities, component_orders(rows, self._id))
            case ("lineage",):
                return lineage(entities)
        return entities

    def _id(self, node: str) -> str:
        name = self._ids.get(node)
        if name is None:
            if len(self._ids) > 1_000_000:
                self._ids.clear()
            name = self._ids[node] = self.space.id(node)
        return name

    def _ask(
        self, name: str, values: Mapping[str, Value], graphs: Sequence[NamedNode]
    ) -> list[dict[str, str]]:
        """A fixed internal query as rows of plain text (ids for IRIs)."""
        primitive = self.registry.internal[name]
        rows = self.store.select(primitive.template.bind(values), graphs)
        return [
            {
                variable: self._id(cell.value) if isinstance(cell, NamedNode) else cell.value
                for variable, cell in zip(rows.variables, row, strict=True)
                if cell is not None
            }
            for row in rows.rows
        ]


def _ids(value: Any) -> list[str]:
    """The ids of what was returned, the first 1,000, for the record."""
    if isinstance(value, dict):
        return [value["versionId"] if "rows" in value else value["id"]]
    return [entry if isinstance(entry, str) else entry["id"] for entry in value[:1000]]
