"""Every primitive against its case file: ``tests/cases/<primitive>.json``.

A case is ``{source, what, arguments, expect | error}``. ``expect`` is a list of ids in order, or an
object: ``value`` (the whole answer; ``$any`` for a field that may hold anything), ``ids``, ``like``
(a subset of the answer, entity by entity), ``lacks`` (fields that no entity has), ``rows`` (version
ids of a document's rows), ``includes``, ``count``, ``missing``. ``error`` is ``{code, message?,
details?}``: the message contains the text, the details hold at least these (``$absent``: not there). ``{"$range": ["x-%d", n]}`` in the arguments is a list of n ids.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from api.demo import bundled
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.errors import SatGraphError
from satgraph_rdf.loading import load
from satgraph_rdf.preparation import Request
from satgraph_rdf.registry import Registry
from satgraph_rdf.wiring import Service, store_settings

HERE = Path(__file__).parent
CASES = HERE / "cases"
REGISTRY = Registry.load()
PRIMITIVES = list(REGISTRY)


def _cases():
    for path in sorted(CASES.glob("*.json")):
        for number, case in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            yield pytest.param(path.stem, case, id=f"{path.stem}-{number}-{case['what']}")


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """The bundled sample and the situations, each in a store of its own."""
    opened = {}
    for name, sources in (
        ("sample", bundled()),
        ("situations", [Request(HERE / "graphs" / "situations.json", "satgraph-json", "situations")]),
    ):
        folder = tmp_path_factory.mktemp(name)
        load(folder, sources, wall_clock())
        opened[name] = Service(store_settings(folder))
    yield opened
    for service in opened.values():
        service.close()


def _arguments(arguments):
    made = {}
    for name, value in arguments.items():
        if isinstance(value, dict) and "$range" in value:
            pattern, count = value["$range"]
            made[name] = [pattern % number for number in range(count)]
        else:
            made[name] = value
    return made


def _entity_ids(value):
    if isinstance(value, dict):
        return [value["id"]]
    return [entry if isinstance(entry, str) else entry["id"] for entry in value]


def _like(wanted, found, where="answer"):
    """``wanted`` is part of ``found``: fields of objects, first entries of lists of objects."""
    if wanted == "$any":
        return
    if isinstance(wanted, dict):
        assert isinstance(found, dict), f"{where}: {found!r}"
        for name, value in wanted.items():
            if value == "$absent":
                assert name not in found, f"{where}.{name} is there: {found[name]!r}"
                continue
            assert name in found, f"{where} lacks {name}: {found}"
            _like(value, found[name], f"{where}.{name}")
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        assert len(found) >= len(wanted), f"{where}: {found}"
        for number, entry in enumerate(wanted):
            _like(entry, found[number], f"{where}[{number}]")
    else:
        assert found == wanted, where


def _check(expect, answer):
    value = answer.value
    if isinstance(expect, list):
        assert _entity_ids(value) == expect
        return
    known = {"value", "ids", "like", "lacks", "rows", "includes", "count", "missing"}
    assert expect, "a case without an expectation proves nothing"
    assert set(expect) <= known
    if "value" in expect:
        wanted = expect["value"]
        if isinstance(wanted, dict):
            value = {name: "$any" if wanted.get(name) == "$any" else entry for name, entry in value.items()}
        assert value == wanted
    if "ids" in expect:
        assert _entity_ids(value) == expect["ids"]
    if "like" in expect:
        _like(expect["like"], value)
    for entity in value if isinstance(value, list) else [value]:
        for name in expect.get("lacks", ()):
            assert name not in entity
    if "rows" in expect:
        assert [row["versionId"] for row in value["rows"]] == expect["rows"]
    for name in expect.get("includes", ()):
        assert name in _entity_ids(value)
    if "count" in expect:
        assert len(value) == expect["count"]
    if "missing" in expect:
        assert answer.missing == expect["missing"]


@pytest.mark.parametrize(("name", "case"), list(_cases()))
def test_case(services, name, case):
    service, arguments = services[case["source"]], _arguments(case["arguments"])
    if "error" not in case:
        _check(case["expect"], service.run(name, arguments, "test"))
        return
    assert "expect" not in case
    with pytest.raises(SatGraphError) as caught:
        service.run(name, arguments, "test")
    body = caught.value.body()
    assert body["code"] == case["error"]["code"], body
    assert case["error"].get("message", "") in body["message"]
    _like(case["error"].get("details", {}), body.get("details", {}), "details")


def test_every_primitive_has_a_case_file():
    files = {path.stem for path in CASES.glob("*.json")}
    assert files == {primitive.name for primitive in REGISTRY}


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_a_case_file_shows_answers_and_refusals(primitive):
    cases = json.loads((CASES / f"{primitive.name}.json").read_text(encoding="utf-8"))
    codes = {case["error"]["code"] for case in cases if "error" in case}
    assert any("expect" in case for case in cases)
    assert "MISSING_PARAMETER" in codes
    if primitive.method == "GET":
        assert "RESOURCE_NOT_FOUND" in codes
    if primitive.outcome is not None:
        assert primitive.outcome in codes
    given = {name for case in cases if "expect" in case for name in case["arguments"]}
    assert {use.param.wire for use in primitive.uses} <= given, "a parameter that no case gives"
    assert len({(case["source"], case["what"]) for case in cases}) == len(cases), "a case twice"


# The published schemas, in the fields that a reader relies on.

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_REQUIRED = {
    "Item": {"id", "typeId", "label"},
    "Version": {"id", "itemId", "type", "validityInterval"},
    "TextUnit": {"id", "sourceType", "sourceId", "language", "aspect", "content"},
    "Action": {"id", "type", "eventTime", "sourceVersionIds"},
    "Document": {"itemId", "versionId", "at", "observerTime", "language", "rows"},
}
_OPTIONAL = {
    "Item": {"urn", "url", "parentId", "metadata"},
    "Version": {
        "urn", "url", "applicabilityInterval", "producedByActionId", "terminatedByActionId",
        "usedAsSourceInActionIds", "metadata", "validityStatus", "applicabilityIntervals", "retroactive",
    },
    "TextUnit": {"metadata"},
    "Action": {
        "parentId", "validityInterval", "applicabilityInterval", "terminatesVersionIds", "producesVersionIds",
        "metadata",
    },
    "Document": set(),
}  # fmt: skip


def _check_interval(interval):
    assert isinstance(interval, list)
    assert len(interval) == 2
    for bound in interval:
        assert bound is None or _INSTANT.fullmatch(bound), interval
        assert bound is None or not bound.startswith(("9999", "-")), "the sentinel is never shown"


def _check_entity(model, entity):
    assert _REQUIRED[model] <= set(entity), entity
    assert set(entity) <= _REQUIRED[model] | _OPTIONAL[model], entity
    for name, value in entity.items():
        if name in ("validityInterval", "applicabilityInterval"):
            _check_interval(value)
        elif name == "applicabilityIntervals":
            assert len(value) > 1
            for interval in value:
                _check_interval(interval)
        elif name.endswith("Ids"):
            assert isinstance(value, list)
            assert all(isinstance(entry, str) and entry for entry in value)
            assert len(set(value)) == len(value)
        elif name in ("eventTime", "at", "observerTime"):
            assert _INSTANT.fullmatch(value)
        elif name == "retroactive":
            assert isinstance(value, bool)
        elif name == "rows":
            for row in value:
                assert {"itemId", "versionId", "typeId", "depth", "label", "content"} <= set(row)
                assert (row["content"] is None) == ("availableLanguages" in row)
                assert (row["content"] is None) == ("textUnitId" not in row)
                assert isinstance(row["depth"], int)
        elif name != "metadata":
            assert isinstance(value, str), (name, value)
            assert value, name
    if model == "Version":
        assert entity["type"] in ("statutory", "interpretive", "documentary")
        start, until = entity["validityInterval"]
        assert (start == until) == (entity.get("validityStatus") == "never")
        if until is None or start != until:
            assert until is None or start < until
        assert entity.get("applicabilityInterval") != entity["validityInterval"]
    if model == "TextUnit":
        assert entity["sourceType"] in ("Theme", "Item", "Version", "Action", "Relation", "ItemType")


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_every_answer_has_the_published_form(services, primitive):
    answers = 0
    for case in json.loads((CASES / f"{primitive.name}.json").read_text(encoding="utf-8")):
        if "error" in case:
            continue
        try:
            answer = services[case["source"]].run(primitive.name, _arguments(case["arguments"]), "test")
        except SatGraphError:
            continue  # the case itself says so
        value = answer.value
        assert isinstance(value, list) == primitive.many
        for entity in value if primitive.many else [value]:
            answers += 1
            if primitive.returns == "id":
                assert isinstance(entity, str)
            else:
                _check_entity(primitive.returns, entity)
        if primitive.many:
            ids = _entity_ids(value)
            assert len(set(ids)) == len(ids), "an entity twice"
        assert json.loads(answer.body) == value
        assert (answer.missing is not None) == (primitive.order[:1] == ("input",))
    assert answers


def test_bundled_sample_queries_hold(services):
    """The examples that the sample itself gives."""
    asked = 0
    for request in bundled():
        data = json.loads(request.path.read_text(encoding="utf-8"))
        for sample in data.get("sampleQueries", []):
            name, listed = re.fullmatch(r"(\w+)\((.*)\)", sample["query"]).groups()
            values = re.findall(r"'([^']*)'", listed)
            uses = [use.param.wire for use in REGISTRY[name].uses]
            answer = services["sample"].run(name, dict(zip(uses, values, strict=False)), "test")
            assert _entity_ids(answer.value) == sample["expectedResult"], sample["query"]
            asked += 1
    assert asked >= 15


# A row that only says "(Revogado)" prints in the text of the date and is never in force (T29).

_COLUMNS = [
    "classe",
    "texto",
    "titulo",
    "capitulo",
    "secao",
    "subsecao",
    "artigo",
    "paragrafo",
    "inciso",
    "alinea",
]
_NOTE = "urn:lex:br:federal:constituicao:1988-10-05;1988!art2_cpt"


def _snapshot(folder, name, second):
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        rows = (
            ("titartb", "Título I: Teste", "1", *["NA"] * 7),
            *(
                ("artigo", text, "1", "NA", "NA", "NA", number, "NA", "NA", "NA")
                for number, text in (("1", "Art. 1º Primeiro."), ("2", second), ("3", "Art. 3º Terceiro."))
            ),
        )
        writer.writerows(rows)


@pytest.fixture(scope="module")
def revoked(tmp_path_factory):
    folder, store = tmp_path_factory.mktemp("snapshots"), tmp_path_factory.mktemp("revoked")
    _snapshot(folder, "19881005_ORIGINAL.csv", "Art. 2º Segundo.")
    _snapshot(folder, "20000214_EMC26.csv", "Art. 2º (Revogado)")
    load(store, [Request(folder, "cf88", "snapshots")], wall_clock())
    service = Service(store_settings(store))
    yield service
    service.close()


def test_a_note_of_repeal_is_never_valid(revoked):
    before = revoked.run("getValidVersions", {"itemId": _NOTE, "at": "2000-02-13T23:59:59.999Z"}, "test")
    assert [version["validityInterval"][1] for version in before.value] == ["2000-02-14T00:00:00Z"]
    for at in ("2000-02-14", "2000-02-14T00:00:00.001Z", "2020-01-01"):
        for name in ("getValidVersions", "getApplicableVersions"):
            with pytest.raises(SatGraphError) as caught:
                revoked.run(name, {"itemId": _NOTE, "at": at}, "test")
            body = caught.value.body()
            assert body["code"] == "NO_VALID_VERSION"
            assert body["details"]["reason"] == "ended"
            assert body["details"]["versionIds"] == [before.value[0]["id"]]
            assert (
                revoked.run("getAction", {"actionId": body["details"]["actionId"]}, "test").value["type"]
                == "Revocation"
            )
    batch = revoked.run("getBatchValidVersions", {"itemIds": [_NOTE], "at": "2020-01-01"}, "test")
    assert (batch.value, batch.missing) == ([], 1)


def test_a_note_of_repeal_prints_and_is_a_component(revoked):
    title = _NOTE.partition("!")[0] + "!tit1"
    text = revoked.run("getDocumentText", {"itemId": title, "at": "2020-01-01"}, "test").value
    assert "Art. 2º (Revogado)" in [row["content"] for row in text["rows"]]
    old = revoked.run("getDocumentText", {"itemId": title, "at": "1999-01-01"}, "test").value
    assert "Art. 2º (Revogado)" not in [row["content"] for row in old["rows"]]
    versions = revoked.run("getItemVersions", {"itemId": _NOTE}, "test").value
    assert [version.get("validityStatus") for version in versions] == [None, "never"]
    bounded = revoked.run("getItemVersions", {"itemId": _NOTE, "startAt": "1980-01-01"}, "test").value
    assert bounded == versions[:1]
    [note] = revoked.run("getBatchVersions", {"ids": [versions[1]["id"]]}, "test").value
    assert note["type"] == "documentary"
    below = revoked.run("getVersionHierarchy", {"versionId": text["versionId"]}, "test").value
    assert note["id"] in below


# Two acts change the same part on one day, each saying what it ended (T15).


def _day_of_two_acts():
    day, item = "2016-09-01T00:00:00Z", "lei-20!art1"

    def version(name, start, until, producer, ender=None):
        made = {
            "id": name,
            "itemId": item,
            "type": "statutory",
            "validityInterval": [start, until],
            "producedByActionId": producer,
        }
        return made | ({"terminatedByActionId": ender} if ender else {})

    def action(name, when, sequence=1):
        return {
            "id": name, "type": "Amendment", "eventTime": when, "validityInterval": [when, None],
            "sourceVersionIds": [], "terminatesVersionIds": [], "producesVersionIds": [], "sequence": sequence,
        }  # fmt: skip

    return {
        "items": [
            {"id": "lei-20", "typeId": "law", "label": "Lei 20"},
            {"id": item, "typeId": "article", "label": "Lei 20, art. 1", "parentId": "lei-20"},
        ],
        "actions": [action("a0", "2010-01-01T00:00:00Z"), action("a1", day, 1), action("a2", day, 2)],
        "versions": [
            version("v0", "2010-01-01T00:00:00Z", day, "a0", "a1"),
            version("v1", day, day, "a1", "a2"),
            version("v2", day, None, "a2"),
        ],
        "textUnits": [
            {
                "sourceType": "Version",
                "sourceId": name,
                "language": "pt-BR",
                "aspect": "canonical",
                "content": name,
            }
            for name in ("v0", "v1", "v2")
        ],
    }


def test_two_acts_of_one_day_stated_in_full(tmp_path):
    path = tmp_path / "day.json"
    path.write_text(json.dumps(_day_of_two_acts()), encoding="utf-8")
    load(tmp_path / "store", [Request(path, "satgraph-json", "day")], wall_clock())
    service = Service(store_settings(tmp_path / "store"))
    try:
        item = {"itemId": "lei-20!art1"}
        assert _entity_ids(service.run("getValidVersions", item | {"at": "2016-09-01"}, "test").value) == [
            "v2"
        ]
        assert _entity_ids(service.run("getItemHistory", item, "test").value) == ["a0", "a1", "a2"]
        states = service.run("getItemVersions", item, "test").value
        assert [(state["id"], state.get("terminatedByActionId")) for state in states] == [
            ("v0", "a1"),
            ("v1", "a2"),
            ("v2", None),
        ]
    finally:
        service.close()
