"""A load is all or nothing: order, replacement, a second writer, sudden death, readers meanwhile."""

from __future__ import annotations

import copy
import json
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, load_into, serving
from pyoxigraph import RdfFormat, Triple, parse, serialize

from api.cli import main as command
from api.demo import bundled
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.errors import (
    InvalidParameter,
    LoadRefused,
    NoRevision,
    StoreError,
    StoreLocked,
    UnknownStoreFormat,
)
from satgraph_rdf.loading import unload
from satgraph_rdf.preparation import Request
from satgraph_rdf.revisions import Manifest, Revisions
from satgraph_rdf.wiring import Service

WORK = "urn:lex:br:federal:constituicao:1988-10-05;1988"
ART6 = f"{WORK}!art6_cpt"
STEPS = (
    "before write",
    "after checkpoint",
    "mid write",
    "before manifest",
    "before rename",
    "before current",
    "after rename",
)
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("getValidVersions", {"itemId": ART6, "at": "2001-05-20", "observerTime": "2020-01-01"}),
    ("getItemHistory", {"itemId": ART6, "observerTime": "2020-01-01"}),
    ("getDocumentText", {"itemId": WORK, "at": "2016-01-01", "observerTime": "2020-01-01"}),
    ("getBatchItems", {"ids": [ART6, "urn:example:law:1", "urn:example:law:1!art1"]}),
)


# --- Sources


LAW: dict[str, Any] = {
    "metadata": {"dataSource": {"title": "A law", "language": "en", "coverage": "partial"}},
    "items": [
        {"id": "urn:example:law:1", "typeId": "law", "label": "Law 1"},
        {
            "id": "urn:example:law:1!art1",
            "typeId": "article",
            "label": "Art. 1",
            "parentId": "urn:example:law:1",
        },
    ],
    "itemTypes": [
        {"id": "norm", "label": "Norm"},
        {"id": "component", "label": "Component"},
        {"id": "law", "label": "Law", "parentIds": ["norm"]},
        {"id": "article", "label": "Article", "parentIds": ["component"]},
    ],
    "versions": [
        {
            "id": "urn:example:law:1@2001-01-01!art1",
            "itemId": "urn:example:law:1!art1",
            "type": "statutory",
            "validityInterval": ["2001-01-01T00:00:00Z", None],
        }
    ],
    "textUnits": [
        {
            "sourceId": "urn:example:law:1@2001-01-01!art1",
            "sourceType": "Version",
            "language": "en",
            "aspect": "canonical",
            "content": "Art. 1 Words.",
        }
    ],
}


def written(path: Path, content: str = "Art. 1 Words.") -> Path:
    """The small law as a file."""
    law = copy.deepcopy(LAW)
    law["textUnits"][0]["content"] = content
    path.write_text(json.dumps(law), encoding="utf-8")
    return path


@pytest.fixture
def law(tmp_path: Path) -> Request:
    return Request(written(tmp_path / "law.json"), name="law")


def constitution() -> Request:
    return next(request for request in bundled() if request.name == "constitution")


def standards() -> Request:
    return next(request for request in bundled() if request.name == "standards")


def manifest(folder: Path) -> Manifest:
    return Revisions(folder).manifest()


def identity(folder: Path) -> tuple[str, str, int]:
    found = manifest(folder)
    return found.content_hash, found.digest, found.quads


def contents(service: Service, item: str = "urn:example:law:1") -> list[str]:
    rows = service.run("getDocumentText", {"itemId": item}, "test").value["rows"]
    return [row["content"] for row in rows]


def answers(folder: Path) -> list[bytes]:
    with serving(folder) as service:
        return [service.run(name, arguments, "test").body for name, arguments in QUESTIONS]


def visible(folder: Path) -> list[str]:
    """The folders of revisions, half-made ones included."""
    root = folder / "revisions"
    return sorted(path.name for path in root.iterdir()) if root.is_dir() else []


# --- The same content, however it came there


def test_the_order_of_sources_does_not_matter(law: Request, tmp_path: Path) -> None:
    one, two, three = constitution(), standards(), law
    ways: list[list[list[Request]]] = [
        [[one, two, three]],
        [[three, two, one]],
        [[two], [one, three]],
        [[three], [one], [two]],
        [[one], [two], [three]],
    ]
    found = set()
    for number, loads in enumerate(ways):
        folder = tmp_path / str(number)
        for requests in loads:
            load_into(folder, *requests)
        found.add(identity(folder))
        assert [source.name for source in manifest(folder).sources] == ["constitution", "law", "standards"]
    assert len(found) == 1


def test_different_content_has_a_different_hash(law: Request, tmp_path: Path) -> None:
    load_into(tmp_path / "one", law)
    load_into(tmp_path / "two", Request(written(tmp_path / "other.json", "Art. 1 Other words."), name="law"))
    assert identity(tmp_path / "one")[:2] != identity(tmp_path / "two")[:2]


def test_the_same_content_again_makes_no_revision(law: Request, tmp_path: Path) -> None:
    first = load_into(tmp_path / "s", law)
    again = load_into(tmp_path / "s", law)
    assert (again.revision, again.unchanged) == (first.revision, True)
    assert not first.unchanged
    assert visible(tmp_path / "s") == [first.revision]
    # The same content in another order of the file is the same content too.
    reordered = copy.deepcopy(LAW)
    for records in (reordered["items"], reordered["itemTypes"]):
        records.reverse()
    (tmp_path / "law2.json").write_text(json.dumps(reordered, indent=1), encoding="utf-8")
    third = load_into(tmp_path / "s", Request(tmp_path / "law2.json", name="law"))
    assert third.unchanged
    assert visible(tmp_path / "s") == [first.revision]


def test_a_source_is_replaced_whole(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law, standards())
    kept = manifest(folder).source("standards")
    other = Request(written(tmp_path / "new.json", "Art. 1 New words."), name="law")
    second = load_into(folder, other)
    assert second.revision != first.revision
    assert second.previous == first.revision
    assert manifest(folder).parent == first.revision
    assert manifest(folder).source("standards") == kept
    with serving(folder) as service:
        assert contents(service) == ["Art. 1 New words."]
    fresh = tmp_path / "fresh"
    load_into(fresh, standards(), other)
    assert identity(fresh) == identity(folder)
    load_into(folder, law)
    third = tmp_path / "third"
    load_into(third, law, standards())
    assert identity(folder) == identity(third)
    assert [entry.number for entry in Revisions(folder).published()] == [3, 2, 1]


def test_an_old_revision_stays_readable(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law)
    load_into(folder, Request(written(tmp_path / "new.json", "Art. 1 New words."), name="law"))
    assert first.revision is not None
    store, old = Revisions(folder).open(first.revision)
    query = 'SELECT ?t { ?t ?p "Art. 1 Words." }'
    assert len(store.select(query, store.graphs()).rows) == 1
    assert old.revision == first.revision


def test_unload_removes_one_source(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law)
    alone = identity(folder)
    load_into(folder, standards())
    assert identity(folder) != alone
    report = unload(folder, "standards", wall_clock())
    assert not report.unchanged
    assert identity(folder) == alone
    assert [source.name for source in manifest(folder).sources] == ["law"]


def test_unload_of_an_unknown_name_says_what_there_is(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law)
    before = visible(folder)
    with pytest.raises(InvalidParameter, match=r"'laws'.*loaded are: law"):
        unload(folder, "laws", wall_clock())
    assert visible(folder) == before


def test_a_dry_run_publishes_nothing(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    report = load_into(folder, law, dry_run=True)
    assert (report.revision, report.dry_run, report.unchanged) == (None, True, False)
    assert report.sources[0]["counts"]["items"] == 2
    assert Revisions(folder).current() is None
    assert visible(folder) == []
    first = load_into(folder, law)
    load_into(folder, standards(), dry_run=True)
    assert Revisions(folder).current() == first.revision
    assert visible(folder) == [first.revision]


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        written(tmp_path / part / "law.json")
    with pytest.raises(InvalidParameter, match="'law'"):
        load_into(tmp_path / "s", *(Request(tmp_path / part / "law.json") for part in ("a", "b")))
    assert Revisions(tmp_path / "s").current() is None
    assert visible(tmp_path / "s") == []


def test_the_base_of_a_store_cannot_change(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law, base="https://one.example/")
    load_into(folder, standards(), base="https://one.example/")
    load_into(folder, standards())
    with pytest.raises(InvalidParameter, match=r"https://one\.example/.*https://two\.example/"):
        load_into(folder, standards(), base="https://two.example/")
    assert manifest(folder).base == "https://one.example/"


def test_loading_again_and_again_never_fails(law: Request, tmp_path: Path) -> None:
    """Nothing may hold or change the files of a revision while it is being published."""
    for number in range(20):
        report = load_into(tmp_path / str(number), law)
        assert report.revision is not None


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to see open files")
@pytest.mark.parametrize("again", [False, True])
def test_the_store_is_closed_before_it_is_published(again: bool, law: Request, tmp_path: Path) -> None:
    """A store still open may delete or write files while they are made durable and renamed."""
    if again:
        load_into(tmp_path / "s", standards())
    opened: dict[str, list[str]] = {}

    def look(step: str) -> None:
        links = [entry for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
        opened[step] = [str(link.readlink()) for link in links if "-building/graph" in str(link.readlink())]

    load_into(tmp_path / "s", law, on_step=look)
    assert opened["mid write"] != []
    assert opened["before manifest"] == []
    assert opened["before rename"] == []


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to see open files")
def test_the_store_is_closed_before_a_refused_load_is_cleared_away(
    law: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store still open may write files into the folder that is being removed, which then stays."""
    load_into(tmp_path / "s", law)
    opened: list[list[str]] = []
    remove = shutil.rmtree

    def look(path: Any, *arguments: Any, **options: Any) -> None:
        if str(path).endswith("-building"):
            links = [entry for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
            opened.append([str(entry.readlink()) for entry in links if str(path) in str(entry.readlink())])
        remove(path, *arguments, **options)

    monkeypatch.setattr(shutil, "rmtree", look)
    with pytest.raises(LoadRefused, match="DUPLICATE_ID"):
        load_into(tmp_path / "s", replace(law, name="second"))
    assert opened == [[]]


# --- Ownership


def test_an_id_has_one_owner_and_both_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "law.json")
    with pytest.raises(LoadRefused) as fault:
        load_into(tmp_path / "s", Request(path, name="first"), Request(path, name="second"))
    double = [f for f in fault.value.findings if f["code"] == "DUPLICATE_ID"]
    assert {f["subject"] for f in double} >= {"urn:example:law:1", "urn:example:law:1!art1"}
    assert all("first" in f["message"] and "second" in f["message"] for f in double)
    assert Revisions(tmp_path / "s").current() is None


def test_a_second_owner_is_refused_in_a_later_load_too(tmp_path: Path) -> None:
    path, folder = written(tmp_path / "law.json"), tmp_path / "s"
    first = load_into(folder, Request(path, name="first"))
    with pytest.raises(LoadRefused) as fault:
        load_into(folder, Request(path, name="second"))
    assert {f["code"] for f in fault.value.findings if f["severity"] == "violation"} == {"DUPLICATE_ID"}
    assert Revisions(folder).current() == first.revision
    assert visible(folder) == [first.revision]


# --- Overlays


RULING = "urn:example:court:1"
READING = "urn:example:law:1@2010-01-01;court1!art1"
OWNED = "urn:example:law:1@2001-01-01!art1"


def overlay(path: Path, change: Callable[[dict[str, Any]], object] = lambda _data: None) -> Request:
    """A ruling on the small law: an interpretive version and a summary, in a source of its own."""
    data: dict[str, Any] = {
        "metadata": {"dataSource": {"title": "Rulings", "language": "en", "coverage": "partial"}},
        "itemTypes": [{"id": "case-law", "label": "Case law"}],
        "items": [{"id": RULING, "typeId": "case-law", "label": "Ruling 1"}],
        "actions": [
            {
                "id": f"{RULING}#art1",
                "type": "Interpretation",
                "eventTime": "2010-01-01T00:00:00Z",
                "producesVersionIds": [READING],
            }
        ],
        "versions": [
            {
                "id": READING,
                "itemId": "urn:example:law:1!art1",
                "type": "interpretive",
                "validityInterval": ["2010-01-01T00:00:00Z", None],
                "producedByActionId": f"{RULING}#art1",
            }
        ],
        "textUnits": [
            {
                "sourceId": READING,
                "sourceType": "Version",
                "language": "en",
                "aspect": "holding",
                "content": "Words means all words.",
            },
            {
                "sourceId": OWNED,
                "sourceType": "Version",
                "language": "en",
                "aspect": "summary",
                "content": "About words.",
            },
        ],
    }
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return Request(path, name="rulings", overlay="law")


def test_an_overlay_adds_to_its_owner(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law)
    alone = identity(folder)
    load_into(folder, overlay(tmp_path / "rulings.json"))
    entry = manifest(folder).source("rulings")
    assert entry is not None
    assert entry.overlays == "law"
    with serving(folder) as service:
        for at, expected in (("2009-12-31", [OWNED]), ("2010-01-01", [OWNED, READING])):
            seen = service.run("getValidVersions", {"itemId": "urn:example:law:1!art1", "at": at}, "test")
            assert [version["id"] for version in seen.value] == expected
        assert contents(service) == ["Art. 1 Words."]
        texts = service.run("getVersionTextUnits", {"versionId": OWNED, "aspect": "summary"}, "test").value
        assert [text["content"] for text in texts] == ["About words."]
    with pytest.raises(InvalidParameter, match="rulings"):
        unload(folder, "law", wall_clock())
    unload(folder, "rulings", wall_clock())
    assert identity(folder) == alone


def test_an_overlay_and_its_owner_load_together_in_any_order(law: Request, tmp_path: Path) -> None:
    rulings = overlay(tmp_path / "rulings.json")
    load_into(tmp_path / "one", law, rulings)
    load_into(tmp_path / "two", rulings, law)
    load_into(tmp_path / "three", law)
    load_into(tmp_path / "three", rulings)
    assert identity(tmp_path / "one") == identity(tmp_path / "two") == identity(tmp_path / "three")


def test_without_saying_so_nothing_is_an_overlay(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law)
    with pytest.raises(LoadRefused, match="UNKNOWN_ITEM"):
        load_into(folder, replace(overlay(tmp_path / "rulings.json"), overlay=None))


def test_an_overlay_of_a_source_that_is_not_there(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law)
    with pytest.raises(InvalidParameter, match=r"'laws'.*law"):
        load_into(folder, replace(overlay(tmp_path / "rulings.json"), overlay="laws"))
    assert visible(folder) == [first.revision]


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "a statutory version": (
        lambda data: data["versions"][0].update(type="statutory"),
        "OVERLAY_STRUCTURAL",
        READING,
    ),
    "an item that the owner has not": (
        lambda data: data["versions"][0].update(itemId="urn:example:law:1!art2"),
        "UNKNOWN_REFERENCE",
        "urn:example:law:1!art2",
    ),
    "a text of a version that the owner has not": (
        lambda data: data["textUnits"][1].update(sourceId="urn:v:9"),
        "UNKNOWN_REFERENCE",
        "urn:v:9",
    ),
    "a canonical text of the owner's": (
        lambda data: data["textUnits"][1].update(aspect="canonical", language="pt"),
        "",
        OWNED,
    ),
    "an end of the owner's version": (
        lambda data: data["actions"][0].update(terminatesVersionIds=[OWNED]),
        "",
        OWNED,
    ),
    "an item that the owner has": (
        lambda data: data["items"].append(LAW["items"][0]),
        "DUPLICATE_ID",
        "urn:example:law:1",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_overlay_may_not_bring(what: str, law: Request, tmp_path: Path) -> None:
    change, code, subject = WRONG[what]
    folder = tmp_path / "s"
    first = load_into(folder, law)
    with pytest.raises(LoadRefused) as fault:
        load_into(folder, overlay(tmp_path / "rulings.json", change))
    found = [f for f in fault.value.findings if f["severity"] == "violation"]
    assert subject in {f["subject"] for f in found}
    assert not code or code in {f["code"] for f in found}
    assert visible(folder) == [first.revision]


def test_an_owner_may_not_drop_what_its_overlay_needs(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    load_into(folder, law, overlay(tmp_path / "rulings.json"))
    before = visible(folder)
    smaller = copy.deepcopy(LAW)
    smaller["items"], smaller["versions"], smaller["textUnits"] = smaller["items"][:1], [], []
    (tmp_path / "smaller.json").write_text(json.dumps(smaller), encoding="utf-8")
    with pytest.raises(LoadRefused, match="art1"):
        load_into(folder, Request(tmp_path / "smaller.json", name="law"))
    assert visible(folder) == before


# --- One writer


def run_script(folder: Path, step: str, mode: str, *requests: Request) -> subprocess.Popen[str]:
    sources = [f"{request.name}={request.path}" for request in requests]
    return subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "killed_load.py"), str(folder), step, mode, *sources],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def wait_for(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    for printed in process.stdout:
        if printed.strip() == line:
            return
    _, errors = process.communicate()
    pytest.fail(f"the other process ended before it said {line!r}: {errors[-2000:]}")


def test_a_second_writer_fails_at_once_and_names_the_holder(
    law: Request, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, standards())
    with run_script(folder, "mid write", "hold", law) as other:
        wait_for(other, "mid write")
        started = time.monotonic()
        with pytest.raises(StoreLocked, match=rf"a load, process {other.pid}\b"):
            load_into(folder, law)
        with pytest.raises(StoreLocked):
            unload(folder, "standards", wall_clock())
        assert time.monotonic() - started < 1
        assert str(other.pid) in (Revisions(folder).holder() or "")
        assert command(["load", str(law.path), "--store", str(folder)]) == 6
        assert f"process {other.pid}" in capsys.readouterr().err
        # Reading goes on, on the revision published.
        with serving(folder) as service:
            assert service.served().manifest.revision == first.revision
        other.communicate("go on\n", timeout=60)
    assert other.returncode == 0
    assert Revisions(folder).holder() is None
    assert [source.name for source in manifest(folder).sources] == ["law", "standards"]


def test_a_dead_holder_does_not_keep_the_lock(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with run_script(folder, "mid write", "hold", law) as other:
        wait_for(other, "mid write")
        other.send_signal(signal.SIGKILL)
    assert Revisions(folder).holder() is None
    assert Revisions(folder).half_made() == [".000001-building"]
    with pytest.raises(NoRevision):
        Revisions(folder).manifest()
    report = load_into(folder, law)
    assert report.swept == [".000001-building"]
    assert visible(folder) == [report.revision]


def test_asking_who_writes_never_stops_a_writer(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    with revisions.write("the first"):
        pass
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            revisions.holder()

    watchers = [threading.Thread(target=look) for _ in range(2)]
    for watcher in watchers:
        watcher.start()
    try:
        for _ in range(300):
            with revisions.write("a load"):
                pass
    finally:
        done.set()
        for watcher in watchers:
            watcher.join()


# --- Sudden death


class States:
    """A store before a load, and one after it, with what they answer."""

    def __init__(self, root: Path) -> None:
        self.old, self.new = root / "old", root / "new"
        law = root / "law.json"
        self.second = replace(Request(written(law)), name="law")
        load_into(self.old, constitution())
        shutil.copytree(self.old, self.new)
        load_into(self.new, self.second)
        self.old_answers, self.new_answers = answers(self.old), answers(self.new)
        assert self.old_answers[:3] == self.new_answers[:3]
        assert self.old_answers != self.new_answers

    def after_death(self, folder: Path) -> str:
        """Which state the store serves, whole; then a load must mend everything."""
        revisions = Revisions(folder)
        left, revision = revisions.half_made(), revisions.current()
        found = answers(folder)
        state = "new" if revision == manifest(self.new).revision else "old"
        assert revision == manifest(self.old if state == "old" else self.new).revision
        assert found == (self.old_answers if state == "old" else self.new_answers)
        assert identity(folder) == identity(self.old if state == "old" else self.new)
        report = load_into(folder, self.second)
        assert report.swept == left
        assert report.unchanged == (state == "new")
        assert identity(folder) == identity(self.new)
        assert answers(folder) == self.new_answers
        assert visible(folder) == sorted(m.revision for m in revisions.published())
        assert revisions.half_made() == []
        return state


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> States:
    return States(tmp_path_factory.mktemp("states"))


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step_the_store_is_old_or_new_and_whole(
    step: str, states: States, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    shutil.copytree(states.old, folder)
    with run_script(folder, step, "kill", states.second) as process:
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    half_made = {
        "before write": [],
        "before current": [manifest(states.new).revision],
        "after rename": [],
    }.get(step, [".000002-building"])
    assert Revisions(folder).half_made() == half_made
    assert states.after_death(folder) == ("new" if step == "after rename" else "old")


def test_killed_at_five_random_moments(states: States, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(states.old, whole)
    with run_script(whole, "", "run", states.second) as process:
        wait_for(process, "ready")
        started = time.monotonic()
        wait_for(process, "done")
        took = time.monotonic() - started
        process.communicate(timeout=60)
    chance = random.Random(6)
    for number in range(5):
        folder = tmp_path / str(number)
        shutil.copytree(states.old, folder)
        with run_script(folder, "", "run", states.second) as process:
            wait_for(process, "ready")
            time.sleep(chance.random() * took)
            process.send_signal(signal.SIGKILL)
        states.after_death(folder)


@pytest.mark.parametrize("step", ["after checkpoint", "before manifest", "before current"])
def test_a_first_load_killed_leaves_an_empty_store(step: str, law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with run_script(folder, step, "kill", law) as process:
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(NoRevision, match="satgraph load"):
        answers(folder)
    left = Revisions(folder).half_made()
    assert len(left) == 1
    report = load_into(folder, law)
    assert report.swept == left
    assert report.previous is None
    assert visible(folder) == [report.revision]


def test_an_error_in_a_load_leaves_nothing_behind(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, standards())

    for step in STEPS[:-2]:

        def fail(reached: str, step: str = step) -> None:
            if reached == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            load_into(folder, law, on_step=fail)
        assert Revisions(folder).current() == first.revision
        assert visible(folder) == [first.revision], step
        assert Revisions(folder).holder() is None
    assert not load_into(folder, law).unchanged


@pytest.mark.parametrize("content", ["", "000009-abcdef\n"])
def test_a_damaged_pointer_never_costs_a_revision(content: str, law: Request, tmp_path: Path) -> None:
    """Sweeping may remove what no load published, not everything because one line is wrong."""
    folder = tmp_path / "s"
    first = load_into(folder, law)
    (folder / "current").write_text(content, encoding="utf-8")
    with pytest.raises(StoreError):
        load_into(folder, standards())
    assert visible(folder) == [first.revision]


# --- Readers meanwhile


def test_a_service_serves_the_old_revision_during_a_load_and_the_new_one_after(
    law: Request, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law)
    new = Request(written(tmp_path / "new.json", "Art. 1 New words."), name="law")
    seen: dict[str, list[str]] = {}
    with serving(folder) as service:

        def look(step: str) -> None:
            if step != "after rename":
                time.sleep(0.3)
                seen[step] = contents(service)
                assert service.served().manifest.revision == first.revision

        second = load_into(folder, new, on_step=look)
        time.sleep(0.3)
        assert contents(service) == ["Art. 1 New words."]
        assert service.served().manifest.revision == second.revision
        assert service.run("getItemById", {"itemId": "urn:example:law:1"}, "test").revision == second.revision
    assert set(seen) == set(STEPS[:-1])
    assert set(map(tuple, seen.values())) == {("Art. 1 Words.",)}


class Slow:
    """A store that waits in its first query until it is let go."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.entered, self.release = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def select(self, *arguments: Any) -> Any:
        self.entered.set()
        assert self.release.wait(30)
        return self.inner.select(*arguments)


def test_a_call_in_flight_ends_on_the_revision_it_began_on(law: Request, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law)
    done: list[Any] = []
    with serving(folder, memory_quads=0) as service:
        engine = service.served().engine
        slow = Slow(engine.store)
        engine.store = slow
        call = threading.Thread(
            target=lambda: done.append(
                service.run("getDocumentText", {"itemId": "urn:example:law:1"}, "test")
            )
        )
        call.start()
        assert slow.entered.wait(30)
        second = load_into(folder, Request(written(tmp_path / "new.json", "Art. 1 New."), name="law"))
        time.sleep(0.3)
        assert contents(service) == ["Art. 1 New."]
        assert call.is_alive()
        slow.release.set()
        call.join(30)
        assert not call.is_alive()
    (answer,) = done
    assert [row["content"] for row in answer.value["rows"]] == ["Art. 1 Words."]
    assert answer.revision == first.revision != second.revision


# --- Our own RDF


def export(folder: Path, path: Path, form: RdfFormat) -> Path:
    """All quads of a store as a file."""
    store, _ = Revisions(folder).open()
    with path.open("wb") as file:
        store.dump(file)
    if form != RdfFormat.N_QUADS:
        quads = list(parse(path=str(path), format=RdfFormat.N_QUADS))
        triples = (Triple(quad.subject, quad.predicate, quad.object) for quad in quads)
        path = path.with_suffix(f".{form.file_extension}")
        serialize(quads if form.supports_datasets else triples, str(path), form)
    return path


@pytest.mark.parametrize("request_of", [constitution, standards], ids=["constitution", "standards"])
@pytest.mark.parametrize(
    "form", [RdfFormat.N_QUADS, RdfFormat.TURTLE, RdfFormat.TRIG, RdfFormat.N_TRIPLES], ids=str
)
def test_exported_rdf_loads_to_the_same_content(
    form: RdfFormat, request_of: Callable[[], Request], tmp_path: Path
) -> None:
    request = request_of()
    load_into(tmp_path / "one", request)
    path = export(tmp_path / "one", tmp_path / "export.nq", form)
    report = load_into(tmp_path / "two", Request(path, name=request.name))
    assert report.sources[0]["adapter"] == "rdf"
    assert identity(tmp_path / "two") == identity(tmp_path / "one")


def test_exported_rdf_answers_the_same(tmp_path: Path) -> None:
    load_into(tmp_path / "one", constitution())
    path = export(tmp_path / "one", tmp_path / "export.nq", RdfFormat.TURTLE)
    load_into(tmp_path / "two", Request(path, name="constitution"))
    assert answers(tmp_path / "two") == answers(tmp_path / "one")


# --- Another generation of the store


def test_an_unknown_format_is_refused_and_nothing_is_touched(
    law: Request, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    first = load_into(folder, law)
    path = folder / "revisions" / str(first.revision) / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["format"], data["somethingNew"] = 99, True
    path.write_text(json.dumps(data), encoding="utf-8")
    for attempt in (
        lambda: manifest(folder),
        lambda: answers(folder),
        lambda: load_into(folder, standards()),
    ):
        with pytest.raises(UnknownStoreFormat, match=r"format 99.*reads format 1"):
            attempt()
    assert visible(folder) == [first.revision]
    assert command(["text", "urn:example:law:1", "--store", str(folder)]) == 6
    assert "UNKNOWN_STORE_FORMAT" in capsys.readouterr().err
