"""Performance as ratios against a named alternative in the same run: ``make bench``.

Variants alternate within the run, so that a machine whose speed drifts slows both. Figures are
medians. The data is the cf88 corpus where it is there, else the bundled sample.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox
import rdflib

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from api.demo import bundled
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import load
from satgraph_rdf.preparation import Request
from satgraph_rdf.settings import Settings
from satgraph_rdf.wiring import Service

WORK = "urn:lex:br:federal:constituicao:1988-10-05;1988"


def sources() -> tuple[str, list[Request]]:
    default = Path(__file__).resolve().parents[2] / "shared" / "corpora"
    archive = Path(os.environ.get("SATGRAPH_CORPORA", default)) / "cf88" / "snapshots.tar.xz"
    if archive.is_file():
        return "cf88 corpus", [Request(archive, "cf88", "cf88")]
    return "bundled sample (no corpora found)", bundled()


def alternate(rounds: int, *variants: Callable[[], object], calls: int = 1) -> list[float]:
    """The median seconds of a call of each variant; in each round ``calls`` calls of one, then of the next."""
    times: list[list[float]] = [[] for _ in variants]
    for _ in range(rounds):
        for index, variant in enumerate(variants):
            for _call in range(calls):
                start = time.perf_counter()
                variant()
                times[index].append(time.perf_counter() - start)
    return [statistics.median(found) for found in times]


def line(what: str, ratio: float, limit: str, holds: bool, seconds: list[float]) -> bool:
    shown = ", ".join(f"{s * 1e6:,.0f} us" for s in seconds)
    print(f"{'ok  ' if holds else 'MISS'} {what}: {ratio:.2f} ({limit}); {shown}", flush=True)
    return holds


def reading(service: Service, raw: ox.Store, quads: Path) -> bool:
    served = service.served()
    caller = served.everything("bench")
    graphs = list(caller.graphs)
    arguments = {"itemId": f"{WORK}!art6_cpt", "at": "2001-05-20", "observerTime": "2026-01-01"}
    text = served.engine.show("getValidVersions", arguments)

    def engine() -> object:
        return served.engine.run("getValidVersions", arguments, caller, "bench")

    def bare() -> object:
        return list(raw.query(text, default_graph=graphs, named_graphs=graphs))  # type: ignore[arg-type]

    alternate(50, engine, bare)
    first, second = alternate(600, engine, bare)
    fine = line(
        "getValidVersions, engine / bare query",
        first / second,
        "at most 2.5",
        first / second <= 2.5,
        [first, second],
    )

    graph = rdflib.Graph()
    for quad in ox.parse(path=str(quads), format=ox.RdfFormat.N_QUADS):
        graph.add((_rdflib(quad.subject), _rdflib(quad.predicate), _rdflib(quad.object)))

    def other() -> object:
        return list(graph.query(text))

    first, second = alternate(5, engine, other, calls=10)
    fine &= line(
        "getValidVersions, rdflib / engine",
        second / first,
        "at least 20",
        second / first >= 20,
        [first, second],
    )

    whole = {"itemId": WORK, "at": "2001-05-20", "observerTime": "2026-01-01"}
    document = served.engine.show("getDocumentText", whole)

    def read() -> object:
        return served.engine.run("getDocumentText", whole, caller, "bench")

    def bare_document() -> object:
        return list(raw.query(document, default_graph=graphs, named_graphs=graphs))  # type: ignore[arg-type]

    alternate(3, read, bare_document)
    first, second = alternate(25, read, bare_document)
    return (
        line(
            "getDocumentText, engine / bare query",
            first / second,
            "at most 2",
            first / second <= 2,
            [first, second],
        )
        and fine
    )


def _rdflib(term: object) -> rdflib.term.Identifier:
    if isinstance(term, ox.NamedNode):
        return rdflib.URIRef(term.value)
    assert isinstance(term, ox.Literal)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value))


def loading(requests: list[Request], quads: Path, folder: Path) -> bool:
    count = 0

    def whole() -> object:
        nonlocal count
        count += 1
        return load(folder / f"load-{count}", requests, wall_clock())

    def bulk() -> object:
        nonlocal count
        count += 1
        store = ox.Store(str(folder / f"bulk-{count}"))
        store.bulk_load(path=str(quads), format=ox.RdfFormat.N_QUADS)
        store.flush()
        return store

    first, second = alternate(3, whole, bulk)
    return line(
        "load / parse and bulk_load the same quads",
        first / second,
        "at most 12",
        first / second <= 12,
        [first, second],
    )


def main() -> int:
    name, requests = sources()
    print(f"data: {name}")
    with tempfile.TemporaryDirectory(prefix="satgraph-bench-") as temporary:
        folder = Path(temporary)
        load(folder / "store", requests, wall_clock())
        service = Service(Settings(folder / "store", 10_000_000))
        quads = folder / "all.nq"
        store, _ = service.revisions.open()
        with quads.open("wb") as file:
            store.dump(file)
        raw = ox.Store()
        raw.bulk_load(path=str(quads), format=ox.RdfFormat.N_QUADS)
        fine = reading(service, raw, quads)
        fine = loading(requests, quads, folder) and fine
        service.close()
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
