"""Stores, services and REST clients that more than one test file needs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from api.demo import bundled
from api.server import configure
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import Report, load
from satgraph_rdf.preparation import Request
from satgraph_rdf.settings import Settings
from satgraph_rdf.wiring import Service

ROOT = Path(__file__).resolve().parent.parent
IN_MEMORY = 10_000_000


def quoted(name: str) -> str:
    """An id as one path segment, every character that could mean something encoded."""
    return quote(name, safe="")


def load_into(folder: Path, *requests: Request, **options: Any) -> Report:
    """Load sources now."""
    return load(folder, requests, wall_clock(), **options)


@contextmanager
def serving(folder: Path, memory_quads: int = IN_MEMORY) -> Iterator[Service]:
    """A service on a store, closed at the end."""
    service = Service(Settings(folder, memory_quads))
    try:
        yield service
    finally:
        service.close()


@contextmanager
def listening(service: Service) -> Iterator[httpx.Client]:
    """A client of a real server on a free port of the loopback address."""
    server = configure(service, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server ended before it had started"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora."""
    folder = Path(os.environ.get("SATGRAPH_CORPORA") or ROOT.parent / "shared" / "corpora")
    if not folder.is_dir():
        pytest.skip(f"the real corpora are not at {folder}; set SATGRAPH_CORPORA to their folder")
    return folder


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the bundled sample; not to be written to."""
    folder = tmp_path_factory.mktemp("sample") / "store"
    load_into(folder, *bundled())
    return folder


@pytest.fixture(scope="session")
def sample(sample_store: Path) -> Iterator[Service]:
    """A service on the bundled sample."""
    with serving(sample_store) as service:
        yield service


@pytest.fixture(scope="session")
def cf88_archive(corpora: Path) -> Path:
    """The archive of the 93 snapshots."""
    path = corpora / "cf88" / "snapshots.tar.xz"
    if not path.is_file():
        pytest.skip(f"the snapshots of the Constitution are not at {path}")
    return path


@pytest.fixture(scope="session")
def cf88_store(cf88_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the 93 snapshots of the Constitution; not to be written to."""
    folder = tmp_path_factory.mktemp("cf88") / "store"
    load_into(folder, Request(cf88_archive))
    return folder


@pytest.fixture(scope="session")
def cf88(cf88_store: Path) -> Iterator[Service]:
    """A service on the 93 snapshots."""
    with serving(cf88_store) as service:
        yield service


@pytest.fixture(scope="session")
def rest() -> Iterator[Callable[[Service], httpx.Client]]:
    """Makes a REST client of a service; the same service gets the same client."""
    made: dict[int, httpx.Client] = {}
    with ExitStack() as stack:

        def make(service: Service) -> httpx.Client:
            if id(service) not in made:
                made[id(service)] = stack.enter_context(listening(service))
            return made[id(service)]

        yield make


@pytest.fixture(scope="session")
def client(sample: Service, rest: Callable[[Service], httpx.Client]) -> httpx.Client:
    """A REST client of the bundled sample."""
    return rest(sample)
