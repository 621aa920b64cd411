"""The life of a call: validate, default, bind, query, fold, record.

Every facade enters through :meth:`Engine.run`; there is no other way to the store.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyoxigraph import NamedNode
from ulid import ULID

from satgraph_rdf.absence import Absence
from satgraph_rdf.audit.record import Record, Sink
from satgraph_rdf.binding import Value, term_of
from satgraph_rdf.call import Answer, Call, Caller
from satgraph_rdf.errors import InvalidDateRange, InvalidParameter, MissingParameter, SatGraphError
from satgraph_rdf.params import MAX_BATCH
from satgraph_rdf.primitive import Primitive, default_value
from satgraph_rdf.registry import Registry
from satgraph_rdf.results import MODELS, Fold, reorder
from satgraph_rdf.store import Rows, Store
from satgraph_rdf.structure import chain, component_orders, document, hierarchy, lineage
from satgraph_rdf.terms import IdSpace, Instant

_RANGES = (("start_at", "end_at"), ("start_time", "end_time"))


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

        def answer(call: Call) -> Any:
            self._prepare(call, arguments, now)
            return self._answer(call)

        return self._recorded(primitive, answer, caller, door, parent, trace, now)

    def _recorded(
        self,
        primitive: Primitive,
        work: Callable[[Call], Any],
        caller: Caller,
        door: str,
        parent: str | None,
        trace: str | None,
        now: Instant | None = None,
    ) -> Answer:
        """Do the work of one call and write its record, however it ends."""
        started = time.perf_counter()
        now = now or self._clock()
        record, call = str(ULID.from_datetime(now.at)), Call(primitive, caller.graphs)
        result: str | None = None
        error: str | None = None
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

    def refuse(self, name: str, fault: SatGraphError, caller: Caller, door: str) -> None:
        """Record a call that its door could not read, so that every call leaves a record."""

        def unreadable(_call: Call) -> Any:
            raise fault

        self._recorded(self.registry[name], unreadable, caller, door, None, None)

    def show(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The exact query text that :meth:`run` would send."""
        return self._shown(name, arguments)[0]

    def show_reader(self, name: str, arguments: Mapping[str, Any]) -> str | None:
        """The query that then reads the entities, its ``$ids`` still open; None where there is none."""
        return self._shown(name, arguments)[1]

    def _shown(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, str | None]:
        call = Call(self.registry[name])
        self._prepare(call, arguments, self._clock())
        reader = self.registry[call.primitive.hydrate] if call.primitive.hydrate else None
        second = reader.template.with_open("ids").bind(call.terms) if reader is not None else None
        return call.primitive.template.bind(call.terms), second

    # Steps -------------------------------------------------------------------------------------

    def _prepare(self, call: Call, arguments: Mapping[str, Any], now: Instant) -> None:
        """Check all inputs and fill every default; the clock was read once."""
        primitive, values = call.primitive, call.values
        known = {use.param.wire for use in primitive.uses}
        if unknown := sorted(set(arguments) - known):
            accepted = ", ".join(sorted(known))
            raise InvalidParameter(
                f"Unknown parameter {unknown[0]!r}; {primitive.operation_id} takes {accepted}."
            )
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
        for use in primitive.uses:
            call.terms[use.param.name] = term_of(use.param, values[use.param.name], self.space)

    def _answer(self, call: Call) -> Any:
        rows = self.store.select(call.primitive.template.bind(call.terms), call.graphs)
        call.rows = len(rows.rows)
        value = self._fold(call, rows) or self._absence.explain(call)
        call.ids = _ids(value)
        return value

    def _fold(self, call: Call, rows: Rows) -> Any:
        primitive, values = call.primitive, call.values
        if primitive.returns == "Document":
            at, observer = str(values["at"]), str(values["observer_time"])
            return document(rows, self._id, values["language"], at, observer)
        if primitive.returns == "id":
            return hierarchy(rows, self._id, call.subject, values["depth"], values["order"])
        if primitive.hydrate:
            return self._arrange(call, rows, self._hydrate(call, rows))
        entities = self._folds[primitive.name](rows, self._id, call.moment)
        if not primitive.many:
            return entities[0] if entities else None
        return self._arrange(call, rows, entities)

    def _hydrate(self, call: Call, rows: Rows) -> list[dict[str, Any]]:
        """Read the entities that a query found, at most 1,000 a query, in the order found."""
        hydrator = self.registry[call.primitive.hydrate]
        key = rows.variables.index("id")
        found = [node for node in dict.fromkeys(row[key] for row in rows.rows) if node is not None]
        entities: list[dict[str, Any]] = []
        for start in range(0, len(found), MAX_BATCH):
            text = hydrator.template.bind({**call.terms, "ids": found[start : start + MAX_BATCH]})
            answer = self.store.select(text, call.graphs)
            entities.extend(self._folds[hydrator.name](answer, self._id, call.moment))
        return reorder(entities, "id", [self._id(node.value) for node in found])

    def _arrange(self, call: Call, rows: Rows, entities: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Put entities in the order that the header declares."""
        match call.primitive.order:
            case ("input", name, key):
                asked = [self._id(term.value) for term in call.terms[name]]  # type: ignore[union-attr]
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
