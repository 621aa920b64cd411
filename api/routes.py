"""Registry -> REST routes. The raw path is split before it is decoded.

A raw ``/versions`` is the sub-route, an encoded ``%2Fversions`` belongs to the id; fixed paths win, then
the longest fixed suffix (contract, "ids in paths").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from satgraph_rdf.errors import BodyTooLarge, InvalidParameter, MethodNotAllowed, NotFound
from satgraph_rdf.primitive import Primitive
from satgraph_rdf.terms import check_id

MAX_BODY: Final = 1024 * 1024
"""Bytes of a request body (contract, "limits")."""

FORMATS: Final = ("json", "text")


@dataclass(frozen=True)
class Match:
    """A request's primitive and the values its path gives."""

    primitive: Primitive
    values: dict[str, str]


@dataclass(frozen=True)
class _Template:
    primitive: Primitive
    prefix: str
    suffix: str
    wire: str


class Routes:
    """Finds the primitive of a method and a raw path."""

    def __init__(self, primitives: Iterable[Primitive], pages: Iterable[str] = ()) -> None:
        self._pages = frozenset(pages)
        self._fixed: dict[str, dict[str, Primitive]] = {}
        self._templates: list[_Template] = []
        for primitive in primitives:
            pieces = re.split(r"\{[^}]*\}", primitive.path)
            if len(pieces) == 1:
                self._fixed.setdefault(primitive.path, {})[primitive.method] = primitive
                continue
            subject = primitive.subject
            assert subject is not None
            self._templates.append(_Template(primitive, pieces[0], pieces[1], subject.param.wire))
        self._templates.sort(key=lambda template: (-len(template.suffix), -len(template.prefix)))

    def match(self, method: str, raw: str) -> Match:
        """The primitive for a request; :class:`NotFound` or :class:`MethodNotAllowed`."""
        if raw in self._pages:  # answered elsewhere under the methods it has
            raise MethodNotAllowed(f"{raw} accepts GET.", {"allow": ["GET"]})
        if raw in self._fixed:
            methods = self._fixed[raw]
            if method not in methods:
                allowed = ", ".join(sorted(methods))
                raise MethodNotAllowed(f"{raw} accepts {allowed}.", {"allow": sorted(methods)})
            return Match(methods[method], {})
        for template in self._templates:
            if raw.startswith(template.prefix) and raw.endswith(template.suffix):
                middle = raw[len(template.prefix) : len(raw) - len(template.suffix)]
                if not middle:
                    continue
                if method != template.primitive.method:
                    allowed = template.primitive.method
                    raise MethodNotAllowed(f"This path accepts {allowed}.", {"allow": [allowed]})
                return Match(template.primitive, {template.wire: _decode(middle)})
        raise NotFound("There is no such path; /openapi.json lists all of them.")


def _decode(raw: str) -> str:
    try:
        return check_id(unquote(raw, errors="strict"))
    except (UnicodeDecodeError, InvalidParameter):
        raise NotFound(f"No entity can have the id {raw!r}.") from None


def query_arguments(primitive: Primitive, query: str) -> tuple[dict[str, Any], str]:
    """Arguments by wire name from a raw query string, and the format asked for."""
    params = {use.param.wire: use.param for use in primitive.uses}
    arguments: dict[str, Any] = {}
    formats = FORMATS if primitive.returns == "Document" else FORMATS[:1]
    chosen = FORMATS[0]
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "format":
            if value not in formats:
                raise InvalidParameter(f"'format' must be one of {', '.join(formats)}; got {value!r}.")
            chosen = value
        elif name in params and params[name].many:
            arguments.setdefault(name, []).append(value)
        elif name in arguments:
            raise InvalidParameter(f"'{name}' is given twice.")
        else:
            arguments[name] = value
    return arguments, chosen


def body_arguments(body: bytes) -> dict[str, Any]:
    """Arguments by wire name from a JSON body."""
    if len(body) > MAX_BODY:
        raise BodyTooLarge(f"The body is larger than {MAX_BODY} bytes.")
    try:
        data = json.loads(body)
    except json.JSONDecodeError as fault:
        raise InvalidParameter(
            f"The body is not JSON: {fault.msg} at line {fault.lineno}, column {fault.colno}."
        ) from None
    except (ValueError, RecursionError):  # not UTF-8, a number without end, nested too deeply
        raise InvalidParameter("The body is not JSON that can be read.") from None
    if not isinstance(data, dict):
        raise InvalidParameter("The body must be a JSON object.")
    return data


def plain_text(rows: Sequence[dict[str, Any]]) -> str:
    """The text of a document: the contents joined by a newline, nothing added."""
    return "\n".join(row["content"] for row in rows if row["content"] is not None)
