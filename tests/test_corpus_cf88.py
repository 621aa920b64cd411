"""The Brazilian Constitution: 93 consolidated texts, read back word for word, and why each changed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import tarfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from conftest import load_into, quoted

from satgraph_rdf.errors import NoValidVersion
from satgraph_rdf.ingest.adapters import cf88 as adapter
from satgraph_rdf.ingest.model import SourceInfo
from satgraph_rdf.preparation import Request
from satgraph_rdf.revisions import Revisions
from satgraph_rdf.wiring import Service

pytestmark = pytest.mark.corpus

WORK = "urn:lex:br:federal:constituicao:1988-10-05;1988"
EC26 = "urn:lex:br:federal:emenda.constitucional:2000-02-14;26"
PREFIXES = """PREFIX sat: <https://w3id.org/sat-graph/ns#>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX eli: <http://data.europa.eu/eli/ontology#>
"""
DATES = 93
OPEN = "9999-12-31T00:00:00Z"
KEYS = ("titulo", "capitulo", "secao", "subsecao", "artigo", "paragrafo", "inciso", "alinea")
NOTE = re.compile(r"(Art\. \d+\.|Parágrafo único\.|§ \d+[º.]|[IVX]+ -|[a-z]\)) \([Rr]evogad[oa]\)[.;]?")


def item(fragment: str) -> str:
    return f"{WORK}!{fragment}"


def version(day: str, fragment: str = "") -> str:
    return f"{WORK}@{day}!{fragment}" if fragment else f"{WORK}@{day}"


# --- The truth: the files, read without any code under test


@dataclass(frozen=True)
class Snapshots:
    """The rows and the amendments of each date, oldest first."""

    rows: dict[str, list[dict[str, str]]]
    acts: dict[str, list[str]]

    @cached_property
    def days(self) -> list[str]:
        return sorted(self.rows)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        return {day: [row["texto"] for row in rows] for day, rows in self.rows.items()}

    def latest(self, day: str) -> str:
        return self.days[bisect_right(self.days, day) - 1]

    def row(self, day: str, **keys: str) -> list[str]:
        """The texts of the provisions with these keys, all others NA but the headings."""
        wanted = {key: keys.get(key, "NA") for key in KEYS[4:]}
        return [
            row["texto"]
            for row in self.rows[day]
            if row["classe"] != "titartb" and all(row[key] == value for key, value in wanted.items())
        ]


@pytest.fixture(scope="module")
def snapshots(cf88_archive: Path) -> Snapshots:
    rows: dict[str, list[dict[str, str]]] = {}
    acts: dict[str, list[str]] = {}
    with tarfile.open(cf88_archive) as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(".csv"):
                continue
            content = archive.extractfile(member)
            assert content is not None
            stamp, _, names = member.name.rsplit("/", 1)[-1].removesuffix(".csv").partition("_")
            day = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:]}"
            rows[day] = list(csv.DictReader(io.StringIO(content.read().decode("utf-8"))))
            acts[day] = [] if names == "ORIGINAL" else names.split("_")
    assert len(rows) == DATES
    return Snapshots(rows, acts)


# --- What is asked


def text(service: Service, **arguments: str) -> list[str]:
    answer = service.run("getDocumentText", {"itemId": WORK, **arguments}, "test")
    return [row["content"] for row in answer.value["rows"]]


def ask(service: Service, primitive: str, **arguments: Any) -> Any:
    return service.run(primitive, arguments, "test").value


def day_before(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def just_before(day: str) -> str:
    return f"{day_before(day)}T23:59:59.999Z"


class Row(NamedTuple):
    """One statement of validity as the store holds it."""

    version: str
    item: str
    kind: str
    start: str
    until: str
    known_from: str
    known_until: str
    placeholder: bool


def select(service: Service, query: str) -> list[tuple[str, ...]]:
    engine = service.served().engine
    rows = engine.store.select(PREFIXES + query, engine.store.graphs()).rows
    return [tuple(engine.space.id(cell.value) if cell is not None else "" for cell in row) for row in rows]


@pytest.fixture(scope="module")
def statements(cf88: Service) -> list[Row]:
    rows = select(
        cf88,
        """SELECT ?v ?i ?kind ?from ?until ?known ?knownUntil ?note WHERE {
          ?s sat:validityOf ?i ; sat:statementVersion ?v ; sat:from ?from ; sat:until ?until ;
             sat:knownFrom ?known ; sat:knownUntil ?knownUntil . ?v sat:versionType ?kind .
          OPTIONAL { ?v sat:placeholder ?note } }""",
    )
    assert len(rows) > 5000
    return [Row(*row[:7], row[7] == "true") for row in rows]


@pytest.fixture(scope="module")
def newest(statements: list[Row]) -> list[Row]:
    """What is known now of the Constitution and its parts."""
    return [row for row in statements if row.known_until == OPEN and row.item.startswith(WORK)]


def in_force(rows: list[Row], day: str) -> dict[str, str]:
    """item -> version in force on a day, from the intervals alone."""
    at = f"{day}T00:00:00Z"
    found: dict[str, str] = {}
    for row in rows:
        if row.start <= at < row.until:
            assert row.item not in found, f"two versions of {row.item} in force on {day}"
            found[row.item] = row.version
    return found


@pytest.fixture(scope="module")
def components(cf88: Service) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for parent, child in select(cf88, "SELECT ?p ?c WHERE { ?p sat:hasComponent ?c }"):
        found[parent].append(child)
    return found


class Action(NamedTuple):
    """An action as the store holds it."""

    id: str
    day: str
    parent: str
    metadata: dict[str, Any]


@pytest.fixture(scope="module")
def actions(cf88: Service) -> list[Action]:
    rows = select(
        cf88,
        """SELECT ?a ?t ?p ?m WHERE { ?a a sat:Action ; prov:endedAtTime ?t ; sat:metadata ?m .
           OPTIONAL { ?a sat:partOfAction ?p } }""",
    )
    return [Action(name, when[:10], parent, json.loads(raw)) for name, when, parent, raw in rows]


# --- The text of every date


def test_every_date_reads_back_word_for_word(cf88: Service, snapshots: Snapshots) -> None:
    wrong = [day for day in snapshots.days if text(cf88, at=day) != snapshots.texts[day]]
    assert wrong == []
    assert len(snapshots.days) == DATES


def test_ten_dates_through_rest(
    cf88: Service, snapshots: Snapshots, rest: Callable[[Service], httpx.Client]
) -> None:
    client = rest(cf88)
    days = snapshots.days[::10]
    assert len(days) == 10
    for day in days:
        path = f"/x/items/{quoted(WORK)}/text?at={day}"
        as_json, as_text = client.get(path + "&format=json"), client.get(path + "&format=text")
        assert [row["content"] for row in as_json.json()["rows"]] == snapshots.texts[day]
        assert as_text.headers["content-type"] == "text/plain; charset=utf-8"
        assert as_text.content.decode("utf-8") == "\n".join(snapshots.texts[day])
        assert as_json.headers["SAT-At"] == f"{day}T00:00:00Z"


@pytest.mark.parametrize("before", [day_before, just_before])
def test_before_a_date_the_text_is_still_the_previous_one(
    cf88: Service, snapshots: Snapshots, before: Callable[[str], str]
) -> None:
    pairs = list(pairwise(snapshots.days))
    assert len(pairs) == DATES - 1
    wrong = [day for earlier, day in pairs if text(cf88, at=before(day)) != snapshots.texts[earlier]]
    assert wrong == []


@pytest.mark.parametrize("at", ["1988-10-04", "1988-10-04T23:59:59.999Z", "0001-01-01"])
def test_before_the_first_date_there_is_nothing_yet(cf88: Service, at: str) -> None:
    with pytest.raises(NoValidVersion) as fault:
        text(cf88, at=at)
    assert fault.value.details["reason"] == "not yet"
    assert fault.value.details["from"] == "1988-10-05T00:00:00Z"


def test_observed_on_its_own_date_each_text_is_known(cf88: Service, snapshots: Snapshots) -> None:
    wrong = [d for d in snapshots.days if text(cf88, at=d, observerTime=d) != snapshots.texts[d]]
    assert wrong == []


def test_an_observer_just_before_a_date_does_not_know_its_text(cf88: Service, snapshots: Snapshots) -> None:
    pairs = list(pairwise(snapshots.days))
    wrong = [
        day
        for earlier, day in pairs
        if text(cf88, at=day, observerTime=just_before(day)) != snapshots.texts[earlier]
    ]
    assert wrong == []


def test_on_days_between_two_dates_the_text_is_that_of_the_earlier(
    cf88: Service, snapshots: Snapshots
) -> None:
    chance = random.Random(88)
    first, last = date(1988, 10, 5), date(2026, 1, 1)
    for _ in range(40):
        day = (first + timedelta(days=chance.randrange((last - first).days))).isoformat()
        assert text(cf88, at=day) == snapshots.texts[snapshots.latest(day)], day


# --- Intervals and structure, from the statements themselves


def test_day_by_day_what_is_in_force_changes_only_on_a_date_of_the_source(
    newest: list[Row], snapshots: Snapshots
) -> None:
    starts: dict[str, set[tuple[str, str]]] = defaultdict(set)
    ends: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in newest:
        assert row.start.endswith("T00:00:00Z")
        assert row.until.endswith("T00:00:00Z")
        if row.start < row.until:
            starts[row.start[:10]].add((row.item, row.version))
            ends[row.until[:10]].add((row.item, row.version))
    expected = {day: set(in_force(newest, day).items()) for day in snapshots.days}
    active: set[tuple[str, str]] = set()
    day, days = date(1988, 10, 4), 0
    while day <= date(2020, 12, 31):
        name = day.isoformat()
        active -= ends[name]
        active |= starts[name]
        assert active == (expected[snapshots.latest(name)] if name >= snapshots.days[0] else set()), name
        day, days = day + timedelta(days=1), days + 1
    assert days == 11777


def test_every_version_has_one_statement_for_each_observer(statements: list[Row]) -> None:
    by_version: dict[str, list[Row]] = defaultdict(list)
    for row in statements:
        by_version[row.version].append(row)
    for name, rows in by_version.items():
        rows.sort(key=lambda row: row.known_from)
        assert rows[-1].known_until == OPEN, name
        assert all(row.known_from < row.known_until for row in rows), name
        assert all(a.known_until == b.known_from for a, b in pairwise(rows)), name


def test_the_components_of_a_date_are_the_versions_in_force(
    cf88: Service, newest: list[Row], components: dict[str, list[str]], snapshots: Snapshots
) -> None:
    with_text = {row[0] for row in select(cf88, "SELECT ?v WHERE { ?t eli:realizes ?v }")}
    notes = {row.version: row.item for row in newest if row.placeholder}
    for day in snapshots.days:
        expected = in_force(newest, day)
        reached: list[str] = []
        waiting = [expected[WORK]]
        while waiting:
            reached.append(waiting.pop())
            waiting.extend(components[reached[-1]])
        assert len(reached) == len(set(reached)), f"{day}: a component has two parents"
        printed = [name for name in reached if name in notes]
        assert set(reached) - set(printed) == set(expected.values()), day
        assert not {notes[name] for name in printed} & set(expected), day
        lines = [line for line in snapshots.texts[day] if NOTE.fullmatch(line)]
        assert sum(name in with_text for name in printed) == len(lines), day
        # The container of nothing but notes is one itself.
        hollow = [name for name in printed if name not in with_text]
        assert all(components[name] and set(components[name]) <= set(printed) for name in hollow), day


def test_placeholders_are_there_to_be_counted(cf88: Service, newest: list[Row], snapshots: Snapshots) -> None:
    notes = {
        (tuple(row[key] for key in KEYS[4:]), row["titulo"] == "10", row["texto"])
        for rows in snapshots.rows.values()
        for row in rows
        if NOTE.fullmatch(row["texto"])
    }
    with_text = {row[0] for row in select(cf88, "SELECT ?v WHERE { ?t eli:realizes ?v }")}
    assert sum(row.placeholder and row.version in with_text for row in newest) == len(notes)
    assert all(row.start == row.until for row in newest if row.placeholder)
    assert sum(1 for line in snapshots.texts["2020-08-26"] if NOTE.fullmatch(line)) > 30


def test_the_structure_stays_small(cf88: Service) -> None:
    ((count,),) = select(cf88, "SELECT (COUNT(*) AS ?n) WHERE { ?p sat:hasComponent ?c }")
    assert 5000 < int(count) < 15000


# --- Article 6


def test_article_6_has_four_versions_end_to_end(cf88: Service) -> None:
    found = ask(cf88, "getItemVersions", itemId=item("art6_cpt"))
    starts = ["1988-10-05", "2000-02-14", "2010-02-04", "2015-09-15"]
    assert [v["type"] for v in found] == ["statutory"] * 4
    assert [v["id"] for v in found] == [version(day, "art6_cpt") for day in starts]
    bounds = [f"{day}T00:00:00Z" for day in starts]
    assert [v["validityInterval"] for v in found] == [
        list(p) for p in zip(bounds, [*bounds[1:], None], strict=True)
    ]


@pytest.mark.parametrize("day", ["2000-02-14", "2010-02-04", "2015-09-15"])
def test_article_6_changes_at_the_instant_and_not_before(cf88: Service, day: str) -> None:
    (after,) = ask(cf88, "getValidVersions", itemId=item("art6_cpt"), at=f"{day}T00:00:00Z")
    (before,) = ask(cf88, "getValidVersions", itemId=item("art6_cpt"), at=just_before(day))
    assert after["id"] == version(day, "art6_cpt")
    assert before["id"] != after["id"]
    assert before["validityInterval"][1] == f"{day}T00:00:00Z"


def test_amendment_26_caused_the_version_of_2000(cf88: Service) -> None:
    caused = ask(cf88, "getActionsBySource", sourceWorkId=EC26)
    new = version("2000-02-14", "art6_cpt")
    producers = [action for action in caused if new in action["producesVersionIds"]]
    assert len(producers) == 1
    micro = producers[0]
    assert micro["parentId"] in {action["id"] for action in caused if "parentId" not in action}
    assert micro["type"] == "Amendment"
    assert micro["terminatesVersionIds"] == [version("1988-10-05", "art6_cpt")]
    sources = [ask(cf88, "getVersionById", versionId=name)["itemId"] for name in micro["sourceVersionIds"]]
    assert EC26 in sources
    restricted = ask(cf88, "getActionsBySource", sourceWorkId=EC26, granularity="micro")
    assert micro in restricted
    assert all("parentId" in action for action in restricted)


# --- Attribution


def test_dates_with_several_acts_are_joint(
    cf88: Service, actions: list[Action], snapshots: Snapshots
) -> None:
    several = {day for day, acts in snapshots.acts.items() if len(acts) > 1}
    assert len(several) == 16
    macros = [action for action in actions if not action.parent]
    assert len(macros) == DATES
    assert {action.day for action in macros if action.metadata["attribution"] == "joint"} == several
    assert {action.metadata["attribution"] for action in macros if action.day not in several} == {"act"}
    micros = [action for action in actions if action.parent]
    assert {a.metadata["attribution"] for a in micros if a.day in several} == {"date"}
    assert {a.metadata["attribution"] for a in micros if a.day not in several} == {"act"}
    for macro in macros:
        if macro.day in several:
            sources = ask(cf88, "getActionById", actionId=macro.id)["sourceVersionIds"]
            numbers = {source.split("!")[0].rsplit(";", 1)[1].split("@")[0] for source in sources}
            assert numbers == {code[3:] for code in snapshots.acts[macro.day]}
            assert len(sources) == len(snapshots.acts[macro.day])


def test_five_acts_change_nothing_and_are_there_all_the_same(
    cf88: Service, actions: list[Action], snapshots: Snapshots
) -> None:
    pairs = pairwise(snapshots.days)
    silent = {day for earlier, day in pairs if snapshots.rows[day] == snapshots.rows[earlier]}
    assert len(silent) == 5
    marked = {action.day: action for action in actions if action.metadata.get("change") == "none in source"}
    assert set(marked) == silent
    for day, action in marked.items():
        (code,) = snapshots.acts[day]
        name = f"urn:lex:br:federal:emenda.constitucional:{day};{code[3:]}"
        assert ask(cf88, "getItemById", itemId=name)["id"] == name
        (act,) = ask(cf88, "getValidVersions", itemId=name, at=day)
        caused = ask(cf88, "getActionsBySource", sourceWorkId=name)
        assert [entry["id"] for entry in caused] == [action.id]
        assert caused[0]["sourceVersionIds"] == [act["id"]]
        assert not caused[0].get("terminatesVersionIds")


# --- Moves


MOVES = {
    "art134": ("2014-06-04", "tit4_cap4_sec3", "tit4_cap4_sec4"),
    "art135": ("2014-06-04", "tit4_cap4_sec3", "tit4_cap4_sec4"),
    "art218": ("2015-02-26", "tit8_cap4", "tit8_cap3_sec3-dup2"),
    "art219": ("2015-02-26", "tit8_cap4", "tit8_cap3_sec3-dup2"),
}


def test_the_moves_are_reported_and_no_others(actions: list[Action]) -> None:
    moves = {action.metadata["item"]: action for action in actions if action.metadata.get("change") == "move"}
    assert {name: (move.day, move.metadata["from"], move.metadata["to"]) for name, move in moves.items()} == {
        item(name): (day, item(old), item(new)) for name, (day, old, new) in MOVES.items()
    }


@pytest.mark.parametrize("name", MOVES)
def test_a_moved_article_has_its_old_parent_before_and_its_new_one_after(cf88: Service, name: str) -> None:
    day, old, new = MOVES[name]
    for at, parent, other in ((just_before(day), old, new), (day, new, old)):
        (seen,) = ask(cf88, "getValidVersions", itemId=item(name), at=at)
        above = [v["itemId"] for v in ask(cf88, "getVersionAncestors", versionId=seen["id"], at=at)]
        assert above[0] == WORK
        assert above[-1] == item(parent)
        assert item(other) not in above
        siblings = [
            v["itemId"] for v in ask(cf88, "getVersionChildren", versionId=above_id(cf88, parent, at), at=at)
        ]
        assert item(name) in siblings


def above_id(service: Service, parent: str, at: str) -> str:
    (seen,) = ask(service, "getValidVersions", itemId=item(parent), at=at)
    name: str = seen["id"]
    return name


@pytest.mark.parametrize("name", MOVES)
def test_parts_of_a_moved_article_keep_their_versions_where_their_text_stands(
    newest: list[Row], cf88: Service, snapshots: Snapshots, name: str
) -> None:
    day = MOVES[name][0]
    before, after = in_force(newest, day_before(day)), in_force(newest, day)
    number = name.removeprefix("art")
    earlier = {
        tuple(r[k] for k in KEYS[4:]): r["texto"] for r in snapshots.rows[snapshots.latest(day_before(day))]
    }
    same, changed = 0, 0
    for row in snapshots.rows[day]:
        key = tuple(row[k] for k in KEYS[4:])
        if row["classe"] == "titartb" or row["artigo"] != number or row["titulo"] == "10":
            continue
        paragraph, inciso = row["paragrafo"], row["inciso"]
        base = item(name)
        part = f"{base}_cpt" if paragraph == "NA" else f"{base}_par{paragraph}"
        if paragraph == "1" and f"{base}_par1u" in after:
            part = f"{base}_par1u"
        part += "" if inciso == "NA" else f"_inc{inciso}"
        if earlier.get(key) == row["texto"]:
            same += 1
            assert before[part] == after[part], part
        else:
            changed += 1
            assert before.get(part) != after[part], part
    assert same + changed > 0
    if not changed:  # nothing of it changed but its place
        assert before[item(name)] == after[item(name)]
    if name == "art135":
        assert (same, changed) == (1, 0)


# --- Ends


def test_a_gap_in_article_42(cf88: Service, snapshots: Snapshots) -> None:
    there = [day for day in snapshots.days if snapshots.row(day, artigo="42", paragrafo="3")]
    gone = [day for day in snapshots.days if day not in there]
    assert (gone[0], there[there.index("1997-11-22") + 1]) == ("1998-02-05", "2019-07-03")
    name = item("art42_par3")
    for at in ("1998-02-05", "2005-01-01", "2014-05-14", "2019-07-02T23:59:59.999Z"):
        with pytest.raises(NoValidVersion) as fault:
            ask(cf88, "getValidVersions", itemId=name, at=at)
        details = fault.value.details
        assert details["reason"] == "ended"
        assert details["until"] == "1998-02-05T00:00:00Z"
        assert details["versionIds"] == [version("1988-10-05", "art42_par3")]
        ender = ask(cf88, "getActionById", actionId=details["actionId"])
        assert (ender["type"], ender["eventTime"]) == ("Revocation", "1998-02-05T00:00:00Z")
    for at, start in (("1998-02-04", "1988-10-05"), ("2019-07-03", "2019-07-03")):
        (seen,) = ask(cf88, "getValidVersions", itemId=name, at=at)
        assert seen["id"] == version(start, "art42_par3")


def test_a_note_of_repeal_prints_and_is_not_in_force(cf88: Service, snapshots: Snapshots) -> None:
    note = "Art. 171. (Revogado)."
    assert note in snapshots.texts["1995-08-15"]
    for at in ("1995-08-15", "2010-01-01", "2020-08-26"):
        with pytest.raises(NoValidVersion) as fault:
            ask(cf88, "getValidVersions", itemId=item("art171_cpt"), at=at)
        assert fault.value.details["reason"] == "ended"
        assert fault.value.details["until"] == "1995-08-15T00:00:00Z"
        ender = ask(cf88, "getActionById", actionId=fault.value.details["actionId"])
        assert ender["type"] == "Revocation"
        assert version("1988-10-05", "art171_cpt") in ender["terminatesVersionIds"]
        printed = ask(cf88, "getDocumentText", itemId=WORK, at=at)["rows"]
        assert [row["content"] for row in printed if row["itemId"] == item("art171_cpt")] == [note]
    (before,) = ask(cf88, "getValidVersions", itemId=item("art171_cpt"), at="1995-08-14")
    assert before["id"] == version("1988-10-05", "art171_cpt")
    assert note not in text(cf88, at="1995-08-14")


# --- Flaws of the source


def test_flaws_are_reported_one_by_one(cf88_archive: Path, snapshots: Snapshots) -> None:
    twice: Counter[tuple[str, ...]] = Counter()
    for rows in snapshots.rows.values():
        provisions = Counter(tuple(r[k] for k in KEYS) for r in rows if r["classe"] != "titartb")
        headings = Counter(tuple(r[k] for k in KEYS[:4]) for r in rows if r["classe"] == "titartb")
        twice.update(key[4:] for key, count in provisions.items() if count > 1)
        twice.update(key for key, count in headings.items() if count > 1)
    assert twice == {("144", "6", "NA", "NA"): 5, ("8", "3", "3", "NA"): 22}

    findings = adapter.read(cf88_archive, SourceInfo("again")).records.findings
    repeated = [finding for finding in findings if finding.code == "PATH_REPEATED"]
    assert Counter(finding.subject for finding in repeated) == {
        item("art144_par6"): 5,
        item("tit8_cap3_sec3"): 22,
    }
    assert len({finding.place for finding in repeated}) == 27
    assert all(finding.severity == "warning" for finding in repeated)
    keyed = [finding for finding in findings if finding.code == "HEADING_WITH_ARTICLE"]
    wrong = [
        r
        for rows in snapshots.rows.values()
        for r in rows
        if r["classe"] == "titartb" and r["artigo"] != "NA"
    ]
    assert len(keyed) == len(wrong) == 22


def test_a_finding_names_the_line(cf88_archive: Path) -> None:
    findings = adapter.read(cf88_archive, SourceInfo("again")).records.findings
    finding = next(f for f in findings if f.code == "PATH_REPEATED" and f.subject == item("art144_par6"))
    name, _, line = finding.place.partition(":")
    with tarfile.open(cf88_archive) as archive:
        member = next(m for m in archive if m.name.endswith(name))
        content = archive.extractfile(member)
        assert content is not None
        lines = content.read().decode("utf-8").splitlines()
    assert ",144,6,NA,NA" in lines[int(line) - 1]
    assert any(",144,6,NA,NA" in earlier for earlier in lines[: int(line) - 1])


# --- The bundled sample beside it


def test_the_bundled_sample_agrees_word_by_word(cf88: Service, sample: Service, snapshots: Snapshots) -> None:
    compared: Counter[str] = Counter()
    known = {row[0] for row in select(cf88, "SELECT DISTINCT ?i WHERE { ?s sat:validityOf ?i }")}
    for day in snapshots.days:
        whole = texts_of(cf88, day)
        part = texts_of(sample, day)
        shared = {name for name in part if name in known}
        assert part.keys() == shared, f"{day}: the sample has provisions that are not there yet"
        for name in shared:
            assert words(part[name]) == words(whole[name]), f"{name} on {day}"
            compared[name] += 1
    assert compared[item("art6_cpt")] == DATES
    assert compared[item("art225_par7")] == len([day for day in snapshots.days if day >= "2017-06-06"])
    assert len(compared) >= 15


def test_what_the_sample_lacks_on_a_date_the_constitution_lacks_too(
    cf88: Service, sample: Service, snapshots: Snapshots
) -> None:
    ever = {name for day in (snapshots.days[-1], "2026-01-01") for name in texts_of(sample, day)}
    for day in snapshots.days:
        assert texts_of(sample, day).keys() == {n for n in texts_of(cf88, day) if n in ever}, day


def texts_of(service: Service, day: str) -> dict[str, str]:
    rows = ask(service, "getDocumentText", itemId=WORK, at=day, language="pt-BR")["rows"]
    return {row["itemId"]: row["content"] for row in rows if row["content"] is not None}


LABEL = re.compile(r"(Art\. \d+[º°]?(-[A-Z])?\.?|Parágrafo único\.|§ \d+[º°]?\.?|[IVXLC]+ -)\s+")


def words(content: str) -> list[str]:
    return LABEL.sub("", content, count=1).split()


# --- The form of the input does not matter


def test_a_folder_and_the_archive_load_to_the_same_content(
    cf88_archive: Path, cf88_store: Path, tmp_path: Path
) -> None:
    with tarfile.open(cf88_archive) as archive:
        archive.extractall(tmp_path / "snapshots", filter="data")
    load_into(tmp_path / "store", Request(tmp_path / "snapshots"))
    one, other = Revisions(cf88_store).manifest(), Revisions(tmp_path / "store").manifest()
    assert (one.content_hash, one.digest, one.quads) == (other.content_hash, other.digest, other.quads)
    assert one.quads > 100_000
