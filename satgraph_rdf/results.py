"""Result models, named as in the specification, and the one fold from rows to models.

A model is a TypedDict whose fields say which result variables they come from; the same declaration
gives the JSON Schema. Rows of one entity are gathered by its ``id``; two values for a
single-valued field are an error of our data and say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Required, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from satgraph_rdf.errors import InconsistentData
from satgraph_rdf.store import Rows
from satgraph_rdf.terms import OPEN_TEXT, chronological

JsonValue = Any
Interval = list[str | None]


@dataclass(frozen=True)
class Ref:
    """A field holding the id of an entity: the variable holds its IRI."""


@dataclass(frozen=True)
class Refs:
    """A field holding ids, gathered over rows."""


@dataclass(frozen=True)
class Json:
    """A field holding a JSON value: the variable holds its text."""


@dataclass(frozen=True)
class Flag:
    """A field that is true where the variable is bound to true, else absent."""


@dataclass(frozen=True)
class Span:
    """An interval ``[start, end]`` made of two variables; an open end is null."""

    start: str
    until: str


@dataclass(frozen=True)
class Spans:
    """Several intervals, gathered over rows."""

    start: str
    until: str


class Item(TypedDict, total=False):
    """A timeless anchor: a norm, a part of one, a concept, a body, a case."""

    id: Required[Annotated[str, Ref()]]
    urn: str
    url: str
    typeId: Required[Annotated[str, Ref()]]
    label: Required[str]
    parentId: Annotated[str, Ref()]
    metadata: Annotated[JsonValue, Json()]


class Version(TypedDict, total=False):
    """A time-bound state of an Item, as the observer of the call sees it.

    ``validityStatus``, ``retroactive`` and ``applicabilityIntervals`` are extensions: ``never`` says that
    the version is in force at no instant, ``retroactive`` that its act became known after it took
    effect; the list stands where applicability has several stretches.
    """

    id: Required[Annotated[str, Ref()]]
    urn: str
    url: str
    itemId: Required[Annotated[str, Ref()]]
    type: Required[str]
    validityInterval: Required[Annotated[Interval, Span("from", "until")]]
    validityStatus: str
    retroactive: Annotated[bool, Flag()]
    applicabilityInterval: Interval
    applicabilityIntervals: Annotated[list[Interval], Spans("applicableFrom", "applicableUntil")]
    producedByActionId: Annotated[str, Ref()]
    terminatedByActionId: Annotated[str, Ref()]
    usedAsSourceInActionIds: Annotated[list[str], Refs()]
    metadata: Annotated[JsonValue, Json()]


class TextUnit(TypedDict, total=False):
    """A text of an entity in one language and one aspect."""

    id: Required[Annotated[str, Ref()]]
    sourceType: Required[str]
    sourceId: Required[Annotated[str, Ref()]]
    language: Required[str]
    aspect: Required[str]
    content: Required[str]
    metadata: Annotated[JsonValue, Json()]


class Action(TypedDict, total=False):
    """An event that produced or ended versions, and the versions that commanded it."""

    id: Required[Annotated[str, Ref()]]
    parentId: Annotated[str, Ref()]
    type: Required[str]
    eventTime: Required[str]
    validityInterval: Annotated[Interval, Span("effectFrom", "effectUntil")]
    applicabilityInterval: Annotated[Interval, Span("applicableFrom", "applicableUntil")]
    sourceVersionIds: Required[Annotated[list[str], Refs()]]
    terminatesVersionIds: Annotated[list[str], Refs()]
    producesVersionIds: Annotated[list[str], Refs()]
    metadata: Annotated[JsonValue, Json()]


Convert = Callable[[str], Any]
Finish = Callable[[dict[str, Any], str], None]


def _bounds(span: Interval) -> tuple[str, str]:
    return chronological(span[0] or OPEN_TEXT), chronological(span[1] or OPEN_TEXT)


def _finish_version(version: dict[str, Any], at: str) -> None:
    start, until = version["validityInterval"]
    if start is None or start == until:
        version["validityStatus"] = "never" if start is not None else "notCommenced"
    spans: list[Interval] | None = version.pop("applicabilityIntervals", None)
    if spans is None:
        return
    spans.sort(key=_bounds)
    if spans == [[start, until]]:
        return
    now = chronological(at)
    containing = [span for span in spans if _bounds(span)[0] <= now < _bounds(span)[1]]
    before = [span for span in spans if _bounds(span)[1] <= now]
    version["applicabilityInterval"] = (containing or before[-1:] or spans)[0]
    if len(spans) > 1:
        version["applicabilityIntervals"] = spans


def _finish_action(action: dict[str, Any], _at: str) -> None:
    action.setdefault("sourceVersionIds", [])


@dataclass(frozen=True)
class Model:
    """A result model compiled for the fold."""

    name: str
    schema_type: type
    fields: tuple[str, ...]
    required: frozenset[str]
    single: Mapping[str, str]
    """variable -> kind (``text``, ``ref``, ``json`` or ``flag``) for single-valued fields"""
    many: Mapping[str, str]
    """variable -> kind for gathered fields"""
    spans: Mapping[str, Span | Spans]
    finish: Finish | None

    @property
    def variables(self) -> frozenset[str]:
        """The result variables the model accepts."""
        bounds = {bound for span in self.spans.values() for bound in (span.start, span.until)}
        return frozenset(self.single) | frozenset(self.many) | frozenset(bounds)


def _compile(schema_type: type, finish: Finish | None = None) -> Model:
    required: set[str] = set()
    single: dict[str, str] = {}
    many: dict[str, str] = {}
    spans: dict[str, Span | Spans] = {}
    hints = get_type_hints(schema_type, include_extras=True)
    computed = {"validityStatus", "applicabilityInterval"} if schema_type is Version else set()
    for name, hint in hints.items():
        inner = hint
        if get_origin(hint) is Required:  # the class cannot know: its annotations are text
            inner = get_args(hint)[0]
            required.add(name)
        marks = getattr(inner, "__metadata__", ())
        mark = marks[0] if marks else None
        if isinstance(mark, Span | Spans):
            spans[name] = mark
        elif isinstance(mark, Refs):
            many[name] = "ref"
        elif name not in computed:
            single[name] = {Ref: "ref", Json: "json", Flag: "flag"}.get(type(mark), "text")
    assert {"id"} <= required
    return Model(
        schema_type.__name__, schema_type, tuple(hints), frozenset(required), single, many, spans, finish
    )


MODELS: Final[Mapping[str, Model]] = {
    "Item": _compile(Item),
    "Version": _compile(Version, _finish_version),
    "TextUnit": _compile(TextUnit),
    "Action": _compile(Action, _finish_action),
}


def _bound(value: str) -> str | None:
    return None if value == OPEN_TEXT else value


class Fold:
    """Rows of one query -> models, prepared once per primitive."""

    def __init__(self, model: Model, variables: Sequence[str]) -> None:
        self.model = model
        self._key = variables.index("id")
        anchors = [name for name in model.single if name in model.required and name in variables]
        self._anchor = variables.index(next((name for name in anchors if name != "id"), "id"))
        self._columns: list[tuple[int, str, str, bool]] = []
        for index, name in enumerate(variables):
            if name in model.single and index != self._key:
                self._columns.append((index, name, model.single[name], False))
            elif name in model.many:
                self._columns.append((index, name, model.many[name], True))
        self._spans = [
            (field, variables.index(span.start), variables.index(span.until), isinstance(span, Spans))
            for field, span in model.spans.items()
            if span.start in variables
        ]

    def __call__(self, rows: Rows, to_id: Callable[[str], str], at: str) -> list[dict[str, Any]]:
        """The entities, in the order of their first row, fields in the order of the model."""
        found: dict[str, dict[str, Any]] = {}
        placed: set[str] = set()
        key, anchor = self._key, self._anchor
        for row in rows.rows:
            node = row[key].value  # type: ignore[union-attr]
            entity = found.get(node)
            if entity is None:
                entity = found[node] = {"id": to_id(node)}
            if row[anchor] is not None and node not in placed:
                placed.add(node)  # rows that only gather may come first; they do not set the order
                found[node] = found.pop(node)
            for index, name, kind, many in self._columns:
                term = row[index]
                if term is None:
                    continue
                value: Any = term.value
                if kind == "ref":
                    value = to_id(value)
                elif kind == "flag":
                    value = value == "true"
                if many:
                    entity.setdefault(name, {})[value] = None  # a dict keeps order and drops repeats
                elif name not in entity:
                    entity[name] = json.loads(value) if kind == "json" else value
                elif kind != "json" and entity[name] != value:
                    raise InconsistentData(
                        f"{self.model.name} {entity['id']!r} has two values for {name}: "
                        f"{entity[name]!r} and {value!r}."
                    )
            for field, start, until, several in self._spans:
                self._span(entity, field, row[start], row[until], several)
        # A row that only gathers (an action that used a version) does not make an entity by itself.
        return [self._finish(entity, at) for node, entity in found.items() if node in placed]

    def _span(self, entity: dict[str, Any], field: str, start: Any, until: Any, several: bool) -> None:
        if start is None and until is None:
            return
        span = [_bound(bound.value) if bound is not None else None for bound in (start, until)]
        if several:
            spans = entity.setdefault(field, [])
            if span not in spans:
                spans.append(span)
        elif entity.setdefault(field, span) != span:
            raise InconsistentData(
                f"{self.model.name} {entity['id']!r} has two intervals for {field}: "
                f"{entity[field]} and {span}."
            )

    def _finish(self, entity: dict[str, Any], at: str) -> dict[str, Any]:
        model = self.model
        for name in model.many:
            if name in entity:
                entity[name] = list(entity[name])
        if model.finish is not None:
            model.finish(entity, at)
        missing = model.required.difference(entity)
        if missing:
            raise InconsistentData(f"{model.name} {entity['id']!r} lacks {', '.join(sorted(missing))}.")
        return {name: entity[name] for name in model.fields if name in entity}


def reorder(entities: Iterable[dict[str, Any]], field: str, order: Sequence[str]) -> list[dict[str, Any]]:
    """Entities in the order in which ``order`` lists their ``field``; unlisted ones last, as they came."""
    rank = {value: position for position, value in enumerate(order)}
    return sorted(entities, key=lambda entity: rank.get(entity[field], len(rank)))
