"""The five published worked cases: their sample queries, and every instant at which something changes."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import load_into, quoted, serving

from satgraph_rdf.preparation import Request
from satgraph_rdf.revisions import Revisions
from satgraph_rdf.wiring import Service

pytestmark = pytest.mark.corpus

CASES = (
    "001-point-in-time-retrieval",
    "CL001-hc-126292-presumption-of-innocence",
    "CL002-adi-4983-vaquejada-dialogue",
    "CL003-ipi-credit-divergence",
    "CL004-donoghue-v-stevenson-duty-of-care",
)
QUERY = re.compile(r"(getValidVersions|getItemHistory)\('([^']+)'(?:, '([^']+)')?\)")
FAR = datetime(9999, 1, 1, tzinfo=UTC)
ZONES = (UTC, timezone(timedelta(hours=-3)), timezone(timedelta(hours=1)))
SHIFTS = tuple(timedelta(milliseconds=milliseconds) for milliseconds in (-1000, -1, 0, 1, 1000))


@pytest.fixture(scope="module")
def folder(corpora: Path) -> Path:
    found = corpora / "satgraph-cases"
    if not found.is_dir():
        pytest.skip(f"the worked cases are not at {found}")
    assert sorted(path.stem for path in found.glob("*.json")) == list(CASES)
    return found


@pytest.fixture(scope="module")
def services(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Service]]:
    """Each case in a store of its own, and all of them in one (named ``all``)."""
    root = tmp_path_factory.mktemp("cases")
    for name in CASES:
        load_into(root / name, Request(folder / f"{name}.json"))
    load_into(root / "all", *(Request(folder / f"{name}.json") for name in CASES))
    with ExitStack() as stack:
        yield {name: stack.enter_context(serving(root / name)) for name in (*CASES, "all")}


@pytest.fixture(params=["alone", "together"])
def client_of(
    request: pytest.FixtureRequest, services: dict[str, Service], rest: Callable[[Service], httpx.Client]
) -> Callable[[str], httpx.Client]:
    """The REST client of a case: its own store, or the store of all five."""
    together = request.param == "together"
    return lambda name: rest(services["all" if together else name])


def document(folder: Path, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return read


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def intervals(data: dict[str, Any]) -> dict[str, list[tuple[datetime, str, datetime]]]:
    """item -> (from, version, until), read from the file and from nothing else."""
    found: dict[str, list[tuple[datetime, str, datetime]]] = defaultdict(list)
    for version in data["versions"]:
        start, until = version["validityInterval"]
        found[version["itemId"]].append((instant(start), version["id"], instant(until) if until else FAR))
    return {item: sorted(stated) for item, stated in found.items()}


def valid(client: httpx.Client, item: str, at: str) -> list[str]:
    answer = client.get(f"/items/{quoted(item)}/valid-versions?at={quoted(at)}")
    if answer.status_code == 404:
        assert answer.json()["code"] == "NO_VALID_VERSION", answer.text
        return []
    assert answer.status_code == 200, answer.text
    return [version["id"] for version in answer.json()]


def test_all_five_are_five_sources(services: dict[str, Service], folder: Path) -> None:
    manifest = services["all"].served().manifest
    assert [source.name for source in manifest.sources] == sorted(CASES)
    apart = [services[name].served().manifest for name in CASES]
    assert manifest.quads == sum(one.quads for one in apart)
    total = sum(int(one.content_hash, 16) for one in apart) % (1 << 256)
    assert int(manifest.content_hash, 16) == total
    for name in CASES:
        data = document(folder, name)
        counts = manifest.source(name).counts  # type: ignore[union-attr]
        assert counts["items"] == len(data["items"])
        assert counts["actions"] == len(data["actions"])


@pytest.mark.parametrize("name", CASES)
def test_sample_queries_give_what_they_promise(
    name: str, folder: Path, client_of: Callable[[str], httpx.Client]
) -> None:
    client = client_of(name)
    data = document(folder, name)
    assert len(data["sampleQueries"]) >= 3
    for entry in data["sampleQueries"]:
        match = QUERY.fullmatch(entry["query"])
        assert match is not None, entry["query"]
        primitive, item, at = match.groups()
        if primitive == "getValidVersions":
            found = valid(client, item, at)
        else:
            answer = client.get(f"/items/{quoted(item)}/history")
            found = [action["id"] for action in answer.json()]
        # Both orders of the contract, (from, id) and (eventTime, sequence, id), are those of the files.
        assert found == entry["expectedResult"], entry["query"]


def test_there_are_twenty_three_sample_queries(folder: Path) -> None:
    assert sum(len(document(folder, name)["sampleQueries"]) for name in CASES) == 23


@pytest.mark.parametrize("name", CASES)
def test_every_boundary_is_half_open_in_every_zone(
    name: str, folder: Path, client_of: Callable[[str], httpx.Client]
) -> None:
    client, probes, empty = client_of(name), 0, 0
    for item, stated in intervals(document(folder, name)).items():
        bounds = {start for start, _, _ in stated} | {until for _, _, until in stated if until != FAR}
        for at in sorted(bound + shift for bound in bounds for shift in SHIFTS):
            expected = [version for start, version, until in stated if start <= at < until]
            empty += not expected
            for zone in ZONES:
                written = at.astimezone(zone).isoformat(timespec="milliseconds")
                assert valid(client, item, written) == expected, f"{item} at {written}"
                probes += 1
    assert probes >= 15 * len(document(folder, name)["versions"]) / 2
    assert empty > 0


@pytest.mark.parametrize("name", CASES)
def test_the_instants_asked_come_back_in_utc(
    name: str, folder: Path, client_of: Callable[[str], httpx.Client]
) -> None:
    client = client_of(name)
    (item, stated), *_ = intervals(document(folder, name)).items()
    written = stated[0][0].astimezone(ZONES[1]).isoformat()
    answer = client.get(f"/items/{quoted(item)}/valid-versions?at={quoted(written)}")
    assert written.endswith("-03:00")
    assert answer.headers["SAT-At"] == stated[0][0].isoformat().replace("+00:00", "Z")


def test_a_plus_that_became_a_space_is_named(folder: Path, client_of: Callable[[str], httpx.Client]) -> None:
    name = CASES[0]
    item = next(iter(intervals(document(folder, name))))
    answer = client_of(name).get(f"/items/{quoted(item)}/valid-versions?at=2001-05-20T00:00:00+01:00")
    assert answer.status_code == 400
    assert answer.json()["code"] == "INVALID_PARAMETER"
    assert "%2B" in answer.json()["message"]


@pytest.mark.parametrize("name", CASES)
def test_what_is_stated_of_each_version_comes_back(
    name: str, folder: Path, client_of: Callable[[str], httpx.Client]
) -> None:
    client, data = client_of(name), document(folder, name)
    for version in data["versions"]:
        got = client.get(f"/versions/{quoted(version['id'])}").json()
        for field in ("itemId", "type", "validityInterval", "producedByActionId", "terminatedByActionId"):
            assert got.get(field) == version.get(field), f"{version['id']} {field}"


def test_sources_in_another_order_are_the_same_content(
    folder: Path, services: dict[str, Service], tmp_path: Path
) -> None:
    load_into(tmp_path, *(Request(folder / f"{name}.json") for name in reversed(CASES)))
    one, other = services["all"].served().manifest, Revisions(tmp_path).manifest()
    assert (one.content_hash, one.digest) == (other.content_hash, other.digest)
