"""The REST application."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api import errors, openapi
from api.routes import MAX_BODY, Match, Routes, body_arguments, plain_text, query_arguments
from satgraph_rdf import __version__
from satgraph_rdf.call import Answer
from satgraph_rdf.errors import BodyTooLarge, InvalidParameter, MethodNotAllowed, SatGraphError
from satgraph_rdf.wiring import Service

_PAGES = ("/health", "/ready", "/openapi.json")
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def create_app(service: Service) -> FastAPI:
    """The application over one service, open to every caller that reaches it."""
    app = FastAPI(title="SAT-Graph RDF", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    routes = Routes(service.registry, pages=_PAGES)
    document = openapi.document(service.registry)
    errors.install(app)

    @app.api_route("/health", methods=["GET", "HEAD"])
    def health() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok", "version": __version__}

    @app.api_route("/ready", methods=["GET", "HEAD"])
    def ready() -> dict[str, Any]:
        """A revision is served."""
        manifest = service.served().manifest
        return {"status": "ready", "revision": manifest.revision, "digest": manifest.digest}

    @app.api_route("/openapi.json", methods=["GET", "HEAD"])
    def served_document() -> dict[str, Any]:
        return document

    async def call(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        try:
            match = routes.match(method, _raw_path(request))
        except MethodNotAllowed as fault:
            return errors.answer(fault, {"Allow": ", ".join(fault.details["allow"])})
        try:
            arguments, form = await _arguments(request, match)
        except SatGraphError as fault:
            await run_in_threadpool(service.refuse, match.primitive.name, fault, "rest")
            raise
        answer = await run_in_threadpool(service.run, match.primitive.name, arguments, "rest")
        return _response(answer, form)

    app.add_route("/{path:path}", call, methods=_METHODS, include_in_schema=False)
    return app


async def _arguments(request: Request, match: Match) -> tuple[dict[str, Any], str]:
    """Arguments by wire name, and the format asked for."""
    query: bytes = request.scope["query_string"]
    if match.primitive.method == "POST":
        if query:
            raise InvalidParameter("This operation takes its parameters in the body, not in the query.")
        return body_arguments(await _body(request)), "json"
    arguments, form = query_arguments(match.primitive, query.decode("latin-1"))
    for name, value in match.values.items():
        if name in arguments:
            raise InvalidParameter(f"'{name}' is in the path; it cannot be given again.")
        arguments[name] = value
    return arguments, form


def _raw_path(request: Request) -> str:
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode("utf-8")
    return raw.split(b"?", 1)[0].decode("latin-1")


async def _body(request: Request) -> bytes:
    """The body, given up as soon as it is over the limit."""
    chunks = bytearray()
    async for chunk in request.stream():
        chunks.extend(chunk)
        if len(chunks) > MAX_BODY:
            raise BodyTooLarge(f"The body is larger than {MAX_BODY} bytes.")
    return bytes(chunks)


def _response(answer: Answer, form: str) -> Response:
    headers = {"SAT-Revision": answer.revision, "SAT-Record": answer.record}
    if answer.at is not None:
        headers["SAT-At"] = answer.at
    if answer.observer_time is not None:
        headers["SAT-Observer-Time"] = answer.observer_time
    if answer.missing is not None:
        headers["SAT-Missing"] = str(answer.missing)
    if form == "text":
        return Response(
            plain_text(answer.value["rows"]), media_type="text/plain; charset=utf-8", headers=headers
        )
    return Response(answer.body, media_type="application/json", headers=headers)
