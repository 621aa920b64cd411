"""Input at fault is refused whole, with the file and the place; what stands stays as it was."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, load_into, serving

from api.cli import main as command
from api.demo import bundled
from satgraph_rdf.errors import LoadRefused, NoValidVersion
from satgraph_rdf.preparation import Request
from satgraph_rdf.revisions import Revisions

GRAPHS = ROOT / "tests" / "graphs"
LAW = "urn:example:law:1"
ART = f"{LAW}!art1"
OLD, NEW = f"{LAW}@2001-01-01!art1", f"{LAW}@2005-01-01!art1"
AMENDING = "urn:example:law:2"
ACT = f"{AMENDING}#art1"

DOCUMENT: dict[str, Any] = {
    "metadata": {"dataSource": {"title": "A law", "language": "en", "coverage": "partial"}},
    "itemTypes": [
        {"id": "norm", "label": "Norm"},
        {"id": "component", "label": "Component"},
        {"id": "law", "label": "Law", "parentIds": ["norm"]},
        {"id": "article", "label": "Article", "parentIds": ["component"]},
    ],
    "themes": [{"id": "theme:words", "label": "Words"}],
    "items": [
        {"id": LAW, "typeId": "law", "label": "Law 1"},
        {"id": ART, "typeId": "article", "label": "Art. 1", "parentId": LAW, "themeIds": ["theme:words"]},
        {"id": AMENDING, "typeId": "law", "label": "Law 2"},
    ],
    "actions": [
        {
            "id": ACT,
            "type": "Amendment",
            "eventTime": "2005-01-01T00:00:00Z",
            "sourceVersionIds": [f"{AMENDING}@2005-01-01"],
            "producesVersionIds": [NEW],
            "terminatesVersionIds": [OLD],
        }
    ],
    "versions": [
        {
            "id": OLD,
            "itemId": ART,
            "type": "statutory",
            "validityInterval": ["2001-01-01T00:00:00Z", "2005-01-01T00:00:00Z"],
            "terminatedByActionId": ACT,
        },
        {
            "id": NEW,
            "itemId": ART,
            "type": "statutory",
            "validityInterval": ["2005-01-01T00:00:00Z", None],
            "producedByActionId": ACT,
        },
        {
            "id": f"{AMENDING}@2005-01-01",
            "itemId": AMENDING,
            "type": "statutory",
            "validityInterval": ["2005-01-01T00:00:00Z", None],
        },
    ],
    "textUnits": [
        {"sourceId": name, "sourceType": "Version", "language": "en", "aspect": "canonical", "content": words}
        for name, words in ((OLD, "Art. 1 Words."), (NEW, "Art. 1 More words."))
    ],
}


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one revision, which nothing here may change."""
    folder = tmp_path_factory.mktemp("standing") / "store"
    load_into(folder, next(request for request in bundled() if request.name == "standards"))
    return folder


Refusal = Callable[..., LoadRefused]


@pytest.fixture
def refused(standing: Path, tmp_path: Path) -> Refusal:
    """Loads what must be refused, into a new store and into one that stands; both stay as they were."""

    def attempt(path: Path, **options: Any) -> LoadRefused:
        request = Request(path, **options)
        empty = tmp_path / "empty"
        with pytest.raises(LoadRefused):
            load_into(empty, request)
        assert Revisions(empty).current() is None
        assert list((empty / "revisions").iterdir()) == []
        before = Revisions(standing).current()
        with pytest.raises(LoadRefused) as fault:
            load_into(standing, request)
        assert Revisions(standing).current() == before
        assert [entry.name for entry in (standing / "revisions").iterdir()] == [before]
        assert Revisions(standing).holder() is None
        return fault.value

    return attempt


def violations(fault: LoadRefused) -> list[tuple[str, str]]:
    return [(f["code"], f["place"]) for f in fault.findings if f["severity"] == "violation"]


def written(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "law.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def changed(*keys: Any, value: Any) -> Any:
    """The document with one value replaced (or removed, for ``...``)."""
    document = copy.deepcopy(DOCUMENT)
    holder = document
    for key in keys[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[keys[-1]]
    elif isinstance(holder, list) and keys[-1] == len(holder):
        holder.append(value)
    else:
        holder[keys[-1]] = value
    return document


def test_the_document_without_a_fault_loads(tmp_path: Path) -> None:
    report = load_into(tmp_path / "s", Request(written(tmp_path, DOCUMENT)))
    assert report.revision is not None
    assert [f for f in report.findings if f.severity != "info"] == []


# --- JSON


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"items": [\n  {"id": }\n]}', ":2:10"),
        ("", ":1:1"),
        ('{"items": []', ":1:13"),
        ('{"a": 1}\n{"b": 2}', ":2:1"),
    ],
)
def test_ill_formed_json_names_line_and_column(
    text: str, place: str, tmp_path: Path, refused: Refusal
) -> None:
    path = tmp_path / "law.json"
    path.write_text(text, encoding="utf-8")
    assert f"{path}{place}: not well-formed JSON" in refused(path).message


def test_json_that_is_not_utf_8_names_the_byte(tmp_path: Path, refused: Refusal) -> None:
    path = tmp_path / "law.json"
    path.write_bytes('{"items": "ação"}'.encode("latin-1"))
    assert f"{path}: not UTF-8 at byte 12" in refused(path).message


def test_json_nested_beyond_reason_is_refused(tmp_path: Path, refused: Refusal) -> None:
    path = tmp_path / "law.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    assert str(path) in refused(path).message


def silent_end() -> Any:
    """The amendment does not say that it ends the old version, nor does the version."""
    document = changed("actions", 0, "terminatesVersionIds", value=[])
    del document["versions"][0]["terminatedByActionId"]
    return document


def second_act(**fields: Any) -> Any:
    """Another action of the same day."""
    act = {"id": "urn:example:law:3#art1", "type": "Amendment", "eventTime": "2005-01-01T00:00:00Z"}
    return changed("actions", 1, value={**act, **fields})


SEARCH = {"id": "search", "typeId": "law", "label": "Search"}
FAULTS: dict[str, tuple[Any, str, str]] = {
    # what is wrong: (document, code, place after the file's name)
    "a list at the top": ([], "JSON_SHAPE", "#"),
    "a string at the top": ("law", "JSON_SHAPE", "#"),
    "items no list": (changed("items", value={"a": 1}), "JSON_SHAPE", "#"),
    "an item no object": (changed("items", 0, value="law"), "JSON_SHAPE", "#/items/0"),
    "an item null": (changed("items", 3, value=None), "JSON_SHAPE", "#/items/3"),
    "a data source no object": (changed("metadata", "dataSource", "title", value=7), "FIELD_TYPE", "#/metadata/dataSource"),
    "id missing": (changed("items", 1, "id", value=...), "FIELD_MISSING", "#/items/1"),
    "id empty": (changed("items", 1, "id", value=""), "FIELD_MISSING", "#/items/1"),
    "label missing": (changed("items", 1, "label", value=...), "FIELD_MISSING", "#/items/1"),
    "label a number": (changed("items", 1, "label", value=6), "FIELD_TYPE", "#/items/1"),
    "type missing": (changed("items", 0, "typeId", value=...), "FIELD_MISSING", "#/items/0"),
    "themes no list": (changed("items", 1, "themeIds", value="theme:words"), "FIELD_TYPE", "#/items/1"),
    "interval missing": (changed("versions", 0, "validityInterval", value=...), "FIELD_MISSING", "#/versions/0"),
    "interval of three": (changed("versions", 0, "validityInterval", value=["2001-01-01", None, None]), "INTERVAL_INVALID", "#/versions/0"),
    "interval a string": (changed("versions", 0, "validityInterval", value="2001-01-01"), "INTERVAL_INVALID", "#/versions/0"),
    "interval without start": (changed("versions", 0, "validityInterval", value=[None, "2005-01-01"]), "INTERVAL_INVALID", "#/versions/0"),
    "event time missing": (changed("actions", 0, "eventTime", value=...), "FIELD_MISSING", "#/actions/0"),
    "version type unknown": (changed("versions", 0, "type", value="draft"), "VERSION_TYPE", "#/versions/0"),
    "content missing": (changed("textUnits", 0, "content", value=...), "FIELD_MISSING", "#/textUnits/0"),
    "language no tag": (changed("textUnits", 0, "language", value="english!"), "LANGUAGE_INVALID", "#/textUnits/0"),
    "source type unknown": (changed("textUnits", 0, "sourceType", value="Law"), "SOURCE_TYPE", "#/textUnits/0"),
    "address relative": (changed("items", 0, "url", value="law.html"), "URL_INVALID", "#/items/0"),
    "sequence zero": (changed("actions", 0, "sequence", value=0), "FIELD_TYPE", "#/actions/0"),
    "instant without offset": (changed("versions", 0, "validityInterval", 0, value="2001-01-01T00:00:00"), "INSTANT_INVALID", "#/versions/0"),
    "impossible day": (changed("versions", 0, "validityInterval", 0, value="2001-02-30"), "INSTANT_INVALID", "#/versions/0"),
    "leap day of no leap year": (changed("actions", 0, "eventTime", value="1900-02-29"), "INSTANT_INVALID", "#/actions/0"),
    "instant a number": (changed("actions", 0, "eventTime", value=20050101), "INSTANT_INVALID", "#/actions/0"),
    "year zero": (changed("actions", 0, "eventTime", value="0000-01-01"), "INSTANT_INVALID", "#/actions/0"),
    "year 9999": (changed("versions", 1, "validityInterval", 1, value="9999-12-31"), "INSTANT_INVALID", "#/versions/1"),
    "item of a version unknown": (changed("versions", 0, "itemId", value=f"{LAW}!art2"), "UNKNOWN_ITEM", "#/versions/0"),
    "parent unknown": (changed("items", 1, "parentId", value="urn:example:law:9"), "UNKNOWN_REFERENCE", "#/items/1"),
    "theme unknown": (changed("items", 1, "themeIds", value=["theme:none"]), "UNKNOWN_REFERENCE", "#/items/1"),
    "version produced unknown": (changed("actions", 0, "producesVersionIds", value=["urn:v:9"]), "UNKNOWN_REFERENCE", "#/actions/0"),
    "version terminated unknown": (changed("actions", 0, "terminatesVersionIds", value=["urn:v:9"]), "UNKNOWN_REFERENCE", "#/actions/0"),
    "terminator unknown": (changed("versions", 0, "terminatedByActionId", value="urn:a:9"), "UNKNOWN_REFERENCE", "#/versions/0"),
    "producer unknown": (changed("versions", 1, "producedByActionId", value="urn:a:9"), "UNKNOWN_REFERENCE", "#/versions/1"),
    "action's parent unknown": (changed("actions", 0, "parentId", value="urn:a:9"), "UNKNOWN_REFERENCE", "#/actions/0"),
    "text of nothing": (changed("textUnits", 0, "sourceId", value="urn:v:9"), "UNKNOWN_REFERENCE", "#/textUnits/0"),
    "item twice": (changed("items", 3, value=DOCUMENT["items"][1]), "DUPLICATE_ID", "#/items/3"),
    "version named as an item": (changed("versions", 0, "id", value=LAW), "DUPLICATE_ID", "#/versions/0"),
    "canonical text twice": (changed("textUnits", 2, value=DOCUMENT["textUnits"][0]), "CANONICAL_REPEATED", "#/textUnits/2"),
    "part of itself": (changed("items", 0, "parentId", value=LAW), "PARENT_CYCLE", "#/items/0"),
    "part of its part": (changed("items", 0, "parentId", value=ART), "PARENT_CYCLE", "#/items/0"),
    "action of itself": (changed("actions", 0, "parentId", value=ACT), "PARENT_CYCLE", "#/actions/0"),
    "id of a fixed path": (changed("items", 3, value=SEARCH), "RESERVED_ID", "#/items/3"),
    "id that only minting gives": (changed("items", 3, value={**SEARCH, "id": "action:mine"}), "ID_INVALID", "#/items/3"),
    "id under the base": (changed("items", 3, value={**SEARCH, "id": "https://w3id.org/sat-graph/data/x"}), "ID_INVALID", "#/items/3"),
    "id with a step up": (changed("items", 3, value={**SEARCH, "id": "urn:x/../y"}), "ID_INVALID", "#/items/3"),
    "id with a control": (changed("items", 3, value={**SEARCH, "id": "urn:x\ny"}), "ID_INVALID", "#/items/3"),
    "start against the action": (changed("actions", 0, "validityInterval", value=["2006-01-01", None]), "START_CONFLICT", "#/versions/1"),
    "end against the actions": (changed("versions", 0, "validityInterval", 1, value="2004-01-01T00:00:00Z"), "INTERVAL_MISMATCH", "#/versions/0"),
    "an end that no one states": (silent_end(), "IMPLICIT_TERMINATION", "#/versions/0"),
    "two producers": (second_act(producesVersionIds=[NEW]), "PRODUCER_CONFLICT", "#/versions/1"),
    "two terminators": (second_act(terminatesVersionIds=[OLD]), "TERMINATOR_CONFLICT", "#/versions/0"),
    "half a surrogate in a text": (changed("textUnits", 0, "content", value="Art. 1 \ud800"), "", ""),
    "half a surrogate in a label": (changed("items", 0, "label", value="Law \ud800"), "", ""),
    "a whole number that JSON in its canonical form cannot hold": (changed("items", 0, "metadata", value={"x": 2**53}), "", ""),
    "metadata not a number": (changed("items", 0, "metadata", value={"x": float("nan")}), "", ""),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_names_file_and_place(what: str, tmp_path: Path, refused: Refusal) -> None:
    document, code, place = FAULTS[what]
    path = written(tmp_path, document)
    fault = refused(path)
    assert "law.json" in fault.message
    if not code:
        return
    found = violations(fault)
    assert (code, f"law.json{place}") in found
    assert found[0][0] in fault.message
    assert f"{len(found)} fault" in fault.message


def test_all_faults_are_reported_at_once(tmp_path: Path, refused: Refusal) -> None:
    document = changed("items", 1, "label", value=...)
    document["versions"][0]["validityInterval"][0] = "2001-02-30"
    document["actions"][0]["terminatesVersionIds"].append("urn:v:9")
    assert {place for _, place in violations(refused(written(tmp_path, document)))} >= {
        "law.json#/items/1",
        "law.json#/versions/0",
        "law.json#/actions/0",
    }


def test_one_bad_source_refuses_the_good_one_beside_it(tmp_path: Path) -> None:
    bad = written(tmp_path, changed("items", 1, "label", value=...))
    good = next(request for request in bundled() if request.name == "standards")
    for requests in ((good, Request(bad)), (Request(bad), good)):
        with pytest.raises(LoadRefused, match=r"law\.json#/items/1"):
            load_into(tmp_path / "s", *requests)
        assert Revisions(tmp_path / "s").current() is None


def test_an_end_before_the_start_is_never_in_force(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    stillborn = f"{LAW}@2003-01-01!art1"
    document["versions"].append(
        {
            "id": stillborn,
            "itemId": ART,
            "type": "statutory",
            "validityInterval": ["2003-01-01T00:00:00Z", "2002-01-01T00:00:00Z"],
        }
    )
    report = load_into(tmp_path / "s", Request(written(tmp_path, document)))
    (finding,) = [f for f in report.findings if f.code == "INTERVAL_STILLBORN"]
    assert (finding.severity, finding.subject, finding.place) == (
        "warning",
        stillborn,
        "law.json#/versions/3",
    )
    with serving(tmp_path / "s") as service:
        for at in ("2002-01-01", "2002-06-01", "2003-01-01", "2003-06-01"):
            seen = service.run("getValidVersions", {"itemId": ART, "at": at}, "test").value
            assert [version["id"] for version in seen] == [OLD]
        listed = service.run("getItemVersions", {"itemId": ART}, "test").value
        (never,) = [version for version in listed if version["id"] == stillborn]
        assert never["validityStatus"] == "never"
        assert never["validityInterval"] == ["2003-01-01T00:00:00Z", "2003-01-01T00:00:00Z"]
        overlapping = service.run(
            "getItemVersions", {"itemId": ART, "startAt": "2002-06-01", "endAt": "2004-01-01"}, "test"
        ).value
        assert [version["id"] for version in overlapping] == [OLD]


def test_an_item_with_nothing_but_a_stillborn_version_was_never_in_force(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["actions"], document["versions"] = [], document["versions"][:1]
    document["textUnits"] = document["textUnits"][:1]
    del document["versions"][0]["terminatedByActionId"]
    document["versions"][0]["validityInterval"][1] = "2000-01-01T00:00:00Z"
    load_into(tmp_path / "s", Request(written(tmp_path, document)))
    with serving(tmp_path / "s") as service, pytest.raises(NoValidVersion) as fault:
        service.run("getValidVersions", {"itemId": ART, "at": "2000-06-01"}, "test")
    assert fault.value.details["reason"] == "never"


@pytest.mark.parametrize(("coverage", "severity"), [("partial", "warning"), ("complete", "violation")])
def test_an_unknown_source_of_an_action_weighs_as_the_coverage_says(
    coverage: str, severity: str, tmp_path: Path
) -> None:
    document = changed("actions", 0, "sourceVersionIds", value=["urn:v:9"])
    document["metadata"]["dataSource"]["coverage"] = coverage
    request = Request(written(tmp_path, document))
    if severity == "violation":
        with pytest.raises(LoadRefused) as fault:
            load_into(tmp_path / "s", request)
        assert ("UNKNOWN_SOURCE", "law.json#/actions/0") in violations(fault.value)
        return
    findings = [f for f in load_into(tmp_path / "s", request).findings if f.code == "UNKNOWN_SOURCE"]
    assert [(f.severity, f.subject, f.place) for f in findings] == [
        ("warning", "urn:v:9", "law.json#/actions/0")
    ]


def test_minted_names_are_closed_to_what_a_document_states(tmp_path: Path, refused: Refusal) -> None:
    document = json.loads(json.dumps(DOCUMENT).replace(ACT, "action:law-2"))
    assert "only minted ids have" in refused(written(tmp_path, document)).message


@pytest.mark.parametrize("number", [2**53 - 1, -1, 0.1, 1e21])
def test_numbers_in_metadata_stay_what_they_are(number: float, tmp_path: Path) -> None:
    path = written(tmp_path, changed("items", 0, "metadata", value={"number": number}))
    load_into(tmp_path / "s", Request(path))
    with serving(tmp_path / "s") as service:
        item = service.run("getItemById", {"itemId": LAW}, "test").value
    assert item["metadata"] == {"number": number}


# --- CSV snapshots


HEADER = "classe,texto,titulo,capitulo,secao,subsecao,artigo,paragrafo,inciso,alinea"
ROWS = (
    HEADER,
    "titartb,Title 1,1,NA,NA,NA,NA,NA,NA,NA",
    "artigo,Art. 1 Words:,1,NA,NA,NA,1,NA,NA,NA",
    "inciso,I - one;,1,NA,NA,NA,1,NA,1,NA",
    "paragrafo,§ 1 More.,1,NA,NA,NA,1,1,NA,NA",
)
FIRST = "19881005_ORIGINAL.csv"


def snapshots(tmp_path: Path, name: str, *rows: str) -> Path:
    folder = tmp_path / "csv"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def with_row(number: int, row: str | None) -> list[str]:
    """The rows with line ``number`` (from 1) replaced, or removed for None."""
    rows: list[str | None] = list(ROWS)
    rows[number - 1] = row
    return [entry for entry in rows if entry is not None]


def test_the_rows_without_a_fault_load(tmp_path: Path) -> None:
    folder = snapshots(tmp_path, FIRST, *ROWS)
    report = load_into(tmp_path / "s", Request(folder))
    assert report.sources[0]["adapter"] == "cf88"
    assert [f for f in report.findings if f.severity != "info"] == []


@pytest.mark.parametrize(
    ("line", "row", "code", "place"),
    [
        (1, HEADER.replace(",alinea", ""), "CSV_COLUMN_MISSING", 1),
        (1, HEADER.replace("inciso", "item"), "CSV_COLUMN_MISSING", 1),
        (3, "artigo,Art. 1 Words:,1,NA,NA,NA,1,NA,NA", "CSV_ROW_LENGTH", 3),
        (4, "inciso,I - one; and two,1,NA,NA,NA,1,NA,1,NA,NA", "CSV_ROW_LENGTH", 4),
        (3, "artigo,Art. 1 Words:,1,NA,NA,NA,1x,NA,NA,NA", "CSV_NUMBER", 3),
        (3, "artigo,Art. 1 Words:,1,NA,NA,NA,,NA,NA,NA", "CSV_NUMBER", 3),
        (4, "inciso,I - one;,1,NA,NA,NA,1,NA,I,NA", "CSV_NUMBER", 4),
        (2, "titartb,Title 1,NA,NA,NA,NA,NA,NA,NA,NA", "CSV_NUMBER", 2),
        (3, "article,Art. 1 Words:,1,NA,NA,NA,1,NA,NA,NA", "CSV_CLASS", 3),
        (3, "artigo,Art. 1 Words:,1,NA,NA,NA,NA,NA,NA,NA", "CSV_CLASS", 3),
        (3, "artigo, ,1,NA,NA,NA,1,NA,NA,NA", "CSV_TEXT_MISSING", 3),
        (2, None, "CSV_HEADING_MISSING", 2),
        (3, None, "CSV_PARENT_MISSING", 3),
        (5, 'paragrafo,"§ 1 More.,1,NA,NA,NA,1,1,NA,NA', "CSV_SYNTAX", 5),
        (3, 'artigo,"Art. 1" Words:,1,NA,NA,NA,1,NA,NA,NA', "CSV_SYNTAX", 3),
    ],
)
def test_a_bad_row_names_file_and_line(
    line: int, row: str | None, code: str, place: int, tmp_path: Path, refused: Refusal
) -> None:
    fault = refused(snapshots(tmp_path, FIRST, *with_row(line, row)))
    found = violations(fault)
    assert found[0] == (code, f"{FIRST}:{place}")
    assert f"{FIRST}:{place}" in fault.message


def test_every_bad_row_is_reported(tmp_path: Path, refused: Refusal) -> None:
    rows = [*ROWS[:3], "inciso,I - one;,1,NA,NA,NA,1,NA,I,NA", "inciso,II - two;,1,NA,NA,NA,1,NA,II,NA"]
    found = violations(refused(snapshots(tmp_path, FIRST, *rows)))
    assert found == [("CSV_NUMBER", f"{FIRST}:4"), ("CSV_NUMBER", f"{FIRST}:5")]


@pytest.mark.parametrize(
    "name", ["19881399_ORIGINAL.csv", "19880230_EMC1.csv", "notes.csv", "19881005.csv", "19881005_LAW1.csv"]
)
def test_a_bad_file_name_is_named(name: str, tmp_path: Path, refused: Refusal) -> None:
    snapshots(tmp_path, FIRST, *ROWS)
    fault = refused(snapshots(tmp_path, name, *ROWS))
    assert ("CSV_FILE_NAME", name) in violations(fault)


def test_a_snapshot_that_is_not_utf_8_is_named(tmp_path: Path, refused: Refusal) -> None:
    folder = snapshots(tmp_path, FIRST, *ROWS)
    (folder / "19920331_EMC1.csv").write_bytes("\n".join(ROWS).encode("latin-1"))
    byte = "\n".join(ROWS).index("§")
    assert f"19920331_EMC1.csv: not UTF-8 at byte {byte}" in refused(folder).message


def test_two_snapshots_of_one_date_are_refused(tmp_path: Path, refused: Refusal) -> None:
    snapshots(tmp_path, FIRST, *ROWS)
    snapshots(tmp_path, "19920331_EMC1.csv", *ROWS[:4])
    fault = refused(snapshots(tmp_path, "19920331_EMC2.csv", *ROWS[:3]))
    assert "19920331_EMC" in fault.message


def test_a_broken_archive_is_refused(tmp_path: Path, refused: Refusal) -> None:
    path = tmp_path / "snapshots.tar.xz"
    path.write_bytes(b"this is no archive")
    assert "snapshots.tar.xz" in refused(path).message


def test_a_folder_without_snapshots_is_refused(tmp_path: Path, refused: Refusal) -> None:
    folder = tmp_path / "csv"
    folder.mkdir()
    assert str(folder) in refused(folder).message
    assert str(folder) in refused(folder, adapter="cf88").message


# --- RDF


@pytest.mark.parametrize(
    ("name", "code", "names"),
    [
        ("bad-zoneless.ttl", "INSTANT_INVALID", "https://example.org/statement"),
        ("bad-date.ttl", "INSTANT_INVALID", "https://example.org/statement"),
        ("bad-offset.ttl", "INSTANT_INVALID", "https://example.org/action"),
        ("bad-day.ttl", "INSTANT_INVALID", "https://example.org/statement"),
        ("bad-blank.ttl", "BLANK_NODE", "label"),
        ("bad-blank-object.ttl", "BLANK_NODE", "https://example.org/version"),
    ],
)
def test_rdf_that_would_vanish_or_cannot_be_cited_is_refused(
    name: str, code: str, names: str, refused: Refusal
) -> None:
    fault = refused(GRAPHS / name)
    (finding,) = [f for f in fault.findings if f["severity"] == "violation"]
    assert finding["code"] == code
    assert finding["place"].startswith(name)
    assert names in finding["place"]
    assert name in fault.message


@pytest.mark.parametrize(("name", "line"), [("bad-syntax.ttl", 4), ("bad-iri.nt", 2)])
def test_a_syntax_error_in_rdf_names_the_line(name: str, line: int, refused: Refusal) -> None:
    assert f"{GRAPHS / name}:{line}: " in refused(GRAPHS / name).message


def test_a_canonical_instant_and_the_open_end_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "fine.ttl"
    load_into(tmp_path / "one", Request(written(tmp_path, DOCUMENT)))
    store, _ = Revisions(tmp_path / "one").open()
    with (tmp_path / "fine.nq").open("wb") as file:
        store.dump(file)
    assert "9999-12-31T00:00:00Z" in (tmp_path / "fine.nq").read_text(encoding="utf-8")
    assert load_into(tmp_path / "two", Request(path.with_suffix(".nq"))).revision is not None


# --- Paths and adapters


def test_a_path_that_is_not_there(tmp_path: Path, refused: Refusal) -> None:
    assert "no such file" in refused(tmp_path / "none.json").message


@pytest.mark.parametrize("adapter", ["satgraph-json", "cf88", "rdf"])
@pytest.mark.parametrize("kind", ["missing", "folder", "other"])
def test_a_named_adapter_on_a_path_it_cannot_read(
    adapter: str, kind: str, tmp_path: Path, refused: Refusal
) -> None:
    path = tmp_path / "thing.bin"
    if kind == "folder":
        path.mkdir()
    elif kind == "other":
        path.write_bytes(b"\x00\x01\xff")
    assert "thing.bin" in refused(path, adapter=adapter).message


def test_a_format_no_adapter_knows(tmp_path: Path, refused: Refusal) -> None:
    path = tmp_path / "law.docx"
    path.write_bytes(b"PK")
    fault = refused(path)
    assert str(path) in fault.message
    assert "satgraph-json, cf88, rdf" in fault.message


def test_an_adapter_that_is_not_there(tmp_path: Path, refused: Refusal) -> None:
    assert "'xml'" in refused(written(tmp_path, DOCUMENT), adapter="xml").message


# --- The command line


def test_exit_codes_and_messages(
    standing: Path, sample_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = str(written(tmp_path, changed("items", 1, "label", value=...)))
    store, none = str(sample_store), str(tmp_path / "none")
    work = "urn:lex:br:federal:constituicao:1988-10-05;1988"
    ec26 = "urn:lex:br:federal:emenda.constitucional:2000-02-14;26!art1_cpt"
    for arguments, code, *wanted in (
        (["text", "urn:example:none", "--store", store], 4, "RESOURCE_NOT_FOUND", "urn:example:none"),
        (["call", "get-item-by-id", "--item", "urn:example:none", "--store", store], 4, "RESOURCE_NOT_FOUND"),
        (["text", work, "--at", "1900-01-01", "--store", store], 4, "NO_VALID_VERSION", "not yet"),
        # An act that later actions name as their source is not in force before it is made.
        (
            ["call", "get-valid-versions", "--item", ec26, "--at", "1990-01-01", "--store", store],
            4,
            "NO_VALID_VERSION",
            "not yet",
        ),
        (["text", work, "--at", "2001-02-30", "--store", store], 2, "INVALID_PARAMETER", "2001-02-30"),
        (["text", work, "--at", "2001-02-03T00:00:00", "--store", store], 2, "INVALID_PARAMETER", "offset"),
        (["load", bad, "--store", str(standing)], 5, "LOAD_REFUSED", "law.json#/items/1", "FIELD_MISSING"),
        (["load", str(tmp_path / "gone.json"), "--store", none], 5, "LOAD_REFUSED", "no such file"),
        (["text", work, "--store", none], 6, "NO_REVISION", "satgraph load"),
        (["serve", "--store", store], 3, "MISSING_API_KEY", "--open"),
        (["serve", "--open", "--host", "0.0.0.0", "--store", store], 3, "loopback", "0.0.0.0"),
        (["serve", "--open", "--host", "example.org", "--store", store], 3, "loopback", "example.org"),
        (["unload", "nothing", "--store", str(standing)], 2, "INVALID_PARAMETER", "standards"),
    ):
        assert command(arguments) == code, arguments
        out, err = capsys.readouterr()
        assert out == "", arguments
        for words in wanted:
            assert words in err, (arguments, err)
        assert "Traceback" not in err


def test_a_refused_load_as_json(standing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = str(written(tmp_path, changed("items", 1, "label", value=...)))
    assert command(["load", bad, "--json", "--store", str(standing)]) == 5
    body = json.loads(capsys.readouterr().err)
    assert body["code"] == "LOAD_REFUSED"
    assert body["details"]["findings"][0]["place"] == "law.json#/items/1"


def test_an_unknown_command_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command(["destroy"])
    assert end.value.code == 2
    assert "destroy" in capsys.readouterr().err
