"""Values from outside become checked terms here, and terms become values again.

Ids and IRIs (a bijection, see :class:`IdSpace`), instants (:class:`Instant`), language tags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode

from satgraph_rdf.errors import InvalidParameter
from satgraph_rdf.vocabulary import XSD_DATE_TIME

_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SPACE_OFFSET: Final = re.compile(r".*\d \d{2}:\d{2}$", re.ASCII)
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", re.ASCII)
_ACCEPTED: Final = (
    "an RFC 3339 date-time with offset (2000-02-14T00:00:00Z) or a date (2000-02-14, meaning 00:00:00Z)"
)


@dataclass(frozen=True, order=True, slots=True)
class Instant:
    """A point in time: UTC, microseconds, years 0001 to 9998 (and the open end of a statement)."""

    at: datetime

    def __str__(self) -> str:
        """The canonical form: ``2000-02-14T00:00:00Z``, a fraction only where there is one."""
        text = f"{self.at.year:04d}" + self.at.strftime("-%m-%dT%H:%M:%S")
        fraction = f".{self.at.microsecond:06d}".rstrip("0") if self.at.microsecond else ""
        return f"{text}{fraction}Z"

    @property
    def term(self) -> Literal:
        """The instant as an ``xsd:dateTime``."""
        return Literal(str(self), datatype=XSD_DATE_TIME)

    @property
    def stamp(self) -> str:
        """The short form used in version ids: the date alone at midnight UTC."""
        text = str(self)
        return text[:10] if text.endswith("T00:00:00Z") else text

    @classmethod
    def parse(cls, text: object, name: str = "value") -> Instant:
        """Read an instant from outside; :class:`InvalidParameter` says what is accepted.

        Rules: contract of the primitives, "instants". An offset is required, a date is that day's
        00:00:00Z, nothing is guessed or rounded.
        """
        if not isinstance(text, str):
            raise InvalidParameter(f"'{name}' must be {_ACCEPTED}; got {text!r}.")
        if _DATE.fullmatch(text):
            clock, fraction, offset = "00:00:00", None, "Z"
            day = text
        else:
            match = _RFC3339.fullmatch(text)
            if match is None:
                hint = ""
                if _SPACE_OFFSET.fullmatch(text):
                    hint = " The '+' of the offset was probably decoded as a space: write %2B in a URL."
                raise InvalidParameter(f"'{name}' must be {_ACCEPTED}; got {text!r}.{hint}")
            day, clock, fraction, offset = match.groups()
        digits = (fraction or ".0")[1:].rstrip("0")
        if len(digits) > 6:
            raise InvalidParameter(f"'{name}' has a fraction finer than microseconds: {text!r}.")
        try:
            moment = datetime.fromisoformat(f"{day}T{clock}.{digits or '0':0<6}+00:00")
            if offset not in ("Z", "z"):
                hours, minutes = int(offset[1:3]), int(offset[4:6])
                shift = timedelta(hours=hours, minutes=minutes)
                moment = moment - shift if offset[0] == "+" else moment + shift
        except (ValueError, OverflowError) as fault:
            raise InvalidParameter(f"'{name}' is not a possible date: {text!r} ({fault}).") from None
        if moment.year > 9998:
            raise InvalidParameter(f"'{name}' must lie in the years 0001 to 9998; got {text!r}.")
        return cls(moment)

    @classmethod
    def of_day(cls, day: date) -> Instant:
        """Midnight UTC of a calendar day."""
        return cls(datetime(day.year, day.month, day.day, tzinfo=UTC))


# The open end of an interval statement. Never a value from outside, never shown: JSON null.
OPEN: Final = Instant(datetime(9999, 12, 31, tzinfo=UTC))
OPEN_TEXT: Final = str(OPEN)
# Earlier than every instant: what an absent lower bound is bound to. Valid in XSD 1.0 and 1.1.
BEGINNING: Final = Literal("-0001-01-01T00:00:00Z", datatype=XSD_DATE_TIME)


def language(text: object, name: str = "language") -> str:
    """A BCP 47 tag as given (SAT-Graph API 1.0.0, schema TextUnit.language)."""
    if not isinstance(text, str) or not _LANGUAGE.fullmatch(text):
        raise InvalidParameter(f"'{name}' must be a BCP 47 language tag such as pt-BR; got {text!r}.")
    return text


_UCSCHAR: Final = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    "\U00010000-\U0001fffd\U00020000-\U0002fffd\U00030000-\U0003fffd\U00040000-\U0004fffd"
    "\U00050000-\U0005fffd\U00060000-\U0006fffd\U00070000-\U0007fffd\U00080000-\U0008fffd"
    "\U00090000-\U0009fffd\U000a0000-\U000afffd\U000b0000-\U000bfffd\U000c0000-\U000cfffd"
    "\U000d0000-\U000dfffd\U000e1000-\U000efffd"
)
_ENCODED: Final = re.compile(rf"[^A-Za-z0-9\-._~!$&'()*+,;=:@/{_UCSCHAR}]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_HTTP: Final = re.compile(r"https?://[^/?#]+([/?#].*)?", re.DOTALL)
_BASE: Final = re.compile(r"https?://[^/?#\s]+/([^?#\s]*/)?")

MAX_ID: Final = 4096
"""Characters of an id in a request."""

# Only minted ids start like this, so that nothing from outside can take their place.
MINTED_PREFIXES: Final = ("action:", "text:", "statement:", "relation:")
# Fixed path segments of the REST routes; an id equal to one could never be reached.
RESERVED_IDS: Final = frozenset(
    {"search", "by-reference", "batch-get", "batch-valid-at", "by-items", "roots", "compare"}
)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8"))


def encode(text: str) -> str:
    """A text as part of an IRI: what may not stand in one is percent-encoded."""
    return _ENCODED.sub(_percent, text)


def check_id(text: object, name: str = "id") -> str:
    """An id as it may come in a request: a non-empty string without controls or lone surrogates."""
    if not isinstance(text, str) or not text:
        raise InvalidParameter(f"'{name}' must be a non-empty string; got {text!r}.")
    if len(text) > MAX_ID:
        raise InvalidParameter(f"'{name}' is longer than {MAX_ID} characters.")
    if _CONTROL.search(text):
        raise InvalidParameter(f"'{name}' holds a control character or an unpaired surrogate.")
    return text


@dataclass(frozen=True)
class IdSpace:
    """The bijection between API ids and IRIs of one store (data model, "Identifiers").

    ``base`` ends in ``/``. An id that is itself an http(s) IRI outside ``base`` is its own IRI; every
    other id becomes ``base + "id/" + encoded id``.
    """

    base: str

    def __post_init__(self) -> None:
        if not _BASE.fullmatch(self.base):
            raise InvalidParameter(f"base must be an absolute http(s) IRI ending in '/'; got {self.base!r}.")

    @property
    def prefix(self) -> str:
        """What every minted IRI starts with."""
        return self.base + "id/"

    def iri(self, identifier: str) -> NamedNode:
        """The IRI of an id."""
        if _HTTP.fullmatch(identifier) and not identifier.startswith(self.base):
            try:
                return NamedNode(identifier)
            except ValueError:
                pass  # not a valid IRI: an opaque id like any other
        return NamedNode(self.prefix + _ENCODED.sub(_percent, identifier))

    def id(self, node: str) -> str:
        """The id of an IRI (given as text)."""
        if node.startswith(self.prefix):
            rest = node[len(self.prefix) :]
            return unquote(rest, errors="strict") if "%" in rest else rest
        return node

    def requested(self, text: object, name: str = "id") -> NamedNode:
        """The IRI of an id in a request, where an entity's full IRI is accepted too."""
        identifier = check_id(text, name)
        return _requested(self, identifier)

    def loadable(self, identifier: str, minted: bool = False) -> str | None:
        """Why an id may not be loaded, or None. ``minted`` allows the reserved prefixes."""
        if not identifier or _CONTROL.search(identifier):
            return "is empty or holds a control character or an unpaired surrogate"
        if identifier.startswith(self.base):
            return f"starts with the base IRI {self.base} of the store"
        if any(step in (".", "..") for step in identifier.split("/")):
            return "has a path segment '.' or '..'"
        if identifier in RESERVED_IDS:
            return "equals a fixed segment of the REST paths"
        if not minted and identifier.startswith(MINTED_PREFIXES):
            return "starts with a prefix that only minted ids have"
        return None

    def graph(self, source: str) -> NamedNode:
        """The named graph of a data source."""
        return NamedNode(f"{self.base}graph/{_ENCODED.sub(_percent, source)}")


@lru_cache(maxsize=4096)
def _requested(space: IdSpace, identifier: str) -> NamedNode:
    if identifier.startswith(space.prefix):
        # An IRI from outside: through the id, so that every spelling reaches the canonical IRI.
        return space.iri(unquote(identifier[len(space.prefix) :], errors="replace"))
    return space.iri(identifier)


def language_range(text: object, name: str = "language") -> str:
    """A basic language range of RFC 4647: a tag, or ``*`` for every language."""
    return "*" if text == "*" else language(text, name)


_ASPECTS: Final = {"textual_metadata": "textualMetadata", "textual_relation": "textualRelation"}


def aspect(text: str) -> str:
    """An aspect in its published spelling; the guides write ``textual_metadata`` too."""
    return _ASPECTS.get(text, text)


def chronological(instant: str) -> str:
    """A canonical instant as a string that sorts in time (``.5Z`` would sort before ``Z``)."""
    return instant.removesuffix("Z")


def language_matches(tag: str, wanted: str) -> bool:
    """RFC 4647 basic filtering: ``pt`` finds ``pt-BR``, ``pt-BR`` does not find ``pt``, ``*`` finds all."""
    tag, wanted = tag.lower(), wanted.lower()
    return wanted in {"*", tag} or tag.startswith(wanted + "-")
