"""The painter against the oracle, and the situations of two-clocks in its forward-looking part."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import DAYS, Paint, effective, seen

from satgraph_rdf.ingest.act import Act, Effect
from satgraph_rdf.ingest.model import (
    ActionRecord,
    ItemRecord,
    Records,
    SourceInfo,
    Statement,
    TextRecord,
    VersionRecord,
)
from satgraph_rdf.ingest.outline import settle
from satgraph_rdf.ingest.paint import Painter
from satgraph_rdf.terms import OPEN, Instant

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
FIRST = Instant(datetime(1, 1, 1, tzinfo=UTC))
PROBES = range(-1, 2 * DAYS + 2)


def day(number: int) -> Instant:
    return Instant(EPOCH + timedelta(days=number))


paints = st.builds(
    lambda known, start, length, version: Paint(
        known, start, None if length is None else start + length, version
    ),
    st.integers(0, DAYS),
    st.integers(0, DAYS),
    st.none() | st.integers(1, DAYS),
    st.booleans(),
)


class Stage:
    """A root with parts, and the acts that happen to them."""

    def __init__(self, parts: tuple[str, ...] = ("a",), root: bool = False) -> None:
        self.records = Records(SourceInfo("s"))
        self.acts: list[Act] = []
        for part in parts:
            self.records.items[part] = ItemRecord(part, "part", part, "root" if root else None)
        if root:
            self.records.items["root"] = ItemRecord("root", "whole", "root")
            self.acts.append(Act(FIRST, "", [], orders={"root": parts}, start=FIRST))

    def act(
        self,
        item: str,
        known: int,
        start: int,
        until: int | None = None,
        version: bool = True,
        placeholder: bool = False,
        orders: dict[str, tuple[str, ...]] | None = None,
    ) -> str:
        """Add an act on an item; the id of the version it produces is returned."""
        number = len(self.acts)
        action, name = f"act{number:02d}", f"{item}{number:02d}"
        self.records.actions[action] = ActionRecord(action, "Amendment", day(known))
        if version:
            text = TextRecord(name, "Version", "en", "canonical", name)
            made = VersionRecord(name, item, "documentary" if placeholder else "statutory", [text])
            made.placeholder = placeholder
            self.records.versions[name] = made
        effect = Effect(
            item, name if version else None, day(start), None if until is None else day(until), action
        )
        self.acts.append(Act(day(known), action, [effect], action, orders=orders or {}))
        return name

    def paint(self) -> Painter:
        painter = Painter(self.records)
        painter.paint(self.acts)
        self.by_item: dict[str, list[Statement]] = defaultdict(list)
        for statement in self.records.statements:
            if statement.validity:
                self.by_item[statement.item].append(statement)
        return painter

    def sees(self, item: str, at: Instant, observer: Instant) -> str | None:
        """The version of an item in force at an instant for an observer; never two."""
        found = [
            statement.version
            for statement in self.by_item[item]
            if statement.known_from <= observer < statement.known_until
            and statement.start <= at < statement.until
        ]
        assert len(found) <= 1, found
        return found[0] if found else None

    def origin(self, version: str | None) -> str | None:
        """The version that a continued one goes back to."""
        while version is not None and self.records.versions[version].continues is not None:
            version = self.records.versions[version].continues
        return version

    def check_statements(self) -> None:
        """Each version has exactly one validity statement for each observer from its first knowledge."""
        by_version: dict[str, list[Statement]] = defaultdict(list)
        for statement in self.records.statements:
            assert statement.start <= statement.until
            assert statement.known_from < statement.known_until
            if statement.asserted_by is not None:
                assert statement.known_from == self.records.actions[statement.asserted_by].event_time
            by_version[statement.version].append(statement)
        assert set(by_version) == set(self.records.versions)
        for statements in by_version.values():
            statements.sort(key=lambda s: s.known_from)
            for one, other in pairwise(statements):
                assert one.known_until == other.known_from
            assert statements[-1].known_until == OPEN


def check_one_item(history: list[Paint]) -> None:
    stage = Stage()
    for paint in history:
        stage.act("a", paint.known, paint.start, paint.until, paint.version)
    stage.paint()
    done = effective(history)
    # Acts of one day are applied in the order of their ids, which is that of the history.
    order = sorted(range(len(history)), key=lambda n: history[n].known)
    names = [f"a{number:02d}" for number in order]
    for observer in PROBES:
        for at in PROBES:
            expected = seen(done, at, observer)
            shown = stage.origin(stage.sees("a", day(at), day(observer)))
            assert shown == (names[expected] if expected is not None else None), (at, observer)
    stage.check_statements()


def check_three_parts(histories: list[tuple[str, Paint]]) -> None:
    parts = ("a", "b", "c")
    stage = Stage(parts, root=True)
    names: dict[str, list[tuple[int, str, Paint]]] = defaultdict(list)
    for part, paint in histories:
        name = stage.act(part, paint.known, paint.start, paint.until, paint.version)
        names[part].append((paint.known, name, paint))
    stage.paint()
    done = {part: effective([p for _, _, p in names[part]]) for part in parts}
    ordered = {part: [name for _, name, _ in sorted(names[part], key=lambda n: n[0])] for part in parts}
    for observer in PROBES:
        for at in PROBES:
            expected = {
                part: ordered[part][index]
                for part in parts
                if (index := seen(done[part], at, observer)) is not None
            }
            root = stage.sees("root", day(at), day(observer))
            shown = stage.records.versions[root].components if root is not None else ()
            assert {part: stage.origin(version) for part, version in shown} == expected, (at, observer)
            assert [part for part, _ in shown] == [part for part in parts if part in expected]
            for part, version in shown:
                assert stage.sees(part, day(at), day(observer)) == version
    stage.check_statements()


def searching(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


ONE_ITEM = given(st.lists(paints, min_size=1, max_size=8))
THREE_PARTS = given(st.lists(st.tuples(st.sampled_from("abc"), paints), min_size=1, max_size=8))


@searching(300)
@ONE_ITEM
def test_one_item_is_what_the_oracle_sees(history: list[Paint]) -> None:
    check_one_item(history)


@searching(150)
@THREE_PARTS
def test_a_root_holds_what_its_parts_show(history: list[tuple[str, Paint]]) -> None:
    check_three_parts(history)


@pytest.mark.soak
@searching(3000)
@ONE_ITEM
def test_one_item_is_what_the_oracle_sees_at_length(history: list[Paint]) -> None:
    check_one_item(history)


@pytest.mark.soak
@searching(1500)
@THREE_PARTS
def test_a_root_holds_what_its_parts_show_at_length(history: list[tuple[str, Paint]]) -> None:
    check_three_parts(history)


# A tree of two levels: parts that move, notes of repeal, acts in any order -----------------------

FIRST_ORDERS = {"one": ("a", "b"), "two": ("c",)}
ARRANGEMENTS = (
    FIRST_ORDERS,
    {"one": ("b", "a"), "two": ("c",)},
    {"one": ("b",), "two": ("a", "c")},
    {"one": (), "two": ("c", "b", "a")},
)


@dataclass(frozen=True)
class Happening:
    """One act: a paint on a part (a note of repeal where ``note``), or a new arrangement of the parts."""

    part: str
    paint: Paint
    note: bool
    arrangement: int | None


happenings = st.builds(
    Happening,
    st.sampled_from("abc"),
    paints,
    st.booleans(),
    st.none() | st.none() | st.integers(0, len(ARRANGEMENTS) - 1),
)


class Tree(Stage):
    """root -> one -> a, b and root -> two -> c, as acts make and move them."""

    def __init__(self, history: list[Happening]) -> None:
        super().__init__(())
        parents = {"root": None, "one": "root", "two": "root", "a": "one", "b": "one", "c": "two"}
        for name, parent in parents.items():
            self.records.items[name] = ItemRecord(name, "part", name, parent)
        orders = {"root": ("one", "two"), **FIRST_ORDERS}
        self.acts.append(Act(FIRST, "", [], orders=orders, start=FIRST))
        self.names: list[str] = []
        for one in history:
            if one.arrangement is None:
                paint = one.paint
                made = self.act(one.part, paint.known, paint.start, paint.until, paint.version, one.note)
            else:
                made = f"act{len(self.acts):02d}"
                self.records.actions[made] = ActionRecord(made, "Amendment", day(one.paint.known))
                orders, start = ARRANGEMENTS[one.arrangement], day(one.paint.start)
                self.acts.append(Act(day(one.paint.known), made, [], made, orders=orders, start=start))
            self.names.append(made)

    def below(self, version: str) -> dict[str, str]:
        """Item -> version for everything under a version."""
        found: dict[str, str] = {}
        for item, part in self.records.versions[version].components:
            assert item not in found
            found[item] = part
            found |= self.below(part)
        return found


def expected_tree(
    history: list[Happening], names: list[str], at: int, observer: int
) -> dict[str, list[tuple[str, str]]]:
    """Container -> its parts in order with the versions that acts gave them, by the oracle alone."""
    order = sorted(range(len(history)), key=lambda n: history[n].paint.known)
    arrangement = FIRST_ORDERS
    for n in order:
        one = history[n]
        if one.arrangement is not None and one.paint.known <= observer and one.paint.start <= at:
            arrangement = ARRANGEMENTS[one.arrangement]
    shown: dict[str, str] = {}
    for part in "abc":
        own = [n for n in order if history[n].part == part and history[n].arrangement is None]
        index = seen(effective([history[n].paint for n in own]), at, observer)
        if index is not None:
            shown[part] = names[own[index]]
    return {
        container: [(part, shown[part]) for part in parts if part in shown]
        for container, parts in arrangement.items()
    }


def check_tree(history: list[Happening]) -> None:
    tree = Tree(history)
    tree.paint()
    versions = tree.records.versions
    for observer in PROBES:
        for at in PROBES:
            expected = expected_tree(history, tree.names, at, observer)
            live = {
                container: any(not versions[version].placeholder for _, version in parts)
                for container, parts in expected.items()
            }
            for container, parts in expected.items():
                version = tree.sees(container, day(at), day(observer))
                assert (version is not None) == live[container], (container, at, observer)
                if version is not None:
                    components = versions[version].components
                    assert [(part, tree.origin(v)) for part, v in components] == parts
            root = tree.sees("root", day(at), day(observer))
            assert (root is not None) == any(live.values()), (at, observer)
            if root is None:
                continue
            below = tree.below(root)
            assert [item for item, _ in versions[root].components] == [
                container for container in ("one", "two") if expected[container]
            ]
            printed = dict(part for parts in expected.values() for part in parts)
            assert {item: tree.origin(v) for item, v in below.items() if item in "abc"} == printed
            for item, version in below.items():
                if not versions[version].placeholder:
                    assert tree.sees(item, day(at), day(observer)) == version
                else:
                    assert tree.sees(item, day(at), day(observer)) is None
    tree.check_statements()


TREE = given(st.lists(happenings, min_size=1, max_size=8))


@searching(120)
@TREE
def test_a_tree_holds_what_its_parts_show(history: list[Happening]) -> None:
    check_tree(history)


@pytest.mark.soak
@searching(1500)
@TREE
def test_a_tree_holds_what_its_parts_show_at_length(history: list[Happening]) -> None:
    check_tree(history)


def facts(tree: Stage) -> tuple[list[str], dict[str, str]]:
    return sorted(map(str, tree.records.statements)), {
        name: str(version) for name, version in tree.records.versions.items()
    }


@searching(100)
@given(st.lists(happenings, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_in_which_acts_are_given_changes_nothing(history: list[Happening], random: Random) -> None:
    """Case T9: statements and versions are a function of the set of acts."""
    tree, other = Tree(history), Tree(history)
    random.shuffle(other.acts)
    tree.paint()
    other.paint()
    assert facts(tree) == facts(other)


@searching(100)
@given(st.lists(happenings, min_size=2, max_size=8), st.integers(0, DAYS))
def test_what_was_known_is_never_rewritten(history: list[Happening], observer: int) -> None:
    """Later acts close statements; they change no statement, no text and no component of before."""
    whole, before = Tree(history), Tree(history)
    before.acts = [act for act in before.acts if act.known <= day(observer)]
    whole.paint()
    before.paint()
    known = [
        replace(s, known_until=s.known_until if s.known_until <= day(observer) else OPEN)
        for s in whole.records.statements
        if s.known_from <= day(observer)
    ]
    assert sorted(map(str, known)) == sorted(map(str, before.records.statements))
    for name in {statement.version for statement in known}:
        old, new = before.records.versions[name], whole.records.versions[name]
        assert (old.components, old.texts, old.kind) == (new.components, new.texts, new.kind)
        assert (old.continues, old.placeholder, old.previous) == (
            new.continues,
            new.placeholder,
            new.previous,
        )


# Situations ------------------------------------------------------------------------------------


def test_a_scheduled_amendment_is_open_for_who_did_not_know_it() -> None:
    """Published on day 5, in effect on day 8 (case T6)."""
    stage = Stage()
    old = stage.act("a", 0, 0)
    new = stage.act("a", 5, 8)
    stage.paint()
    assert stage.sees("a", day(7), day(9)) == old
    assert stage.sees("a", day(8), day(9)) == new
    assert stage.sees("a", day(20), day(4)) == old
    ends = {s.known_from: (s.until, s.ended_by) for s in stage.by_item["a"] if s.version == old}
    assert ends == {day(0): (OPEN, None), day(5): (day(8), stage.records.versions[new].produced_by)}


def test_a_retroactive_amendment_is_seen_from_its_publication_on() -> None:
    """Case T7."""
    stage = Stage()
    old = stage.act("a", 0, 0)
    new = stage.act("a", 10, 5)
    stage.paint()
    assert stage.sees("a", day(7), day(9)) == old
    assert stage.sees("a", day(7), day(10)) == new
    assert stage.records.versions[new].retroactive
    assert not stage.records.versions[old].retroactive


def test_a_scheduled_amendment_survives_an_earlier_starting_one() -> None:
    stage = Stage()
    stage.act("a", 0, 0)
    scheduled = stage.act("a", 1, 8)
    between = stage.act("a", 2, 4)
    stage.paint()
    assert stage.sees("a", day(4), day(9)) == between
    assert stage.sees("a", day(8), day(9)) == scheduled
    statement = next(s for s in stage.by_item["a"] if s.version == between)
    assert statement.ended_by == stage.records.versions[scheduled].produced_by


def test_a_hole_in_a_version_is_followed_by_one_that_continues_it() -> None:
    stage = Stage()
    old = stage.act("a", 0, 0)
    stage.act("a", 5, 3, 6, version=False)
    stage.paint()
    assert stage.sees("a", day(2), day(9)) == old
    assert stage.sees("a", day(4), day(9)) is None
    rest = stage.sees("a", day(6), day(9))
    assert rest is not None
    assert rest != old
    assert stage.records.versions[rest].continues == old
    assert [text.content for text in stage.records.versions[rest].texts] == [old]


def test_a_note_of_repeal_is_never_in_force_and_stays_a_part() -> None:
    """Case T29: the container still has it, and prints it."""
    stage = Stage(("a", "b"), root=True)
    stage.act("a", 0, 0)
    other = stage.act("b", 0, 0)
    note = stage.act("a", 5, 5, placeholder=True)
    stage.paint()
    assert stage.sees("a", day(6), day(6)) is None
    root = stage.sees("root", day(6), day(6))
    assert root is not None
    assert stage.records.versions[root].components == (("a", note), ("b", other))


def test_a_whole_of_which_only_a_note_is_left_is_not_in_force() -> None:
    stage = Stage(("a",), root=True)
    stage.act("a", 0, 0)
    note = stage.act("a", 5, 5, placeholder=True)
    stage.paint()
    assert stage.sees("root", day(4), day(9)) is not None
    assert stage.sees("root", day(6), day(9)) is None
    printed = [v for v in stage.records.versions.values() if v.item == "root" and v.placeholder]
    assert [version.components for version in printed] == [(("a", note),)]


def test_a_moved_part_changes_both_wholes_and_not_itself() -> None:
    """Case T28."""
    stage = Stage()
    records = stage.records
    for name, parent in (("root", None), ("one", "root"), ("two", "root"), ("x", "one"), ("y", "two")):
        records.items[name] = ItemRecord(name, "part", name, parent)
    stage.acts.append(
        Act(FIRST, "", [], orders={"root": ("one", "two"), "one": ("a", "x"), "two": ("y",)}, start=FIRST)
    )
    records.items["a"].parent = "two"
    part, x, y = (stage.act(name, 0, 0) for name in ("a", "x", "y"))
    stage.act("x", 5, 5, orders={"one": ("x",), "two": ("y", "a")})
    stage.paint()

    def below(item: str, at: int) -> list[str]:
        version = stage.sees(item, day(at), day(9))
        return [name for name, _ in records.versions[version].components] if version else []

    assert (below("one", 4), below("two", 4)) == (["a", "x"], ["y"])
    assert (below("one", 6), below("two", 6)) == (["x"], ["y", "a"])
    assert stage.sees("a", day(4), day(9)) == stage.sees("a", day(6), day(9)) == part
    assert (x, y) != (None, None)


def test_unchanged_parts_are_shared() -> None:
    stage = Stage(("a", "b", "c"), root=True)
    for part in ("a", "b", "c"):
        stage.act(part, 0, 0)
    for known in range(1, 6):
        stage.act("a", known, known)
    stage.paint()
    roots = [version for version in stage.records.versions.values() if version.item == "root"]
    assert len(roots) == 6
    assert len({version for root in roots for item, version in root.components if item != "a"}) == 2


def test_the_instant_of_a_change_shows_the_new_version_alone() -> None:
    """Case T3."""
    stage = Stage()
    old, new = stage.act("a", 0, 0), stage.act("a", 5, 5)
    stage.paint()
    assert stage.sees("a", Instant(day(5).at - timedelta(microseconds=1)), day(9)) == old
    assert stage.sees("a", day(5), day(9)) == new
    assert stage.sees("a", day(5), Instant(day(5).at - timedelta(microseconds=1))) == old


def test_an_annulment_from_the_beginning_leaves_an_empty_interval() -> None:
    """Case T5."""
    stage = Stage(("a",), root=True)
    version = stage.act("a", 0, 0)
    stage.act("a", 8, 0, version=False)
    stage.paint()
    assert stage.sees("a", day(2), day(7)) == version
    assert stage.sees("a", day(2), day(8)) is None
    assert stage.sees("root", day(2), day(7)) is not None
    assert stage.sees("root", day(2), day(8)) is None
    [before, after] = sorted(stage.by_item["a"], key=lambda s: s.known_from)
    assert (before.start, before.until, before.ended_by) == (day(0), OPEN, None)
    assert (after.start, after.until, after.ended_by) == (day(0), day(0), "act02")
    assert before.known_until == after.known_from == day(8)


def test_a_correction_takes_the_interval_of_what_it_corrects() -> None:
    """Case T16: the corrected version had ended; its successor stays as it was."""
    stage = Stage()
    wrong, later = stage.act("a", 0, 0), stage.act("a", 10, 10)
    right = stage.act("a", 15, 0, until=10)
    stage.paint()
    assert [stage.sees("a", day(9), day(observer)) for observer in (9, 14, 15)] == [wrong, wrong, right]
    assert [stage.sees("a", day(10), day(observer)) for observer in (14, 15)] == [later, later]
    assert stage.records.versions[right].previous == wrong
    assert stage.records.versions[right].retroactive
    assert [(s.start, s.until) for s in stage.by_item["a"] if s.version == later] == [(day(10), OPEN)]
    stage.check_statements()


@pytest.mark.parametrize("sequences", [(1, 2), (2, 1)])
def test_of_two_acts_of_one_day_the_later_in_sequence_stays(sequences: tuple[int, int]) -> None:
    """Case T15: the middle state has no length, and both acts stand in the records."""
    stage = Stage()
    stage.act("a", 0, 0)
    made = [stage.act("a", 5, 5), stage.act("a", 5, 5)]
    for act, sequence in zip(stage.acts[-2:], sequences, strict=True):
        act.sequence = sequence
    stage.paint()
    first, last = (made[sequences.index(n)] for n in (1, 2))
    assert stage.sees("a", day(5), day(5)) == last
    [middle] = [s for s in stage.by_item["a"] if s.version == first]
    assert (middle.start, middle.until) == (day(5), day(5))
    assert middle.ended_by == stage.records.versions[last].produced_by
    assert stage.records.versions[last].previous == first


def test_a_version_never_in_force_cuts_nothing() -> None:
    """Case T13: kept, with the empty interval."""
    stage = Stage()
    old = stage.act("a", 0, 0)
    still = stage.act("a", 3, 5, until=5)
    stage.paint()
    assert {stage.sees("a", day(at), day(9)) for at in (4, 5, 6)} == {old}
    assert [(s.start, s.until) for s in stage.by_item["a"] if s.version == still] == [(day(5), day(5))]


def test_a_suspension_leaves_a_hole_in_applicability_and_makes_no_version() -> None:
    """Case T19."""
    stage = Stage()
    version = stage.act("a", 0, 0)
    stage.records.actions["halt"] = ActionRecord("halt", "Suspension", day(3))
    halt = Effect("a", None, day(4), day(4), "halt", applicability=(day(4), day(7)))
    stage.acts.append(Act(day(3), "halt", [halt], "halt"))
    stage.paint()

    def applicable(at: int, observer: int) -> list[str]:
        return [
            s.version
            for s in stage.records.statements
            if s.applicability
            and s.known_from <= day(observer) < s.known_until
            and s.start <= day(at) < s.until
        ]

    assert [applicable(at, 9) for at in (3, 4, 6, 7)] == [[version], [], [], [version]]
    assert applicable(5, 2) == [version]
    assert {stage.sees("a", day(at), day(9)) for at in (3, 4, 6, 7)} == {version}
    assert set(stage.records.versions) == {version}
    assert [s.ended_by for s in stage.records.statements if s.applicability and s.until == day(4)] == ["halt"]


def test_interpretive_versions_have_timelines_of_their_own() -> None:
    """An overlay survives amendments, ends only by an act that names it, and is never a component."""
    stage = Stage(("a",), root=True)
    old, new = stage.act("a", 0, 0), stage.act("a", 6, 6)
    for name, known in (("reading", 2), ("other", 3)):
        stage.records.actions[name] = ActionRecord(name, "Ruling", day(known))
        stage.records.versions[name] = VersionRecord(name, "a", "interpretive")
        effect = Effect("a", name, day(known), None, name, lane=name)
        stage.acts.append(Act(day(known), name, [effect], name))
    stage.records.actions["over"] = ActionRecord("over", "Overruling", day(8))
    over = Effect("a", None, day(8), None, "over", lane="reading")
    stage.acts.append(Act(day(8), "over", [over], "over"))
    stage.paint()

    def seen_at(at: int, observer: int) -> set[str]:
        return {
            s.version
            for s in stage.by_item["a"]
            if s.known_from <= day(observer) < s.known_until and s.start <= day(at) < s.until
        }

    assert seen_at(4, 9) == {old, "reading", "other"}
    assert seen_at(7, 9) == {new, "reading", "other"}
    assert seen_at(8, 9) == {new, "other"}
    assert seen_at(8, 7) == {new, "reading", "other"}
    parts = {version for made in stage.records.versions.values() for _, version in made.components}
    assert parts == {old, new}


def test_a_part_for_a_while_gives_the_whole_of_its_whole_new_versions_too() -> None:
    """The rest of the middle container is a version that continues it, and the root must hold that one."""
    stage = Stage(("a", "b"))
    for name, parent in (("root", None), ("one", "root")):
        stage.records.items[name] = ItemRecord(name, "part", name, parent)
    stage.records.items["a"].parent = stage.records.items["b"].parent = "one"
    stage.acts.append(Act(FIRST, "", [], orders={"root": ("one",), "one": ("a", "b")}, start=FIRST))
    always, while_there = stage.act("a", 0, 0), stage.act("b", 1, 1, until=2)
    stage.paint()
    versions = stage.records.versions
    for at, parts in ((0, [always]), (1, [always, while_there]), (2, [always])):
        one = stage.sees("one", day(at), day(3))
        root = stage.sees("root", day(at), day(3))
        assert [version for _, version in versions[str(one)].components] == parts
        assert versions[str(root)].components == (("one", one),)


def test_the_rest_of_a_version_keeps_who_ended_it() -> None:
    """Repealed from day 10 on; a hole made later leaves a rest that the repeal still ends."""
    stage = Stage()
    stage.act("a", 0, 0)
    stage.act("a", 10, 10, version=False)
    stage.act("a", 12, 3, until=6, version=False)
    stage.paint()
    rest = stage.sees("a", day(7), day(12))
    assert stage.origin(rest) == "a00"
    assert [(s.start, s.until, s.ended_by) for s in stage.by_item["a"] if s.version == rest] == [
        (day(6), day(10), "act01")
    ]


def test_no_action_ends_what_it_makes() -> None:
    """A temporary version: its end is stated, and the act ends the version beneath alone."""
    stage = Stage()
    old, temporary = stage.act("a", 0, 0), stage.act("a", 3, 3, until=6)
    painter = stage.paint()
    settle(stage.records, painter)
    assert [s.ended_by for s in stage.by_item["a"] if s.version == temporary] == [None]
    assert stage.records.actions["act01"].terminates == [old]


@searching(150)
@TREE
def test_who_ends_a_version_is_told_alike_by_statement_and_action(history: list[Happening]) -> None:
    """A statement names as its end only an action that terminates the version."""
    tree = Tree(history)
    painter = tree.paint()
    settle(tree.records, painter)
    for statement in tree.records.statements:
        if statement.ended_by is not None:
            action = tree.records.actions[statement.ended_by]
            assert statement.version in action.terminates
            assert action.event_time <= statement.known_from
            assert statement.until < OPEN
            if statement.start < statement.until:
                assert tree.records.versions[statement.version].produced_by != action.id


def test_a_part_that_comes_later_is_absent_from_the_whole_before() -> None:
    """Case T10."""
    stage = Stage(("a", "b"), root=True)
    first, late = stage.act("a", 0, 0), stage.act("b", 5, 5)
    stage.paint()
    shown = [stage.sees("root", day(at), day(9)) for at in (4, 5)]
    assert [stage.records.versions[str(root)].components for root in shown] == [
        (("a", first),),
        (("a", first), ("b", late)),
    ]


def test_a_retroactive_change_of_a_part_changes_the_whole_for_who_knows_it() -> None:
    """Case T27: two levels up, and the stretches around it are as they were."""
    stage = Stage(("a",))
    for name, parent in (("root", None), ("one", "root")):
        stage.records.items[name] = ItemRecord(name, "part", name, parent)
    stage.records.items["a"].parent = "one"
    stage.acts.append(Act(FIRST, "", [], orders={"root": ("one",), "one": ("a",)}, start=FIRST))
    old = stage.act("a", 0, 0)
    new = stage.act("a", 10, 3, until=6)
    stage.paint()
    versions = stage.records.versions

    def text(at: int, observer: int) -> str:
        [(_, one)] = versions[str(stage.sees("root", day(at), day(observer)))].components
        [(_, part)] = versions[one].components
        return versions[part].texts[0].content

    assert [text(at, 9) for at in (2, 3, 5, 6)] == [old] * 4
    assert [text(at, 10) for at in (2, 3, 5, 6)] == [old, new, new, old]
    assert stage.sees("root", day(2), day(9)) == stage.sees("root", day(2), day(10))
    made = versions[str(stage.sees("root", day(4), day(10)))]
    assert made.retroactive
    assert made.produced_by == versions[new].produced_by
