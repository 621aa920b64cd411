"""Reading fields of JSON records with errors that name file and place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import rfc8785
from pyoxigraph import NamedNode

from satgraph_rdf.errors import InvalidParameter
from satgraph_rdf.ingest.model import Records
from satgraph_rdf.terms import Instant, language

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _is_address(text: str) -> bool:
    try:
        NamedNode(text)
    except ValueError:
        return False
    return text.startswith(("http://", "https://"))


class Fields:
    """One JSON object of an input file. A fault is a finding; reading goes on to find them all."""

    def __init__(self, records: Records, data: Any, place: str) -> None:
        self.records = records
        self.place = place
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.fault("JSON_SHAPE", f"An object is expected; got {type(data).__name__}.")

    def fault(self, code: str, message: str) -> None:
        """A violation at this place."""
        subject = self.data.get("id")
        self.records.report("violation", code, message, str(subject) if subject else "", self.place)

    def each(self, name: str) -> Iterator[Fields]:
        """The objects of a list field."""
        values = self.data.get(name) or []
        if not isinstance(values, list):
            self.fault("JSON_SHAPE", f"'{name}' must be a list.")
            return
        for index, value in enumerate(values):
            yield Fields(self.records, value, f"{self.place}/{name}/{index}")

    def text(self, name: str, required: bool = False) -> str | None:
        """A string field."""
        value = self.data.get(name)
        if value is None or value == "":
            if required:
                self.fault("FIELD_MISSING", f"'{name}' is required.")
            return None
        if not isinstance(value, str):
            self.fault("FIELD_TYPE", f"'{name}' must be a string; got {value!r}.")
            return None
        if _SURROGATE.search(value):
            self.fault("TEXT_INVALID", f"'{name}' holds an unpaired surrogate, which is no character.")
            return None
        return value

    def required(self, name: str) -> str:
        """A string field that must be there; empty after a fault."""
        return self.text(name, required=True) or ""

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        value = self.data.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, str) and entry for entry in value):
            self.fault("FIELD_TYPE", f"'{name}' must be a list of non-empty strings.")
            return []
        if any(_SURROGATE.search(entry) for entry in value):
            self.fault("TEXT_INVALID", f"'{name}' holds an unpaired surrogate, which is no character.")
            return []
        return list(dict.fromkeys(value))

    def integer(self, name: str, default: int) -> int:
        """A positive whole number."""
        value = self.data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.fault("FIELD_TYPE", f"'{name}' must be a positive whole number; got {value!r}.")
            return default
        return value

    def metadata(self) -> Any:
        """The metadata, any JSON value that has a canonical form (RFC 8785)."""
        value = self.data.get("metadata")
        try:
            rfc8785.dumps(value)
        except (rfc8785.CanonicalizationError, ValueError) as fault:
            self.fault("METADATA_INVALID", f"'metadata' has no canonical JSON form: {fault}.")
            return None
        return value

    def url(self) -> str | None:
        """An http(s) address."""
        value = self.text("url")
        if value is not None and not _is_address(value):
            self.fault("URL_INVALID", f"'url' must be an absolute http(s) address; got {value!r}.")
            return None
        return value

    def tag(self, name: str) -> str:
        """A BCP 47 language tag."""
        value = self.required(name)
        try:
            return language(value, name) if value else value
        except InvalidParameter as fault:
            self.fault("LANGUAGE_INVALID", fault.message)
            return ""

    def instant(self, name: str) -> Instant | None:
        """A required instant."""
        if self.data.get(name) is None:
            self.fault("FIELD_MISSING", f"'{name}' is required.")
            return None
        return self._instant(self.data[name], name)

    def interval(self, name: str) -> tuple[Instant | None, Instant | None] | None:
        """An interval ``[start, end]``; an open end is null. None where absent or at fault."""
        value = self.data.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            self.fault("INTERVAL_INVALID", f"'{name}' must be [start, end]; got {value!r}.")
            return None
        start, end = (self._instant(bound, name) if bound is not None else None for bound in value)
        if (start is None) != (value[0] is None) or (end is None) != (value[1] is None):
            return None
        return start, end

    def _instant(self, value: Any, name: str) -> Instant | None:
        try:
            return Instant.parse(value, name)
        except InvalidParameter as fault:
            self.fault("INSTANT_INVALID", fault.message)
            return None
