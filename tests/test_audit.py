"""The audit log: one record a call from every door, complete, canonical, and none lost."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from urllib.parse import quote

import httpx
import pytest

from api.cli import main
from api.demo import bundled
from api.server import configure
from satgraph_rdf.audit.record import FileSink, NullSink, Record
from satgraph_rdf.call import Caller
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.errors import SatGraphError
from satgraph_rdf.loading import load
from satgraph_rdf.registry import Registry
from satgraph_rdf.wiring import Service, store_settings

REGISTRY = Registry.load()
CF88 = "urn:lex:br:federal:constituicao:1988-10-05;1988"
ART6 = f"{CF88}!art6_cpt"
V2000 = f"{CF88}@2000-02-14!art6_cpt"
FIELDS = {
    "id", "parent", "trace", "time", "door", "caller", "primitive", "query", "args", "revision", "graphs", "rows",
    "ids", "scores", "result", "error", "ms", "prev",
}  # fmt: skip
ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited") / "store"
    load(folder, bundled(), wall_clock())
    return folder


@pytest.fixture
def service(loaded):
    made = Service(store_settings(loaded))
    yield made
    made.close()


def records(folder):
    found = []
    for path in sorted((folder / "audit").glob("*/*.jsonl")):
        data = path.read_bytes()
        assert data.endswith(b"\n")
        found += [json.loads(line) for line in data.decode("utf-8").split("\n")[:-1]]
    return found


@pytest.fixture
def new(loaded):
    """The records written since the last look, by time."""
    seen = {record["id"] for record in records(loaded)}

    def look():
        fresh = [record for record in records(loaded) if record["id"] not in seen]
        seen.update(record["id"] for record in fresh)
        return fresh

    return look


def failing(service, name, arguments):
    with pytest.raises(SatGraphError) as caught:
        service.run(name, arguments, "test")
    return caught.value


# What a record says ------------------------------------------------------------------------------


def test_the_fields_are_fixed():
    assert {field.name for field in fields(Record)} == FIELDS


def test_a_record_of_an_answer(service, loaded, new):
    before = wall_clock()
    answer = service.run(
        "getValidVersions",
        {"itemId": ART6, "at": "2001-05-20T00:00:00+02:00", "observerTime": "2020-01-01"},
        "test",
        "someone",
    )
    [record] = new()
    assert set(record) == FIELDS
    assert ULID.fullmatch(record["id"])
    assert record["id"] == answer.record
    assert record["trace"] == record["id"]
    assert record["parent"] is None
    assert INSTANT.fullmatch(record["time"])
    assert str(before) <= record["time"] <= str(wall_clock())
    assert record["door"] == "test"
    assert record["caller"] == "someone"
    assert record["primitive"] == "getValidVersions"
    assert record["query"] == REGISTRY["getValidVersions"].identity
    assert record["args"] == {
        "itemId": ART6,
        "at": "2001-05-19T22:00:00Z",
        "observerTime": "2020-01-01T00:00:00Z",
    }
    assert record["revision"] == answer.revision == service.served().manifest.revision
    assert record["graphs"] == [
        f"https://w3id.org/sat-graph/data/graph/{name}" for name in ("constitution", "standards")
    ]
    assert record["rows"] >= 1
    assert record["ids"] == [V2000]
    assert record["scores"] is None
    assert record["result"] == hashlib.sha256(answer.body).hexdigest()
    assert json.loads(answer.body) == answer.value
    assert record["error"] is None
    assert isinstance(record["ms"], float)
    assert 0 < record["ms"] < 60_000
    assert record["prev"] is None


def test_defaults_are_filled_with_the_instants_used(service, new):
    answer = service.run("getValidVersions", {"itemId": ART6}, "test")
    [record] = new()
    assert record["args"] == {"itemId": ART6, "at": answer.at, "observerTime": answer.observer_time}
    again = service.run("getValidVersions", record["args"], "test")
    assert again.body == answer.body, "the arguments of a record give its answer"
    assert new()[0]["args"] == record["args"]


def test_other_defaults_are_filled_too(service, new):
    service.run("getItemHierarchy", {"itemId": CF88}, "test")
    service.run("getBatchTextUnits", {"versionIds": [V2000], "language": "pt"}, "test")
    hierarchy, texts = new()
    assert hierarchy["args"] == {"itemId": CF88, "depth": -1, "order": "depth"}
    assert texts["args"] == {"versionIds": [V2000], "language": "pt", "aspects": ["canonical"]}


def test_a_nested_call_names_its_parent_and_trace(service, new):
    engine = service.served().engine
    caller = service.served().everything("local")
    outer = engine.run("getItem", {"itemId": ART6}, caller)
    engine.run("getItemAncestors", {"itemId": ART6}, caller, "plan", outer.record, outer.record)
    first, second = new()
    assert (second["parent"], second["trace"], second["door"]) == (first["id"], first["id"], "plan")
    assert first["door"] == "python"


@pytest.mark.parametrize(
    ("name", "arguments", "code", "known"),
    [
        ("getItem", {"itemId": "no-such"}, "RESOURCE_NOT_FOUND", {"itemId": "no-such"}),
        ("getItem", {}, "MISSING_PARAMETER", {}),
        ("getItem", {"itemId": ""}, "INVALID_PARAMETER", {}),
        ("getItem", {"itemId": ART6, "other": "1"}, "INVALID_PARAMETER", {}),
        ("getValidVersions", {"itemId": ART6, "at": "1980-01-01", "observerTime": "2020-01-01"}, "NO_VALID_VERSION", {"itemId": ART6, "at": "1980-01-01T00:00:00Z", "observerTime": "2020-01-01T00:00:00Z"}),
        ("getValidVersions", {"itemId": ART6, "at": "yesterday"}, "INVALID_PARAMETER", {"itemId": ART6}),
        ("getVersion", {"versionId": V2000, "observerTime": "1999-01-01"}, "NOT_YET_KNOWN", {"versionId": V2000, "observerTime": "1999-01-01T00:00:00Z"}),
        ("getItemVersions", {"itemId": ART6, "startAt": "2015-01-01", "endAt": "2014-01-01", "observerTime": "2020-01-01"}, "INVALID_DATE_RANGE", {"itemId": ART6, "startAt": "2015-01-01T00:00:00Z", "endAt": "2014-01-01T00:00:00Z", "observerTime": "2020-01-01T00:00:00Z"}),
        ("getBatchItems", {"ids": [ART6, ART6]}, "INVALID_PARAMETER", {}),
    ],
)  # fmt: skip
def test_a_failing_call_leaves_one_record(service, new, name, arguments, code, known):
    assert failing(service, name, arguments).code == code
    [record] = new()
    assert set(record) == FIELDS
    assert record["error"] == code
    assert record["result"] is None
    assert record["ids"] == []
    assert record["args"] == known
    assert record["primitive"] == name
    assert ULID.fullmatch(record["id"])


def test_a_fault_of_ours_is_recorded_too(service, new, monkeypatch):
    engine = service.served().engine

    def broken(*_arguments):
        raise RuntimeError("broken")

    monkeypatch.setattr(engine.store, "select", broken)
    with pytest.raises(RuntimeError):
        service.run("getItem", {"itemId": ART6}, "test")
    [record] = new()
    assert (record["error"], record["result"]) == ("INTERNAL_ERROR", None)


@pytest.mark.parametrize("primitive", list(REGISTRY), ids=lambda primitive: primitive.name)
def test_every_primitive_leaves_one_record_a_call(service, new, primitive):
    arguments = {
        use.param.wire: use.param.example for use in primitive.uses if use.required or use.param.name == "at"
    }
    answer = service.run(primitive.name, arguments, "test")
    [record] = new()
    assert record["primitive"] == primitive.operation_id
    assert record["query"] == primitive.identity
    assert record["result"] == hashlib.sha256(answer.body).hexdigest()
    value = answer.value
    if primitive.returns == "Document":
        assert record["ids"] == [value["versionId"]]
    elif primitive.many:
        assert record["ids"] == [entry if isinstance(entry, str) else entry["id"] for entry in value]
    else:
        assert record["ids"] == [value["id"]]
    filled = {
        use.param.wire
        for use in primitive.uses
        if use.default not in ("beginning", "open", "*", ["*"], "any")
    }
    assert set(record["args"]) == filled | set(arguments)


def test_ids_are_the_first_thousand(service):
    from satgraph_rdf.engine import _ids

    assert len(_ids([f"x{number}" for number in range(1500)])) == 1000
    assert len(_ids([{"id": f"x{number}"} for number in range(1500)])) == 1000


# Every door --------------------------------------------------------------------------------------


@pytest.fixture
def web(service):
    server = configure(service, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        yield client
    server.should_exit = True
    thread.join()


def test_rest_leaves_one_record_a_call(web, new):
    good = web.get(f"/items/{quote(ART6, safe='')}/valid-versions?at=2001-05-20")
    bad = web.get(f"/items/{quote(ART6, safe='')}/valid-versions?at=1980-01-01")
    ill = web.get(f"/items/{quote(ART6, safe='')}/valid-versions?at=x")
    head = web.head(f"/items/{quote(ART6, safe='')}")
    batch = web.post("/items/batch-get", json={"ids": [ART6, "no-such"]})
    assert [reply.status_code for reply in (good, bad, ill, head, batch)] == [200, 404, 400, 200, 200]
    found = new()
    assert [record["error"] for record in found] == [
        None,
        "NO_VALID_VERSION",
        "INVALID_PARAMETER",
        None,
        None,
    ]
    assert {record["door"] for record in found} == {"rest"}
    assert found[0]["result"] == hashlib.sha256(good.content).hexdigest()
    assert [found[n]["id"] for n in (0, 3, 4)] == [
        reply.headers["SAT-Record"] for reply in (good, head, batch)
    ]
    web.get("/health")
    web.get("/openapi.json")
    assert new() == [], "no call of a primitive, no record"


@pytest.mark.parametrize("target", ["/items/x/valid-versions?at=1&at=2", "/items/x?format=xml"])
def test_a_call_refused_at_the_door_is_recorded(web, new, target):
    """The route is known, so the primitive is: one record whichever way the call failed."""
    assert web.get(target).status_code == 400
    assert [record["error"] is not None for record in new()] == [True]


@pytest.mark.parametrize("body", [b"{", b"[]", b" " * (1024 * 1024 + 1)], ids=["cut", "list", "large"])
def test_a_body_refused_at_the_door_is_recorded(web, new, body):
    assert web.post("/items/batch-get", content=body).status_code in (400, 413)
    assert [record["error"] is not None for record in new()] == [True]


def test_the_command_line_leaves_one_record_a_call(loaded, new, capsys):
    assert main(["call", "get-item-by-id", "--item", ART6, "--store", str(loaded)]) == 0
    said = capsys.readouterr().err
    assert main(["call", "get-item-by-id", "--item", "no-such", "--store", str(loaded)]) == 4
    assert main(["text", ART6, "--at", "2001-05-20", "--store", str(loaded)]) == 0
    found = sorted(new(), key=lambda record: record["time"])
    assert [(record["door"], record["primitive"], record["error"]) for record in found] == [
        ("cli", "getItem", None),
        ("cli", "getItem", "RESOURCE_NOT_FOUND"),
        ("cli", "getDocumentText", None),
    ]
    assert found[0]["id"] in said


# The file ----------------------------------------------------------------------------------------


def test_lines_are_canonical_json(service, loaded, new):
    service.run("getItem", {"itemId": ART6}, "test")
    failing(service, "getItem", {"itemId": 'ção 日本 \U0001f4dc \u2028 " \\ /'})
    [_, record] = new()
    assert record["args"]["itemId"].startswith("ção 日本 \U0001f4dc \u2028")
    checked = 0
    for path in (loaded / "audit").glob("*/*.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            again = json.dumps(json.loads(line), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            assert line == again.encode("utf-8")
            checked += 1
    assert checked


def test_the_layout_of_the_folder(service, loaded):
    service.run("getItem", {"itemId": ART6}, "test")
    for path in (loaded / "audit").rglob("*"):
        if path.is_dir():
            assert path.parent == loaded / "audit"
        else:
            assert path.parent.parent == loaded / "audit"
            assert re.fullmatch(r"\d{8}-\d+\.jsonl", path.name)
            assert path.stat().st_mode & 0o077 == 0, "the records are for their owner only"
            day = path.name[:8]
            times = {
                json.loads(line)["time"][:10].replace("-", "") for line in path.read_bytes().splitlines()
            }
            assert times == {day}


def test_services_on_one_store_never_share_a_file(loaded):
    services = [Service(store_settings(loaded)) for _ in range(2)]
    try:
        before = len(records(loaded))
        for made in services:
            made.run("getItem", {"itemId": ART6}, "test")
        assert len(records(loaded)) == before + 2
    finally:
        for made in services:
            made.close()


def test_threads_lose_nothing(service, loaded, new):
    with ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(
                lambda n: service.run("getItem", {"itemId": ART6 if n % 2 else CF88}, f"door{n}"), range(800)
            )
        )
    found = new()
    assert len(found) == 800
    assert {record["id"] for record in found} == {answer.record for answer in answers}
    assert len({record["id"] for record in found}) == 800
    assert {record["door"] for record in found} == {f"door{n}" for n in range(800)}


def made_record(number, day="2026-01-31", pad=0):
    return Record(
        f"id{number}",
        None,
        "t",
        f"{day}T00:00:00Z",
        "test",
        "c",
        "p",
        "q",
        {"pad": "x" * pad},
        "r",
        [],
        0,
        [],
        None,
        None,
        None,
        0.5,
    )


def test_writers_in_threads_write_whole_lines(tmp_path):
    sinks = [FileSink(tmp_path, f"writer{n}") for n in range(3)]

    def write(number):
        sinks[number % 3].write(made_record(number, pad=number % 7 * 3000))

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(1500)))
    for sink in sinks:
        sink.close()
    found = [
        json.loads(line)
        for path in tmp_path.glob("*/*.jsonl")
        for line in path.read_bytes().split(b"\n")[:-1]
    ]
    assert {record["id"] for record in found} == {f"id{number}" for number in range(1500)}
    assert len(found) == 1500
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*")) == [
        f"writer{n}/20260131-1.jsonl" for n in range(3)
    ]


def test_a_new_day_and_a_new_start_begin_a_new_file(tmp_path):
    sink = FileSink(tmp_path, "w")
    sink.write(made_record(1))
    sink.write(made_record(2, "2026-02-01"))
    sink.close()
    again = FileSink(tmp_path, "w")
    again.write(made_record(3, "2026-02-01"))
    again.close()
    found = {
        path.name: [json.loads(line)["id"] for line in path.read_text().splitlines()]
        for path in (tmp_path / "w").iterdir()
    }
    assert found == {"20260131-1.jsonl": ["id1"], "20260201-1.jsonl": ["id2"], "20260201-2.jsonl": ["id3"]}


def test_threads_that_fill_files_lose_nothing(tmp_path, monkeypatch):
    """A file is closed and the next one opened while others write."""
    monkeypatch.setattr("satgraph_rdf.audit.record._ROTATE_AT", 600)
    sink, start = FileSink(tmp_path, "w"), threading.Barrier(12)

    def write(first):
        start.wait(30)
        for number in range(first, 600, 12):
            sink.write(made_record(number, "2026-01-31" if number % 5 else "2026-02-01"))

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(12)))
    sink.close()
    ids = [json.loads(line)["id"] for path in tmp_path.glob("*/*") for line in path.read_bytes().splitlines()]
    assert sorted(ids) == sorted(f"id{number}" for number in range(600))


def test_a_full_file_is_followed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr("satgraph_rdf.audit.record._ROTATE_AT", 1000)
    sink = FileSink(tmp_path, "w")
    for number in range(12):
        sink.write(made_record(number, pad=200))
    sink.close()
    names = sorted((path.name for path in (tmp_path / "w").iterdir()), key=lambda name: int(name[9:-6]))
    assert names == [f"20260131-{n}.jsonl" for n in range(1, len(names) + 1)]
    assert len(names) > 1
    ids = [
        json.loads(line)["id"] for name in names for line in (tmp_path / "w" / name).read_text().splitlines()
    ]
    assert ids == [f"id{number}" for number in range(12)]


def test_a_lone_surrogate_cannot_break_the_log(service, new):
    failing(service, "getItem", {"itemId": "\ud800"})
    assert [record["error"] for record in new()] == ["INVALID_PARAMETER"]
    line = made_record(1).line()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1


def test_a_sink_that_keeps_nothing():
    NullSink().write(made_record(1))


def test_the_record_is_written_before_the_answer_is_given(loaded, service):
    answer = service.run("getItem", {"itemId": ART6}, "test")
    assert answer.record in {record["id"] for record in records(loaded)}


def test_a_caller_without_graphs_sees_nothing_and_is_recorded(service, new):
    with pytest.raises(SatGraphError) as caught:
        service.served().engine.run("getItem", {"itemId": ART6}, Caller("nobody", ()), "test")
    assert caught.value.code == "RESOURCE_NOT_FOUND"
    [record] = new()
    assert (record["caller"], record["graphs"], record["rows"]) == ("nobody", [], 0)


def test_a_record_that_finds_no_room_fails_the_call_and_tears_no_other(tmp_path, monkeypatch):
    """A full disk: the call is not answered, and the next record begins a file of its own."""
    import os

    from satgraph_rdf.audit.record import FileSink
    from satgraph_rdf.errors import StoreError

    sink = FileSink(tmp_path, "w")
    whole = os.write
    record = Record(
        id="1", parent=None, trace="1", time="2026-01-01T00:00:00Z", door="test", caller="c", primitive="getItem",
        query="q", args={}, revision="r", graphs=[], rows=0, ids=[], scores=None, result=None, error=None, ms=0.0,
    )  # fmt: skip
    sink.write(record)
    monkeypatch.setattr(os, "write", lambda file, line: whole(file, line[:10]))
    with pytest.raises(StoreError, match="no room"):
        sink.write(record)
    monkeypatch.undo()
    sink.write(record)
    sink.close()
    texts = [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "w").iterdir())]
    assert len(texts) == 2
    assert json.loads(texts[1])["id"] == "1"
    assert json.loads(texts[0].splitlines()[0])["id"] == "1"
