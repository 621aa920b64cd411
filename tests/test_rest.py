"""The REST door through a real HTTP server: routes made from the registry, errors, headers, determinism."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from api.demo import bundled
from api.server import configure
from satgraph_rdf import __version__
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import load
from satgraph_rdf.params import MAX_BATCH
from satgraph_rdf.preparation import Request
from satgraph_rdf.registry import Registry
from satgraph_rdf.wiring import Service, store_settings

ROOT = Path(__file__).resolve().parent.parent
PRIMITIVES = list(Registry.load())
BASE = "https://w3id.org/sat-graph/data/id/"
CF88 = "urn:lex:br:federal:constituicao:1988-10-05;1988"
ART6 = f"{CF88}!art6_cpt"
EC26 = "urn:lex:br:federal:emenda.constitucional:2000-02-14;26"
V2000 = f"{CF88}@2000-02-14!art6_cpt"
CLAUSE = "https://standards.example/ES-100/clause-4.2"
FIXED = "at=2016-06-01&observerTime=2020-01-01"

LONG = "x" * 2000
ODD_IDS = (
    "a/b",
    "a/b/c.d",
    "lei;1!art2@x",
    "a#b",
    "a?b=c&d",
    "com espaço e acento ção",
    "日本/法 1",
    "emoji-\U0001f4dc",
    "a%2Fb",
    "100%",
    "a+b",
    "plain/versions",
    "plain/valid-versions",
    "x/children/hierarchy",
    "versions",
    "http://laws.example/act/1?x=1#s2",
    "https://laws.example/act/2/versions",
    "~tilde'(quote)*",
    '<b>"x"</b>',
    "a//b",
    "a\ufffdb",
    LONG,
)


class Client:
    """Requests with the path sent exactly as written, which most clients normalise."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, target, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(
                method, target.encode("latin-1").decode("latin-1"), skip_accept_encoding=True
            )
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode("utf-8")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
                connection.putheader("Content-Type", "application/json")
            connection.endheaders()
            if data is not None:
                connection.send(data)
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, target):
        return self.ask("GET", target)

    def post(self, target, body):
        return self.ask("POST", target, body)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def error(self, status, code):
        """The contract's form, and never the framework's own."""
        assert self.status == status, (self.status, self.body[:400])
        body = self.json
        assert set(body) <= {"code", "message", "details"}, body
        assert body["code"] == code, body
        assert isinstance(body["message"], str)
        assert body["message"]
        assert "detail" not in body
        assert self.headers["Content-Type"].startswith("application/json")
        return body


def quoted(name):
    return quote(name, safe="")


def odd_document():
    """A law, with a part, under every odd id."""
    items, versions = [], []
    for name in ODD_IDS:
        part = f"{name}!part" if name != LONG else "y" * 2000
        items.append({"id": name, "typeId": "law", "label": f"Law {name[:20]}"})
        items.append({"id": part, "typeId": "article", "label": "Part", "parentId": name})
        versions.append(
            {
                "id": f"{name}@2010",
                "itemId": name,
                "type": "statutory",
                "validityInterval": ["2010-01-01T00:00:00Z", None],
            }
        )
    texts = [
        {
            "sourceType": "Version",
            "sourceId": version["id"],
            "language": "pt-BR",
            "aspect": "canonical",
            "content": "Texto.",
        }
        for version in versions
    ]
    return {"items": items, "versions": versions, "textUnits": texts, "actions": []}


@pytest.fixture(scope="module")
def odd_store(tmp_path_factory):
    """The bundled sample and the odd ids."""
    folder = tmp_path_factory.mktemp("odd")
    source = folder / "odd.json"
    source.write_text(json.dumps(odd_document(), ensure_ascii=False), encoding="utf-8")
    load(folder / "store", [*bundled(), Request(source, "satgraph-json", "odd")], wall_clock())
    return folder / "store"


@pytest.fixture(scope="module")
def web(odd_store):
    service = Service(store_settings(odd_store))
    server = configure(service, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield Client(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    thread.join()
    service.close()


def example_request(primitive):
    """Method, target and body of a primitive with its documented examples."""
    subject = primitive.subject
    target, query, body = primitive.path, {}, {}
    for use in primitive.uses:
        if use is subject:
            target = target.replace("{" + use.param.name + "}", quoted(use.param.example))
        elif primitive.method == "POST":
            body[use.param.wire] = use.param.example
        elif use.required or use.param.kind == "instant":
            query[use.param.wire] = use.param.example
    return primitive.method, target + ("?" + urlencode(query) if query else ""), body or None


# Every primitive ---------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_every_primitive_is_reached_with_its_own_example(web, primitive):
    method, target, body = example_request(primitive)
    reply = web.ask(method, target, body)
    if reply.status != 200:  # an example may hit an instant without a version, not another route
        assert reply.json["code"] == primitive.outcome
    else:
        assert isinstance(reply.json, list) == primitive.many
    assert reply.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_an_answer_is_the_engines_answer(web, odd_store, primitive):
    method, target, body = example_request(primitive)
    reply = web.ask(method, target, body)
    if reply.status != 200:
        return
    service = Service(store_settings(odd_store))
    try:
        arguments = dict(body or {})
        for use in primitive.uses:
            if use is primitive.subject or f"{use.param.wire}=" in target:
                arguments[use.param.wire] = use.param.example
        if "at" in {use.param.wire for use in primitive.uses} and "at" not in arguments:
            arguments["at"] = reply.headers["SAT-At"]
        assert service.run(primitive.name, arguments, "test").body == reply.body
    finally:
        service.close()


# Ids in paths ------------------------------------------------------------------------------------

SUB_ROUTES = (
    "valid-versions",
    "applicable-versions",
    "versions",
    "children",
    "ancestors",
    "hierarchy",
    "history",
    "actions-caused",
)


@pytest.mark.parametrize("name", ODD_IDS, ids=lambda name: name[:30])
def test_an_encoded_id_reaches_itself_and_every_sub_route(web, name):
    reply = web.get(f"/items/{quoted(name)}")
    assert reply.status == 200, reply.body
    assert reply.json["id"] == name
    part = f"{name}!part" if name != LONG else "y" * 2000
    expected = {
        "valid-versions": [f"{name}@2010"],
        "applicable-versions": [f"{name}@2010"],
        "versions": [f"{name}@2010"],
        "children": [part],
        "ancestors": [],
        "hierarchy": [part],
        "history": [],
        "actions-caused": [],
    }
    assert set(expected) == set(SUB_ROUTES)
    for sub, wanted in expected.items():
        reply = web.get(f"/items/{quoted(name)}/{sub}")
        assert reply.status == 200, (sub, reply.body)
        assert [entry if isinstance(entry, str) else entry["id"] for entry in reply.json] == wanted, sub
    version = quoted(f"{name}@2010")
    assert web.get(f"/versions/{version}").json["itemId"] == name
    for sub in ("children", "parents", "ancestors", "hierarchy"):
        reply = web.get(f"/versions/{version}/{sub}")
        assert (reply.status, reply.json) == (200, []), sub
    assert [unit["sourceId"] for unit in web.get(f"/versions/{version}/text-units").json] == [f"{name}@2010"]
    assert web.get(f"/x/items/{quoted(name)}/text").json["rows"][0]["content"] == "Texto."
    batch = web.post("/items/batch-get", {"ids": [part, name]})
    assert [entry["id"] for entry in batch.json] == [part, name]


@pytest.mark.parametrize(
    "name",
    ["a/b", "a/b/c.d", "lei;1!art2@x", "a+b", "a//b", "~tilde'(quote)*", LONG, "versions"],
    ids=lambda name: name[:30],
)
def test_a_raw_id_reaches_itself_and_every_sub_route(web, name):
    assert web.get(f"/items/{name}").json["id"] == name
    for sub in ("valid-versions", "applicable-versions", "versions"):
        assert [entry["id"] for entry in web.get(f"/items/{name}/{sub}").json] == [f"{name}@2010"], sub
    assert len(web.get(f"/items/{name}/children").json) == 1
    assert web.get(f"/versions/{name}@2010").json["itemId"] == name


@pytest.mark.parametrize("name", [CLAUSE, "https://laws.example/act/2/versions"])
def test_a_whole_http_iri_raw_and_encoded(web, name):
    assert web.get(f"/items/{quoted(name)}").json["id"] == name
    assert web.get(f"/items/{quoted(name)}/versions").status == 200
    if not name.endswith("/versions"):
        assert web.get(f"/items/{name}").json["id"] == name
        assert web.get(f"/items/{name}/ancestors").json[0]["id"] == "https://standards.example/ES-100"
        assert web.get(f"/items/{name}/valid-versions?at=2016-01-01").json[0]["id"] == f"{CLAUSE}@2015-03-01"
        assert web.get(f"/versions/{name}@2015-03-01/text-units").status == 200


@pytest.mark.parametrize("name", ["plain", "https://laws.example/act/2"])
def test_raw_versions_is_the_sub_route_and_encoded_is_the_id(web, name):
    sub = web.get(f"/items/{name}/versions")
    sub.error(404, "RESOURCE_NOT_FOUND")  # the sub-route of an item that is not there
    assert repr(name) in sub.json["message"]
    for separator in ("%2Fversions", "%2fversions"):
        assert web.get(f"/items/{quoted(name)}{separator}").json["id"] == f"{name}/versions"
        assert web.get(f"/items/{quoted(name)}{separator}/versions").json[0]["itemId"] == f"{name}/versions"
    assert web.get(f"/items/{name}/versions/versions").json[0]["itemId"] == f"{name}/versions"


@pytest.mark.parametrize("target", [f"{BASE}{ART6}", f"{BASE}{quoted(ART6)}"])
def test_the_full_iri_of_an_entity_is_answered_with_its_id(web, target):
    for written in (target, quoted(target)):
        if "%" in target and written == target:
            continue  # raw: decoded once, which is the first form
        assert web.get(f"/items/{written}").json["id"] == ART6
        assert web.get(f"/items/{written}/valid-versions?at=2001-05-20").json[0]["id"] == V2000


def test_encoding_of_an_id_does_not_change_the_answer(web):
    wanted = web.get(f"/items/{ART6}").body
    for safe in ("", ":", ":;", ":;!", "!"):
        assert web.get(f"/items/{quote(ART6, safe=safe)}").body == wanted
    odd = "".join(f"%{byte:02x}" for byte in ART6.encode())
    assert web.get(f"/items/{odd}").body == wanted


def test_ids_of_other_kinds_with_hash_and_at(web):
    action = f"{EC26}#amendment-art6_cpt"
    assert web.get(f"/actions/{quoted(action)}").json["id"] == action
    assert web.get(f"/versions/{V2000}").json["id"] == V2000
    unit = f"{CF88}@2000-02-14~texto;pt-br!art6_cpt"
    assert web.get(f"/text-units/{quoted(unit)}").json["id"] == unit
    assert web.get(f"/text-units/{unit}").json["id"] == unit


@pytest.mark.parametrize("raw", ["%00", "a%00b", "%FF", "a%FFb", "a%0Ab", "%ED%A0%80", "%7F"])
def test_what_cannot_be_an_id_is_404(web, raw):
    for target in (
        f"/items/{raw}",
        f"/items/{raw}/versions",
        f"/versions/{raw}/children",
        f"/x/items/{raw}/text",
    ):
        web.get(target).error(404, "RESOURCE_NOT_FOUND")


@pytest.mark.parametrize(
    "primitive", [p for p in PRIMITIVES if p.subject], ids=lambda primitive: primitive.name
)
@pytest.mark.parametrize(
    "name",
    ["no-such", "z" * 2000, "https://nowhere.example/x/versions", "x> ?p ?o } UNION { ?s ?p ?o"],
    ids=["plain", "long", "iri", "crafted"],
)
def test_an_unknown_id_is_404_on_every_route(web, primitive, name):
    target = re.sub(r"\{[^}]*\}", lambda _: quoted(name), primitive.path)
    web.get(target).error(404, "RESOURCE_NOT_FOUND")


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/items",
        "/items/",
        "/nothing",
        "/x",
        "/versions/",
        "//items/x",
        "/openapi.json/x",
        "/docs",
        "/redoc",
        "/Items/x",
    ],
)
def test_an_unknown_path_is_404_in_the_contracts_form(web, target):
    for method in ("GET", "POST", "DELETE"):
        web.ask(method, target, {} if method == "POST" else None).error(404, "RESOURCE_NOT_FOUND")


# Methods -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_wrong_method_is_405_and_names_the_right_one(web, primitive, method):
    if method == primitive.method or (method == "HEAD" and primitive.method == "GET"):
        return
    _, target, _ = example_request(primitive)
    reply = web.ask(method, target, {} if method != "HEAD" else None)
    assert reply.headers["Allow"] == primitive.method
    if method == "HEAD":
        assert (reply.status, reply.body) == (405, b"")
    else:
        reply.error(405, "METHOD_NOT_ALLOWED")


def test_an_unknown_method_on_fixed_pages(web):
    for target in ("/health", "/ready", "/openapi.json"):
        reply = web.ask("POST", target, {})
        reply.error(405, "METHOD_NOT_ALLOWED")
        assert "GET" in reply.headers["Allow"]


@pytest.mark.parametrize(
    "target",
    [
        f"/items/{ART6}",
        f"/items/{ART6}/valid-versions?{FIXED}",
        "/items/no-such",
        "/health",
        "/openapi.json",
        "/ready",
    ],
)
def test_head_is_get_without_the_body(web, target):
    got, head = web.get(target), web.ask("HEAD", target)
    assert head.status == got.status
    assert head.body == b""
    for name in ("Content-Type", "Content-Length", "SAT-Revision", "SAT-At"):
        assert head.headers[name] == got.headers[name], name


# Query values ------------------------------------------------------------------------------------

VALID = f"/items/{ART6}/valid-versions"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("at=20100101", "RFC 3339"),
        ("at=2010-02-30", "possible date"),
        ("at=2010-01-01T00:00:00", "offset"),
        ("at=2010-01-01T00:00:00+02:00", "%2B"),
        ("at=0000-01-01", "possible date"),
        ("at=9999-12-31T00:00:00Z", "9998"),
        ("at=", "RFC 3339"),
        ("at=now", "RFC 3339"),
        ("observerTime=%F0%9F%98%80", "RFC 3339"),
        ("observerTime=2010-01-01T00:00:00", "observerTime"),
        ("at=2010-01-01&at=2011-01-01", "twice"),
        ("at=2010-01-01&at=2010-01-01", "twice"),
        ("when=2010-01-01", "observerTime"),
        ("AT=2010-01-01", "observerTime"),
        ("format=xml", "json"),
        ("format=text", "json"),
    ],
)
def test_a_bad_query_value_is_400_and_says_what_is_accepted(web, query, says):
    body = web.get(f"{VALID}?{query}").error(400, "INVALID_PARAMETER")
    assert says in body["message"]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (f"/items/{CF88}/hierarchy?depth=x", "whole number"),
        (f"/items/{CF88}/hierarchy?depth=1.5", "whole number"),
        (f"/items/{CF88}/hierarchy?depth=", "whole number"),
        (f"/items/{CF88}/hierarchy?order=up", "depth, document"),
        (f"/items/{ART6}/history?granularity=all", "macro, micro, leaf"),
        (f"/versions/{V2000}/text-units?language=pt_BR", "BCP 47"),
        (f"/x/items/{ART6}/text?format=xml", "json, text"),
    ],
)
def test_a_bad_choice_is_400_and_says_what_is_accepted(web, target, says):
    assert says in web.get(target).error(400, "INVALID_PARAMETER")["message"]


def test_a_path_id_cannot_be_given_again_in_the_query(web):
    web.get(f"/items/{CF88}/children?itemId={quoted(ART6)}").error(400, "INVALID_PARAMETER")


@pytest.mark.parametrize(
    "written",
    [
        "2000-02-14T01:00:00%2B01:00",
        "2000-02-14T00:00:00Z",
        "2000-02-14",
        "2000-02-14T00:00:00.000Z",
        "2000-02-13T21:00:00-03:00",
    ],
)
def test_one_instant_in_every_spelling(web, written):
    reply = web.get(f"{VALID}?at={written}&observerTime=2020-01-01")
    assert reply.json[0]["id"] == V2000
    assert reply.headers["SAT-At"] == "2000-02-14T00:00:00Z"


def test_end_before_start_is_its_own_code(web):
    web.get(f"/items/{ART6}/versions?startAt=2015-01-01&endAt=2014-01-01").error(400, "INVALID_DATE_RANGE")
    web.get(f"/items/{ART6}/history?startTime=2015-01-01&endTime=2014-01-01").error(400, "INVALID_DATE_RANGE")
    assert web.get(f"/items/{ART6}/versions?startAt=2015-01-01&endAt=2015-01-01").status == 200


def test_a_list_in_the_query_is_a_repeated_name(web):
    reply = web.get(f"/items/{ART6}/history?actionTypes=Creation&actionTypes=Amendment")
    assert [action["type"] for action in reply.json] == ["Creation", "Amendment", "Amendment", "Amendment"]
    assert [a["type"] for a in web.get(f"/items/{ART6}/history?actionTypes=Creation").json] == ["Creation"]
    web.get(f"/items/{ART6}/history?actionTypes=Creation&actionTypes=Creation").error(
        400, "INVALID_PARAMETER"
    )


def test_the_three_kinds_of_nothing_differ(web):
    unknown = web.get("/items/no-such/valid-versions?at=2010-01-01").error(404, "RESOURCE_NOT_FOUND")
    nothing = web.get(f"{VALID}?at=1980-01-01").error(404, "NO_VALID_VERSION")
    later = web.get(f"/versions/{V2000}?observerTime=1999-01-01").error(404, "NOT_YET_KNOWN")
    assert "details" not in unknown
    assert nothing["details"]["reason"] == "not yet"
    assert later["details"] == {"reason": "not known to the observer", "from": "2000-02-14T00:00:00Z"}


# Bodies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "primitive", [p for p in PRIMITIVES if p.method == "POST"], ids=lambda primitive: primitive.name
)
@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        (b"", "INVALID_PARAMETER", "JSON"),
        (b"{", "INVALID_PARAMETER", "line 1, column 2"),
        (b"ids=1", "INVALID_PARAMETER", "JSON"),
        (b"[]", "INVALID_PARAMETER", "object"),
        (b"null", "INVALID_PARAMETER", "object"),
        (b'"x"', "INVALID_PARAMETER", "object"),
        (b"\xff\xfe", "INVALID_PARAMETER", ""),
        (b"[" * 100_000, "INVALID_PARAMETER", ""),
        (b"{}", "MISSING_PARAMETER", "required"),
        (b'{"unknown": 1}', "INVALID_PARAMETER", "unknown"),
    ],
    ids=["empty", "cut", "form", "list", "null", "text", "not-utf8", "deep", "no-fields", "unknown-field"],
)  # fmt: skip
def test_a_bad_body_is_400(web, primitive, body, code, says):
    assert says in web.post(primitive.path, body).error(400, code)["message"]


@pytest.mark.parametrize(
    "primitive", [p for p in PRIMITIVES if p.method == "POST"], ids=lambda primitive: primitive.name
)
@pytest.mark.parametrize(
    "value", ["x", 1, True, {}, [], [1], [None], [""], [["x"]], ["x", "x"], ["a\x00b"]], ids=str
)
def test_a_wrong_type_in_a_body_is_400(web, primitive, value):
    _, _, body = example_request(primitive)
    field = next(use.param.wire for use in primitive.uses if use.param.kind == "ids")
    body = web.post(primitive.path, {**body, field: value}).error(400, "INVALID_PARAMETER")
    assert field in body["message"]


def test_a_lone_surrogate_in_a_body_is_400(web):
    web.post("/items/batch-get", b'{"ids": ["\\ud800"]}').error(400, "INVALID_PARAMETER")


def test_a_body_over_the_limit_is_413_and_at_the_limit_is_read(web):
    padding = 1024 * 1024 - len(b'{"ids": ["x"]}')
    at_limit = b'{"ids": ["x"]}' + b" " * padding
    reply = web.post("/items/batch-get", at_limit)
    assert (reply.status, reply.json) == (200, [])
    web.post("/items/batch-get", at_limit + b" ").error(413, "BODY_TOO_LARGE")
    web.post("/items/batch-get", at_limit * 3).error(413, "BODY_TOO_LARGE")


def test_a_chunked_body_over_the_limit_is_413(web):
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    connection.request(
        "POST",
        "/items/batch-get",
        body=(b" " * 65536 for _ in range(17)),
        encode_chunked=True,
        headers={"Transfer-Encoding": "chunked"},
    )
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["code"] == "BODY_TOO_LARGE"
    connection.close()


def test_the_largest_batch(web):
    ids = [f"no-such-{number}" for number in range(MAX_BATCH - 1)]
    reply = web.post("/items/batch-get", {"ids": [*ids, ART6]})
    assert [entry["id"] for entry in reply.json] == [ART6]
    assert reply.headers["SAT-Missing"] == str(MAX_BATCH - 1)
    web.post("/items/batch-get", {"ids": [*ids, ART6, CF88]}).error(400, "INVALID_PARAMETER")


# Headers -----------------------------------------------------------------------------------------


def test_headers_of_an_answer(web):
    reply = web.get(f"{VALID}?{FIXED}")
    assert re.fullmatch(r"\d{6}-[0-9a-f]{6}", reply.headers["SAT-Revision"])
    assert reply.headers["SAT-Revision"] == web.get("/ready").json["revision"]
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", reply.headers["SAT-Record"])
    assert reply.headers["SAT-At"] == "2016-06-01T00:00:00Z"
    assert reply.headers["SAT-Observer-Time"] == "2020-01-01T00:00:00Z"
    assert reply.headers["SAT-Missing"] is None
    assert web.get(f"{VALID}?{FIXED}").headers["SAT-Record"] != reply.headers["SAT-Record"]


def test_the_instants_used_are_told_when_they_were_not_given(web):
    reply = web.get(VALID)
    at, observer = reply.headers["SAT-At"], reply.headers["SAT-Observer-Time"]
    assert at.endswith("Z")
    assert at == observer
    again = web.get(f"{VALID}?at={at}&observerTime={observer}")
    assert again.body == reply.body


def test_missing_is_counted_in_batches_only(web):
    reply = web.post(
        "/versions/batch-valid-at", {"itemIds": [ART6, "no-such", "no-more"], "at": "2010-01-01"}
    )
    assert reply.headers["SAT-Missing"] == "2"
    assert reply.headers["SAT-At"] == "2010-01-01T00:00:00Z"
    assert web.post("/items/batch-get", {"ids": [ART6]}).headers["SAT-Missing"] == "0"
    for target in (f"/items/{ART6}", f"/items/{CF88}/children"):
        reply = web.get(target)
        assert reply.headers["SAT-Missing"] is None
        assert reply.headers["SAT-At"] is None
        assert reply.headers["SAT-Revision"]


def test_the_record_of_a_header_is_in_the_audit_log(web, odd_store):
    reply = web.get(f"{VALID}?{FIXED}")
    lines = [
        line for path in (odd_store / "audit").glob("*/*.jsonl") for line in path.read_bytes().splitlines()
    ]
    [record] = [r for r in map(json.loads, lines) if r["id"] == reply.headers["SAT-Record"]]
    assert record["door"] == "rest"
    assert record["result"] == hashlib.sha256(reply.body).hexdigest()


# Fixed pages -------------------------------------------------------------------------------------


def test_health_and_ready(web):
    assert web.get("/health").json == {"status": "ok", "version": __version__}
    ready = web.get("/ready").json
    assert ready["status"] == "ready"
    assert re.fullmatch(r"[0-9a-f]{64}", ready["digest"])


def test_the_served_document(web):
    document = web.get("/openapi.json").json
    assert document["openapi"] == "3.0.3"
    assert {"title", "version"} <= set(document["info"])
    operations = {}
    for path, methods in document["paths"].items():
        assert path.startswith("/")
        for method, operation in methods.items():
            assert method in ("get", "post")
            assert operation["operationId"] not in operations
            operations[operation["operationId"]] = (path, method, operation)
    assert set(operations) == {primitive.operation_id for primitive in PRIMITIVES}
    for primitive in PRIMITIVES:
        path, method, operation = operations[primitive.operation_id]
        assert method == primitive.method.lower()
        assert re.sub(r"\{[^}]*\}", "{}", path) == re.sub(r"\{[^}]*\}", "{}", primitive.path)
        assert primitive.identity in operation["description"]
        assert {"200", "400"} <= set(operation["responses"])
        in_path = [p["name"] for p in operation.get("parameters", []) if p["in"] == "path"]
        assert in_path == re.findall(r"\{([^}]*)\}", path)
        named = [p["name"] for p in operation.get("parameters", [])]
        if method == "post":
            named = list(operation["requestBody"]["content"]["application/json"]["schema"]["properties"])
        assert {use.param.wire for use in primitive.uses} <= set(named)


def _references(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(node, list):
        for entry in node:
            yield from _references(entry)


def test_every_reference_of_the_document_resolves(web):
    document = web.get("/openapi.json").json
    found = list(_references(document))
    assert found
    for reference in found:
        node = document
        assert reference.startswith("#/")
        for step in reference[2:].split("/"):
            node = node[step]
    text = json.dumps(document)
    assert '"null"' not in text, "OpenAPI 3.0 has no null type"
    assert "anyOf" not in text
    assert "$defs" not in text
    assert "HTTPValidationError" not in text


# Determinism, text, concurrency ------------------------------------------------------------------


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_explicit_instants_give_equal_bytes(web, primitive):
    method, target, body = example_request(primitive)
    temporal = {use.param.wire for use in primitive.uses} & {"at", "observerTime"}
    if method == "POST":
        body = body | dict.fromkeys(temporal, "2016-06-01")
    first = web.ask(method, target, body)
    for _ in range(3):
        assert web.ask(method, target, body).body == first.body


def test_a_text_is_the_contents_and_nothing_else(web):
    target = f"/x/items/{CF88}!tit2_cap2/text?{FIXED}"
    reply = web.get(f"{target}&format=text")
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    rows = web.get(target).json["rows"]
    assert len(rows) > 1
    assert reply.body.decode("utf-8") == "\n".join(row["content"] for row in rows)
    assert reply.headers["SAT-Record"]
    assert web.get(f"{target}&format=json").body == web.get(target).body
    assert web.get(f"{target}&format=text&language=fr").body == b""


def _mixed_requests():
    made = []
    for year in range(1985, 2025):
        made.append(("GET", f"{VALID}?at={year}-06-01&observerTime=2020-01-01", None))
        made.append(
            (
                "GET",
                f"/items/{CF88}!art5_cpt_inc57/valid-versions?at=2020-01-01&observerTime={year}-06-01",
                None,
            )
        )
        made.append(("GET", f"/x/items/{CF88}/text?at={year}-06-01&observerTime=2024-01-01", None))
        made.append(
            (
                "POST",
                "/versions/batch-valid-at",
                {
                    "itemIds": [ART6, f"{CF88}!art226_par6", f"x{year}"],
                    "at": f"{year}-06-01",
                    "observerTime": "2021-01-01",
                },
            )
        )
        made.append(("GET", f"/items/no-such-{year}/children", None))
    return made


def test_two_hundred_calls_over_eight_threads_equal_the_sequential_ones(web):
    requests = _mixed_requests()
    assert len(requests) == 200

    def ask(request):
        reply = web.ask(*request)
        return reply.status, reply.body, reply.headers["SAT-Missing"], reply.headers["SAT-At"]

    alone = [ask(request) for request in requests]
    assert {status for status, *_ in alone} == {200, 404}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, requests))
    assert together == alone


def test_the_framework_never_answers_for_us(web):
    """No path, method or value brings FastAPI's own shapes."""
    for target in (
        "/items/x?at=1&at=2",
        "/x/items/a/text?format=",
        "/items/%",
        "/items/%zz/versions",
        "/items/x/hierarchy?depth=true",
    ):
        reply = web.get(target)
        assert reply.status in (400, 404)
        assert set(reply.json) <= {"code", "message", "details"}
    document = web.get("/openapi.json").json
    codes = {
        code
        for methods in document["paths"].values()
        for operation in methods.values()
        for code in operation["responses"]
    }
    assert "422" not in codes


# A process of its own ----------------------------------------------------------------------------


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def large_store(tmp_path_factory):
    """One law of 40 chapters of 100 articles: its text takes long enough to be in flight."""
    items = [{"id": "big", "typeId": "law", "label": "Big"}]
    items += [
        {"id": f"big!cap{n}", "typeId": "chapter", "label": f"{n}", "parentId": "big"} for n in range(40)
    ]
    versions, texts = [], []
    for number in range(4000):
        name = f"big!art{number}"
        items.append(
            {
                "id": name,
                "typeId": "article",
                "label": f"Art. {number}",
                "parentId": f"big!cap{number // 100}",
            }
        )
        versions.append(
            {
                "id": f"{name}@2010",
                "itemId": name,
                "type": "statutory",
                "validityInterval": ["2010-01-01T00:00:00Z", None],
                "producedByActionId": "big#act",
            }
        )
        texts.append(
            {
                "sourceType": "Version",
                "sourceId": f"{name}@2010",
                "language": "en",
                "aspect": "canonical",
                "content": f"Art. {number} " + "word " * 40,
            }
        )
    folder = tmp_path_factory.mktemp("large")
    path = folder / "big.json"
    act = {"id": "big#act", "type": "Creation", "eventTime": "2010-01-01T00:00:00Z"}
    path.write_text(
        json.dumps({"items": items, "versions": versions, "textUnits": texts, "actions": [act]}),
        encoding="utf-8",
    )
    load(folder / "store", [Request(path, "satgraph-json", "big")], wall_clock())
    return folder / "store"


def _serve(store, *options):
    port = _free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SATGRAPH_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "serve", "--store", str(store), "--port", str(port), *options],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    return process, port


def _wait(client, process):
    for _ in range(400):
        assert process.poll() is None, process.stderr.read()
        try:
            if client.get("/ready").status == 200:
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the server did not become ready")


def _end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_sigterm_finishes_calls_in_flight(large_store):
    process, port = _serve(large_store, "--open")
    client = Client(port)
    try:
        _wait(client, process)
        target = "/x/items/big/text?at=2020-01-01&observerTime=2020-01-01"
        whole = client.get(target)
        assert len(whole.json["rows"]) == 4000
        recorded = _records(large_store)
        sent, answers = threading.Barrier(7), []

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", target)
            sent.wait()
            answer = connection.getresponse()
            answers.append((answer.status, answer.read()))
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        sent.wait()
        time.sleep(0.1)  # they are being read and answered; one alone takes longer
        assert not answers, "the calls are too fast to be in flight"
        process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(60)
        ended = process.wait(60)
        assert [status for status, _ in answers] == [200] * 6
        assert {body for _, body in answers} == {whole.body}
        assert _records(large_store) == recorded + 6
        assert ended == 0
        with pytest.raises(OSError):
            client.get("/health")
    finally:
        _end(process)


def _records(store):
    return sum(len(path.read_bytes().splitlines()) for path in (store / "audit").glob("*/*.jsonl"))


def test_an_open_server_says_so_loudly(odd_store):
    process, port = _serve(odd_store, "--open")
    try:
        _wait(Client(port), process)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "OPEN" in said
        assert f"http://127.0.0.1:{port}" in said
    finally:
        _end(process)


def test_sigterm_without_calls_ends_soon(odd_store):
    process, port = _serve(odd_store, "--open")
    try:
        _wait(Client(port), process)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert time.monotonic() - started < 5
    finally:
        _end(process)


@pytest.mark.parametrize(
    "options",
    [[], ["--open", "--host", "0.0.0.0"], ["--open", "--host", "example.org"]],
    ids=["closed", "everyone", "name"],
)
def test_no_open_server_beyond_this_machine(odd_store, options):
    process, _ = _serve(odd_store, *options)
    try:
        assert process.wait(30) == 3
        assert "--open" in process.stderr.read()
    finally:
        _end(process)


def test_an_id_without_end_is_refused_and_not_repeated(web):
    reply = web.post("/items/batch-get", {"ids": ["<" * 100_000]})
    reply.error(400, "INVALID_PARAMETER")
    assert len(reply.body) < 1000
