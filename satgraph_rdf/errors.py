"""Everything that can go wrong, as one tree.

    SatGraphError
    ├── InvalidParameter        400  INVALID_PARAMETER
    │   ├── MissingParameter    400  MISSING_PARAMETER
    │   └── InvalidDateRange    400  INVALID_DATE_RANGE
    ├── Unauthorized            401  MISSING_API_KEY
    ├── AccessDenied            403  DATASOURCE_ACCESS_DENIED
    ├── NotFound                404  RESOURCE_NOT_FOUND
    │   ├── NoValidVersion      404  NO_VALID_VERSION
    │   └── NotYetKnown         404  NOT_YET_KNOWN
    ├── MethodNotAllowed        405  METHOD_NOT_ALLOWED
    ├── BodyTooLarge            413  BODY_TOO_LARGE
    ├── InconsistentData        500  INCONSISTENT_DATA   the graph itself breaks the model
    ├── InvalidDeclaration      500  INVALID_DECLARATION a wrong .rq file; the server does not start
    ├── StoreError              503  STORE_UNAVAILABLE
    │   ├── StoreLocked         503  STORE_LOCKED
    │   ├── UnknownStoreFormat  503  UNKNOWN_STORE_FORMAT
    │   └── NoRevision          503  NO_REVISION
    └── LoadRefused             422  LOAD_REFUSED        nothing was loaded; carries the findings

The body of an error is ``{code, message}`` plus optional ``details`` (SAT-Graph API 1.0.0, schema
ErrorResponse; ``details`` is an extension). Each facade maps the base class once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

_LONGEST: Final = 2000


class SatGraphError(Exception):
    """Base of every error this product raises.

    ``code`` is stable and machine readable, ``status`` the HTTP status, ``details`` a JSON object.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        # A message quotes what was wrong, not a megabyte of it.
        self.message = message if len(message) <= _LONGEST else message[:_LONGEST] + "..."
        super().__init__(self.message)
        self.details = dict(details) if details else {}

    def body(self) -> dict[str, Any]:
        """The error as a JSON object in the contract's form."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details:
            body["details"] = self.details
        return body


class InvalidParameter(SatGraphError):
    """A value that the parameter does not accept; the message says what is accepted."""

    code = "INVALID_PARAMETER"
    status = 400


class MissingParameter(InvalidParameter):
    """A required parameter is absent."""

    code = "MISSING_PARAMETER"


class InvalidDateRange(InvalidParameter):
    """An interval that ends before it starts."""

    code = "INVALID_DATE_RANGE"


class Unauthorized(SatGraphError):
    """No usable credentials."""

    code = "MISSING_API_KEY"
    status = 401


class AccessDenied(SatGraphError):
    """None of the requested data sources is granted."""

    code = "DATASOURCE_ACCESS_DENIED"
    status = 403


class NotFound(SatGraphError):
    """No such entity in what the caller may see."""

    code = "RESOURCE_NOT_FOUND"
    status = 404


class NoValidVersion(NotFound):
    """The entity exists, but nothing of it was in force; ``details.reason`` says why."""

    code = "NO_VALID_VERSION"


class NotYetKnown(NotFound):
    """The entity exists, but the observer could not know it yet."""

    code = "NOT_YET_KNOWN"


class MethodNotAllowed(SatGraphError):
    """The path exists under another method."""

    code = "METHOD_NOT_ALLOWED"
    status = 405


class BodyTooLarge(SatGraphError):
    """The request body is over the limit."""

    code = "BODY_TOO_LARGE"
    status = 413


class InconsistentData(SatGraphError):
    """The graph holds something the data model forbids, for example two values of one field."""

    code = "INCONSISTENT_DATA"


class InvalidDeclaration(SatGraphError):
    """A query file that breaks a rule of the registry; the message names file and line."""

    code = "INVALID_DECLARATION"


class StoreError(SatGraphError):
    """The store cannot be used as asked."""

    code = "STORE_UNAVAILABLE"
    status = 503


class StoreLocked(StoreError):
    """Another process is writing; the message names it."""

    code = "STORE_LOCKED"


class UnknownStoreFormat(StoreError):
    """A revision written by another generation of this product."""

    code = "UNKNOWN_STORE_FORMAT"


class NoRevision(StoreError):
    """Nothing was ever loaded, or the revision asked for is not there."""

    code = "NO_REVISION"


class LoadRefused(SatGraphError):
    """A load that was refused whole. ``findings`` are the report lines, worst first."""

    code = "LOAD_REFUSED"
    status = 422

    def __init__(self, message: str, findings: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message, {"findings": [dict(finding) for finding in findings]} if findings else None)
        self.findings = list(findings)
