"""The parameter vocabulary: each input of a primitive is defined here, once.

``at`` means the same in every primitive because it is this ``at``. A query file names its inputs;
the registry checks them against this list, and every facade takes names, types, documentation and
examples from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from satgraph_rdf.errors import InvalidParameter
from satgraph_rdf.terms import Instant, aspect, check_id, language_range

Kind = Literal["id", "instant", "language", "choice", "integer", "aspect", "ids", "texts", "aspects"]

MAX_BATCH: Final = 1000
"""Ids in one batch (contract, "limits")."""


_WHOLE: Final = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_LARGEST: Final = 2**31 - 1


@dataclass(frozen=True)
class Param:
    """One input: its name in files and Python, its name outside, its type, meaning and example.

    ``default`` is what an absent optional input is bound to: ``now`` (the clock of the call),
    ``beginning`` and ``open`` (no bound), or a plain value. An ``entity`` names what an id is of.
    """

    name: str
    wire: str
    kind: Kind
    doc: str
    example: Any
    default: Any = None
    entity: str = ""
    choices: tuple[str, ...] = ()

    @property
    def many(self) -> bool:
        """Whether the value is a list."""
        return self.kind in ("ids", "texts", "aspects")

    def check(self, value: Any) -> Any:
        """The value as the engine wants it; :class:`InvalidParameter` says what is accepted."""
        match self.kind:
            case "id":
                return check_id(value, self.wire)
            case "instant":
                return Instant.parse(value, self.wire)
            case "language":
                return language_range(value, self.wire)
            case "choice":
                if value not in self.choices:
                    accepted = ", ".join(self.choices)
                    raise InvalidParameter(f"'{self.wire}' must be one of {accepted}; got {value!r}.")
                return value
            case "integer":
                return self._integer(value)
            case "aspect":
                return aspect(check_id(value, self.wire))
            case "ids" | "texts":
                return self._list(value)
            case "aspects":
                return [aspect(entry) for entry in self._list(value)]

    def _integer(self, value: Any) -> int:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if isinstance(value, str) and _WHOLE.fullmatch(value):
            value, whole = int(value), True
        if not whole or abs(value) > _LARGEST:
            raise InvalidParameter(f"'{self.wire}' must be a whole number; got {value!r}.")
        number: int = value
        return number

    def _list(self, value: Any) -> list[str]:
        if not isinstance(value, list):
            raise InvalidParameter(f"'{self.wire}' must be a list of strings; got {value!r}.")
        if not value:
            raise InvalidParameter(f"'{self.wire}' must hold at least one value.")
        if len(value) > MAX_BATCH:
            raise InvalidParameter(
                f"'{self.wire}' holds {len(value)} values; at most {MAX_BATCH} are accepted."
            )
        checked = [check_id(entry, self.wire) for entry in value]
        if len(set(checked)) != len(checked):
            twice = next(entry for n, entry in enumerate(checked) if entry in checked[:n])
            raise InvalidParameter(f"'{self.wire}' holds a value twice: {twice!r}.")
        return checked

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the value (OpenAPI 3.0 subset)."""
        string: dict[str, Any] = {"type": "string", "minLength": 1}
        match self.kind:
            case "instant":
                return {"type": "string", "format": "date-time"}
            case "language":
                return {"type": "string", "pattern": r"^(\*|[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]+)*)$"}
            case "choice":
                return {"type": "string", "enum": list(self.choices)}
            case "integer":
                return {"type": "integer", "default": self.default}
            case "ids":
                return {
                    "type": "array",
                    "items": string,
                    "minItems": 1,
                    "maxItems": MAX_BATCH,
                    "uniqueItems": True,
                }
            case "texts" | "aspects":
                return {"type": "array", "items": string, "minItems": 1, "uniqueItems": True}
            case _:
                return string


_ART6: Final = "urn:lex:br:federal:constituicao:1988-10-05;1988!art6_cpt"
_VERSION: Final = "urn:lex:br:federal:constituicao:1988-10-05;1988@1988-10-05!art5_cpt_inc57"
_EC26: Final = "urn:lex:br:federal:emenda.constitucional:2000-02-14;26"

PARAMS: Final[Mapping[str, Param]] = {
    param.name: param
    for param in (
        Param("item", "itemId", "id", "The id (or IRI) of an Item.", _ART6, entity="item"),
        Param("version", "versionId", "id", "The id (or IRI) of a Version.", _VERSION, entity="version"),
        Param(
            "action",
            "actionId",
            "id",
            "The id (or IRI) of an Action.",
            f"{_EC26}#amendment-art6_cpt",
            entity="action",
        ),
        Param(
            "text_unit",
            "textUnitId",
            "id",
            "The id (or IRI) of a TextUnit.",
            "urn:lex:br:federal:constituicao:1988-10-05;1988@2000-02-14~texto;pt-br!art6_cpt",
            entity="text unit",
        ),
        Param(
            "source_work",
            "sourceWorkId",
            "id",
            "The id of the Item whose commands are traced forward: an amending norm, or a part of one.",
            _EC26,
            entity="item",
        ),
        Param("ids", "ids", "ids", "Ids, at most 1,000, each once; the answer keeps their order.", [_ART6]),
        Param(
            "item_ids",
            "itemIds",
            "ids",
            "Ids of Items, at most 1,000, each once; the answer keeps their order.",
            [_ART6],
        ),
        Param(
            "version_ids",
            "versionIds",
            "ids",
            "Ids of Versions, at most 1,000, each once; the answer keeps their order.",
            [_VERSION],
        ),
        Param(
            "at",
            "at",
            "instant",
            "The instant asked about (valid time): RFC 3339 with offset, or a date, which is that day's "
            "00:00:00Z. Intervals are half-open: the start belongs to a version, the end does not.",
            "2001-05-20",
            default="now",
        ),
        Param(
            "observer_time",
            "observerTime",
            "instant",
            "The instant of the observer (transaction time): nothing that became known later is seen.",
            "2016-01-01",
            default="now",
        ),
        Param(
            "start_at",
            "startAt",
            "instant",
            "Only versions whose validity overlaps the interval that starts here.",
            "2010-01-01",
            default="beginning",
        ),
        Param(
            "end_at",
            "endAt",
            "instant",
            "Only versions whose validity overlaps the interval that ends here.",
            "2015-01-01",
            default="open",
        ),
        Param(
            "start_time",
            "startTime",
            "instant",
            "Only actions on or after this instant.",
            "1999-01-01",
            default="beginning",
        ),
        Param(
            "end_time",
            "endTime",
            "instant",
            "Only actions on or before this instant.",
            "2015-12-31",
            default="open",
        ),
        Param(
            "action_types",
            "actionTypes",
            "texts",
            "Only actions of these types.",
            ["Amendment"],
            default=["*"],
        ),
        Param(
            "granularity",
            "granularity",
            "choice",
            "macro = actions without a parent, micro = with one, leaf (extension) = without a child.",
            "micro",
            default="any",
            choices=("macro", "micro", "leaf"),
        ),
        Param(
            "depth",
            "depth",
            "integer",
            "How many levels down; absent or negative = all, 0 = none.",
            1,
            default=-1,
        ),
        Param(
            "order",
            "order",
            "choice",
            "depth = by level, then document order (as published); document (extension) = reading order.",
            "document",
            default="depth",
            choices=("depth", "document"),
        ),
        Param(
            "language",
            "language",
            "language",
            "A BCP 47 range (RFC 4647 basic filtering): pt finds pt-BR, pt-BR does not find pt.",
            "pt-BR",
            default="*",
        ),
        Param(
            "aspect",
            "aspect",
            "aspect",
            "Only texts of this aspect, for example canonical or summary (extension).",
            "canonical",
            default="*",
        ),
        Param(
            "aspects",
            "aspects",
            "aspects",
            "Only texts of these aspects.",
            ["canonical"],
            default=["canonical"],
        ),
    )
}
