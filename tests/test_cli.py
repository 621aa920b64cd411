"""The command line through ``api.cli.main``: what it prints, and how it ends."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from api.cli import EXIT_CODES, main
from api.demo import bundled
from satgraph_rdf import __version__
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import load
from satgraph_rdf.registry import QUERIES, Registry
from satgraph_rdf.wiring import Service, store_settings

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = Registry.load()
PRIMITIVES = list(REGISTRY)
CF88 = "urn:lex:br:federal:constituicao:1988-10-05;1988"
ART6 = f"{CF88}!art6_cpt"
V2000 = f"{CF88}@2000-02-14!art6_cpt"
WORDS_2000 = "moradia"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with the bundled sample."""
    made = tmp_path_factory.mktemp("cli") / "store"
    load(made, bundled(), wall_clock())
    return made


@pytest.fixture
def satgraph(folder, capsys):
    """Runs a command on that store: (exit code, standard output, standard error)."""

    def run(*words, store=folder):
        capsys.readouterr()
        code = main([*words, "--store", str(store)] if store is not None else list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return run


def given(primitive):
    """The required parameters and the instants, with their documented examples."""
    return [use for use in primitive.uses if use.required or use.param.name in ("at", "observer_time")]


def flags(primitive):
    words = []
    for use in given(primitive):
        value = use.param.example
        words += ["--" + use.param.name.replace("_", "-"), *(value if isinstance(value, list) else [value])]
    return words


# call --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_call_every_primitive_with_its_example(satgraph, folder, primitive):
    code, out, err = satgraph("call", primitive.command, *flags(primitive), "--json")
    service = Service(store_settings(folder))
    try:
        arguments = {use.param.wire: use.param.example for use in given(primitive)}
        assert code == 0, err
        assert json.loads(out) == service.run(primitive.name, arguments, "test").value
    finally:
        service.close()


def test_call_by_every_name_and_both_spellings_of_a_flag(satgraph):
    wanted = None
    for name in ("get-valid-versions", "getValidVersions"):
        for item, observer in (("--item", "--observer-time"), ("--itemId", "--observerTime")):
            code, out, _ = satgraph(
                "call", name, item, ART6, "--at", "2001-05-20", observer, "2020-01-01", "--json"
            )
            assert code == 0
            wanted = wanted or out
            assert out == wanted
    assert [version["id"] for version in json.loads(wanted)] == [V2000]
    assert (
        satgraph("call", "get-item-by-id", "--item", ART6, "--json")[1]
        == satgraph("call", "getItem", "--item", ART6, "--json")[1]
    )


def test_call_prints_tables_and_the_instants_used(satgraph):
    code, out, err = satgraph(
        "call", "get-valid-versions", "--item", ART6, "--at", "2001-05-20", "--observer-time", "2020-01-01"
    )
    assert code == 0
    out = re.sub(r"[\s│]+", " ", out)  # a table folds what is wider than the screen
    assert V2000 in out.replace(" ", "")
    assert "[2000-02-14T00:00:00Z, 2010-02-04T00:00:00Z)" in out
    assert re.search(
        r"revision \d{6}-[0-9a-f]{6}, at 2001-05-20T00:00:00Z, observer 2020-01-01T00:00:00Z, record [0-9A-Z]{26}",
        err,
    )


def test_call_with_a_list(satgraph):
    code, out, _ = satgraph("call", "get-batch-items", "--ids", ART6, "no-such", CF88, "--json")
    assert code == 0
    assert [item["id"] for item in json.loads(out)] == [ART6, CF88]


def test_call_json_is_only_json(satgraph):
    code, out, err = satgraph("call", "get-item-children", "--item", CF88, "--json")
    assert (code, err) == (0, "")
    assert "Título" in out, "letters are printed as they are"
    assert len(json.loads(out)) == 2


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["get-item-by-id", "--item", "no-such"], 4, "RESOURCE_NOT_FOUND"),
        (["get-valid-versions", "--item", ART6, "--at", "1980-01-01"], 4, "NO_VALID_VERSION"),
        (["get-version-by-id", "--version", V2000, "--observer-time", "1990-01-01"], 4, "NOT_YET_KNOWN"),
        (["get-valid-versions", "--item", ART6, "--at", "20100101"], 2, "INVALID_PARAMETER"),
        (["get-item-versions", "--item", ART6, "--start-at", "2015-01-01", "--end-at", "2014-01-01"], 2, "INVALID_DATE_RANGE"),
        (["get-item-hierarchy", "--item", CF88, "--depth", "x"], 2, "INVALID_PARAMETER"),
        (["get-batch-items", "--ids", ART6, ART6], 2, "INVALID_PARAMETER"),
    ],
)  # fmt: skip
def test_exit_codes_of_call(satgraph, words, exit_code, code):
    assert satgraph("call", *words)[0] == exit_code
    found, out, err = satgraph("call", *words, "--json")
    assert (found, out) == (exit_code, "")
    body = json.loads(err)
    assert body["code"] == code
    assert set(body) <= {"code", "message", "details"}
    _, out, err = satgraph("call", *words)
    assert out == ""
    assert err.startswith(f"{code}: ")
    if "details" in body:
        assert json.loads(err.strip().splitlines()[-1]) == body["details"]


def test_every_status_has_an_exit_code():
    from satgraph_rdf import errors

    statuses = {
        thing.status
        for thing in vars(errors).values()
        if isinstance(thing, type) and issubclass(thing, errors.SatGraphError)
    }
    assert statuses <= set(EXIT_CODES)
    assert 0 not in EXIT_CODES.values()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["no-such-command"],
        ["call"],
        ["call", "no-such"],
        ["call", "get-item-by-id"],
        ["call", "get-item-by-id", "--item", "x", "--foo", "1"],
        ["show"],
        ["serve", "--port", "x"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_told_with_exit_code_2(capsys, words):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "usage: satgraph" in err


def test_version_and_help(capsys):
    for words, said in (
        (["--version"], __version__),
        (["--help"], "call"),
        (["call", "--help"], "get-valid-versions"),
        (["call", "get-valid-versions", "--help"], "satgraph call get-valid-versions --item"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 0
        assert said in capsys.readouterr().out


def test_a_store_that_is_not_there(satgraph, tmp_path):
    for words in (["call", "get-item-by-id", "--item", "x"], ["text", "x"], ["show", "get-item-by-id"]):
        code, out, err = satgraph(*words, store=tmp_path / "none")
        assert (code, out) == (6, "")
        assert err.startswith("NO_REVISION: ")
        assert not (tmp_path / "none" / "audit").exists(), "nothing is written where nothing was loaded"


def test_the_store_of_the_environment(satgraph, folder, monkeypatch):
    monkeypatch.setenv("SATGRAPH_STORE", str(folder))
    code, out, _ = satgraph("call", "get-item-by-id", "--item", ART6, "--json", store=None)
    assert (code, json.loads(out)["id"]) == (0, ART6)


# text --------------------------------------------------------------------------------------------


def test_text_prints_the_text_and_nothing_else(satgraph):
    code, out, err = satgraph("text", ART6, "--at", "2001-05-20")
    assert (code, err) == (0, "")
    assert out.startswith("Art. 6º")
    assert WORDS_2000 in out
    assert WORDS_2000 not in satgraph("text", ART6, "--at", "1999-12-31")[1]
    assert WORDS_2000 not in satgraph("text", ART6, "--at", "2001-05-20", "--observer-time", "2000-02-13")[1]
    assert "housing" in satgraph("text", ART6, "--at", "2001-05-20", "--language", "en")[1]


def test_text_of_a_chapter_is_its_rows(satgraph):
    item = f"{CF88}!tit2_cap2"
    document = json.loads(satgraph("text", item, "--at", "2016-01-01", "--json")[1])
    assert (
        satgraph("text", item, "--at", "2016-01-01")[1]
        == "\n".join(row["content"] for row in document["rows"]) + "\n"
    )
    assert document["at"] == "2016-01-01T00:00:00Z"


def test_text_of_what_is_not_there(satgraph):
    assert satgraph("text", "no-such")[0] == 4
    code, out, err = satgraph("text", ART6, "--at", "1980-01-01")
    assert (code, out) == (4, "")
    assert "NO_VALID_VERSION" in err


# show --------------------------------------------------------------------------------------------


def file_hash(primitive):
    """SHA-256 of the shared prefixes and the file; with a hydrator, of both hashes."""
    [path] = QUERIES.glob(f"*/{primitive.name}.rq")
    prefixes = (QUERIES / "prefixes.rq").read_text(encoding="utf-8")
    own = hashlib.sha256(f"{prefixes}\n{path.read_text(encoding='utf-8')}".encode()).hexdigest()
    if not primitive.hydrate:
        return own
    return hashlib.sha256(f"{own}\n{file_hash(REGISTRY[primitive.hydrate])}".encode()).hexdigest()


class Heard:
    """A store that remembers what it was asked."""

    def __init__(self, store):
        self.store, self.texts = store, []

    def select(self, text, graphs):
        self.texts.append(text)
        return self.store.select(text, graphs)

    def __getattr__(self, name):
        return getattr(self.store, name)


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
def test_show_prints_the_query_that_runs_and_the_hash_of_the_record(satgraph, folder, primitive):
    code, out, err = satgraph("show", primitive.command, *flags(primitive))
    assert (code, err) == (0, "")
    head, _, query = out.partition("\n")
    assert head == f"# {primitive.operation_id} sha256:{primitive.identity}"
    assert primitive.identity == file_hash(primitive)
    shown = json.loads(satgraph("show", primitive.command, *flags(primitive), "--json")[1])
    assert shown["primitive"] == primitive.operation_id
    assert shown["sha256"] == primitive.identity
    if primitive.hydrate:
        hydrator = REGISTRY[primitive.hydrate]
        query, mark, reader = query.partition("\n# What has these ids is then read by ")
        assert mark
        first, _, reader = reader.partition("\n")
        assert first == f"{hydrator.operation_id} sha256:{hydrator.identity}"
        assert set(re.findall(r"\$\w+", reader)) == {"$ids"}, "only the ids are still open"
    assert "$" not in shown["query"], "an input is not bound"
    service = Service(store_settings(folder))
    try:
        served = service.served()
        heard = served.engine.store = Heard(served.engine.store)
        arguments = {use.param.wire: use.param.example for use in given(primitive)}
        answer = service.run(primitive.name, arguments, "test")
        assert heard.texts[0] == shown["query"]
        assert query.startswith(heard.texts[0])
        for text in (query, shown["query"]):
            rows = heard.store.select(text, served.everything("test").graphs)
            assert tuple(rows.variables) == primitive.variables
            assert bool(rows.rows) == bool(answer.value)
    finally:
        service.close()


def test_show_binds_what_is_given(satgraph):
    out = satgraph(
        "show",
        "get-valid-versions",
        "--item",
        ART6,
        "--at",
        "2001-05-20",
        "--observer-time",
        "2020-01-01T00:00:00-03:00",
    )[1]
    assert f"<https://w3id.org/sat-graph/data/id/{ART6}>" in out
    assert '"2001-05-20T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>' in out
    assert '"2020-01-01T03:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>' in out


def test_show_without_arguments_uses_the_examples(satgraph):
    code, out, _ = satgraph("show", "get-item-by-id")
    assert code == 0
    assert REGISTRY["get_item_by_id"].uses[0].param.example in out


def test_show_refuses_what_call_refuses(satgraph):
    assert satgraph("show", "get-valid-versions", "--item", ART6, "--at", "20100101")[0] == 2


def test_show_leaves_no_record(satgraph, folder):
    before = sum(len(path.read_bytes().splitlines()) for path in (folder / "audit").glob("*/*.jsonl"))
    satgraph("show", "get-item-by-id")
    assert sum(len(path.read_bytes().splitlines()) for path in (folder / "audit").glob("*/*.jsonl")) == before


def test_a_crafted_id_is_one_term_in_the_query(satgraph):
    out = satgraph("show", "get-item-by-id", "--item", 'x> ?p ?o } UNION { ?id ?p "\\')[1]
    assert "UNION {" not in out
    assert "x%3E%20%3Fp%20%3Fo%20%7D%20UNION%20%7B" in out


# status, revisions, load, unload -----------------------------------------------------------------


def test_status(satgraph, folder):
    code, out, _ = satgraph("status", "--json")
    status = json.loads(out)
    assert code == 0
    assert status["store"] == str(folder)
    assert status["tool"] == __version__
    assert status["writer"] is None
    assert status["halfMade"] == []
    assert status["revisions"] == 1
    assert status["bytes"] > 0
    assert [source["name"] for source in status["sources"]] == ["constitution", "standards"]
    code, out, _ = satgraph("status")
    assert code == 0
    for line in (f"revision   {status['revision']}", "writer     none", f"digest     {status['digest']}"):
        assert line in out.splitlines()


def test_status_of_an_empty_store(satgraph, tmp_path):
    code, out, _ = satgraph("status", "--json", store=tmp_path / "empty")
    assert code == 0
    assert json.loads(out)["revision"] is None
    assert json.loads(out)["revisions"] == 0


def test_revisions(satgraph):
    code, out, _ = satgraph("revisions", "--json")
    assert code == 0
    [row] = json.loads(out)
    assert row["sources"] == ["constitution", "standards"]
    assert re.fullmatch(r"[0-9a-f]{64}", row["digest"])
    code, out, _ = satgraph("revisions")
    assert code == 0
    assert row["revision"] in out


def test_revisions_of_an_empty_store(satgraph, tmp_path):
    code, out, _ = satgraph("revisions", "--json", store=tmp_path / "empty")
    assert (code, json.loads(out)) == (0, [])


def test_load_again_replace_and_unload(satgraph, tmp_path):
    store, source = tmp_path / "store", ROOT / "data" / "standards.json"
    code, out, _ = satgraph("load", str(source), "--json", store=store)
    assert code == 0
    first = json.loads(out)["revision"]
    assert first.startswith("000001-")
    code, out, _ = satgraph("load", str(source), store=store)
    assert code == 0
    assert f"same content as revision {first}: no new revision" in out
    code, out, _ = satgraph("load", str(source), "--source", "again", "--dry-run", store=store)
    assert code == 5, "the ids are owned by the first source"
    code, out, _ = satgraph("load", str(ROOT / "tests/graphs/situations.json"), "--dry-run", store=store)
    assert code == 0
    assert "dry run: nothing was published" in out
    assert len(json.loads(satgraph("revisions", "--json", store=store)[1])) == 1
    code, out, _ = satgraph(
        "load", str(ROOT / "tests/graphs/situations.json"), "--source", "laws", store=store
    )
    assert code == 0
    assert "warning   INTERVAL_STILLBORN lei-1@2013-05-01!art4" in out
    assert [row["sources"] for row in json.loads(satgraph("revisions", "--json", store=store)[1])] == [
        ["laws", "standards"],
        ["standards"],
    ]
    assert satgraph("call", "get-item-by-id", "--item", "lei-1", store=store)[0] == 0
    assert satgraph("unload", "laws", store=store)[0] == 0
    assert satgraph("call", "get-item-by-id", "--item", "lei-1", store=store)[0] == 4
    code, _, err = satgraph("unload", "laws", store=store)
    assert code == 2
    assert "standards" in err


def test_a_refused_load_lists_what_is_wrong(satgraph, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(
        json.dumps(
            {
                "items": [
                    {"id": "a", "typeId": "law"},
                    {"id": "a", "typeId": "law", "label": "A"},
                    {"id": "b", "typeId": "law", "label": "B", "parentId": "c"},
                ]
            }
        ),
        encoding="utf-8",
    )
    code, out, err = satgraph("load", str(bad), store=tmp_path / "store")
    assert (code, out) == (5, "")
    assert err.lstrip().startswith("LOAD_REFUSED: ")
    for found in ("FIELD_MISSING", "DUPLICATE_ID", "UNKNOWN_REFERENCE", "bad.json#/items/1"):
        assert found in err
    code, _, err = satgraph("load", str(bad), "--json", store=tmp_path / "store")
    assert code == 5
    assert len(json.loads(err)["details"]["findings"]) >= 3
    assert json.loads(satgraph("status", "--json", store=tmp_path / "store")[1])["revision"] is None


def test_load_of_what_is_not_there(satgraph, tmp_path):
    code, _, err = satgraph("load", str(tmp_path / "none.json"), store=tmp_path / "store")
    assert code in (2, 5)
    assert "none.json" in err
    code, _, err = satgraph(
        "load",
        str(ROOT / "data/standards.json"),
        str(ROOT / "data/constitution.json"),
        "--source",
        "one",
        store=tmp_path / "store",
    )
    assert code == 2
    assert "--source" in err


# demo, serve -------------------------------------------------------------------------------------


def test_demo_once(capsys):
    assert main(["demo", "--once"]) == 0
    out = capsys.readouterr().out
    assert "Loaded the bundled sample as revision 000001-" in out
    assert "GET /x/items/" in out
    assert WORDS_2000 in out
    bodies = re.findall(r"^(?:\{|\[)\n.*?^(?:\}|\])$", out, re.DOTALL | re.MULTILINE)
    assert len(bodies) == 3
    document, actions, versions = map(json.loads, bodies)
    assert document["rows"][0]["versionId"] == V2000
    assert [action["type"] for action in actions] == ["Amendment"]
    assert [version["type"] for version in versions] == ["statutory", "interpretive"]


@pytest.mark.parametrize(
    "words",
    [
        ["serve"],
        ["serve", "--open", "--host", "0.0.0.0"],
        ["serve", "--open", "--host", "::"],
        ["serve", "--open", "--host", "law.example"],
    ],
    ids=" ".join,
)
def test_serve_without_keys_is_for_this_machine_only(satgraph, words):
    code, _, err = satgraph(*words)
    assert code == 3
    assert "--open" in err


def test_as_a_module_a_broken_pipe_is_no_fault(folder):
    done = subprocess.run(
        f"{sys.executable} -m api.cli call get-item-hierarchy --item '{CF88}' --json --store '{folder}' | head -c 1",
        shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "[")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
