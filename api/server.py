"""Running the REST application: one process, calls in threads, a clean end."""

from __future__ import annotations

import signal
from typing import Final

import uvicorn

from api.app import create_app
from satgraph_rdf.wiring import Service

GRACE: Final = 30
"""Seconds that calls in flight get to finish after SIGTERM."""


def configure(service: Service, host: str, port: int) -> uvicorn.Server:
    """A server that is not running yet."""
    config = uvicorn.Config(
        create_app(service),
        host=host,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        h11_max_incomplete_event_size=64 * 1024,
    )
    return uvicorn.Server(config)


def serve(service: Service, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT; calls in flight are finished first."""
    run(configure(service, host, port), service)


def run(server: uvicorn.Server, service: Service) -> None:
    """Run a server to its clean end."""
    # It raises the signal that ended it again, once it has ended; a clean end is exit code 0.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    server.run()
    service.close()
