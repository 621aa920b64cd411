"""Errors to HTTP answers, once, in the contract's form ``{code, message, details?}``."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request

from satgraph_rdf.errors import NotFound, SatGraphError

_log = logging.getLogger("satgraph")


def answer(fault: SatGraphError, headers: dict[str, str] | None = None) -> JSONResponse:
    """The HTTP answer of an error."""
    return JSONResponse(fault.body(), fault.status, headers)


def install(app: FastAPI) -> None:
    """Every error of the application takes the contract's form."""

    async def known(_request: Request, fault: Exception) -> JSONResponse:
        assert isinstance(fault, SatGraphError)
        return answer(fault)

    async def framework(_request: Request, fault: Exception) -> JSONResponse:
        assert isinstance(fault, HTTPException)
        code = {404: NotFound.code, 405: "METHOD_NOT_ALLOWED"}.get(fault.status_code, "INVALID_PARAMETER")
        headers: Any = fault.headers
        return JSONResponse({"code": code, "message": str(fault.detail)}, fault.status_code, headers)

    async def unknown(request: Request, fault: Exception) -> JSONResponse:
        _log.error("unexpected error at %s", request.url.path, exc_info=fault)
        body = {
            "code": SatGraphError.code,
            "message": "The server met an unexpected condition; it has been logged.",
        }
        return JSONResponse(body, 500)

    app.add_exception_handler(SatGraphError, known)
    app.add_exception_handler(HTTPException, framework)
    app.add_exception_handler(Exception, unknown)
