"""Values from outside and terms: instants, ids and IRIs, languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Store

from satgraph_rdf.errors import InvalidParameter
from satgraph_rdf.terms import (
    BEGINNING,
    OPEN,
    RESERVED_IDS,
    IdSpace,
    Instant,
    aspect,
    chronological,
    language,
    language_matches,
    language_range,
)

SPACE = IdSpace("https://law.example/")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2000-02-14", "2000-02-14T00:00:00Z"),
        ("2000-02-14T00:00:00Z", "2000-02-14T00:00:00Z"),
        ("2000-02-14t00:00:00z", "2000-02-14T00:00:00Z"),
        ("2000-02-14T00:00:00-03:00", "2000-02-14T03:00:00Z"),
        ("2000-02-14T00:00:00+01:00", "2000-02-13T23:00:00Z"),
        ("2000-02-14T00:00:00-00:00", "2000-02-14T00:00:00Z"),
        ("2000-02-13T23:59:59.999Z", "2000-02-13T23:59:59.999Z"),
        ("2000-02-13T23:59:59.500Z", "2000-02-13T23:59:59.5Z"),
        ("2000-02-13T23:59:59.0000000Z", "2000-02-13T23:59:59Z"),
        ("2000-02-13T23:59:59.123456000Z", "2000-02-13T23:59:59.123456Z"),
        ("2000-02-29", "2000-02-29T00:00:00Z"),
        ("1582-10-10", "1582-10-10T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("9998-12-31T23:59:59Z", "9998-12-31T23:59:59Z"),
    ],
)
def test_an_instant_has_one_canonical_form(text: str, canonical: str) -> None:
    instant = Instant.parse(text)
    assert str(instant) == canonical
    assert Instant.parse(canonical) == instant
    assert instant.term.value == canonical


@pytest.mark.parametrize(
    "text",
    [
        "", "20100101", 20100101, None, True, "2010", "2010-1-1", "01/02/2010", "2010-02-30", "1900-02-29", "2010-13-01",
        "2010-01-01T00:00:00", "2010-01-01T00:00Z", "2010-01-01 00:00:00Z", "2010-01-01T24:00:00Z", "2010-01-01T23:59:60Z",
        "2010-01-01T00:00:00+24:00", "2010-01-01T00:00:00+01:60", "2010-01-01T00:00:00+0100", "2010-01-01T00:00:00.1234567Z",
        "0000-01-01", "9999-12-31", "9999-12-31T00:00:00Z", "9999-01-01", "10000-01-01", "-0001-01-01",
        "0001-01-01T00:00:00+01:00", "9998-12-31T23:59:59-01:00", "٢٠١٠-٠١-٠١", "2010-01-01T00:00:00Z ", "now",
    ],
)  # fmt: skip
def test_what_is_no_instant_is_refused_with_what_is_accepted(text: object) -> None:
    with pytest.raises(InvalidParameter, match="'at'"):
        Instant.parse(text, "at")


def test_a_refusal_says_what_is_accepted_and_no_more() -> None:
    with pytest.raises(InvalidParameter, match=r"RFC 3339 .*2000-02-14T00:00:00Z.*20100101") as caught:
        Instant.parse("20100101", "at")
    assert "%2B" not in str(caught.value)
    with pytest.raises(InvalidParameter, match=r"not a possible date.*2010-02-30"):
        Instant.parse("2010-02-30")
    with pytest.raises(InvalidParameter, match="years 0001 to 9998"):
        Instant.parse(str(OPEN))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 30)),  # noqa: DTZ001
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_an_instant_is_the_same_in_every_zone(moment: datetime, minutes: int) -> None:
    """Case T4."""
    local = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    instant = Instant.parse(local.isoformat())
    assert instant.at == local.astimezone(UTC)
    assert Instant.parse(str(instant)) == instant
    assert str(Instant.parse(local.astimezone(UTC).isoformat())) == str(instant)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.datetimes(), st.datetimes())
def test_text_sorts_as_time_does(one: datetime, other: datetime) -> None:
    first, second = (Instant(moment.replace(tzinfo=UTC)) for moment in (one, other))
    assert (first < second) == (chronological(str(first)) < chronological(str(second)))
    assert (first == second) == (str(first) == str(second))


def test_a_plus_that_became_a_blank_is_named_as_the_likely_cause() -> None:
    with pytest.raises(InvalidParameter, match="%2B"):
        Instant.parse("2000-02-14T00:00:00 01:00")


def test_instants_sort_in_time() -> None:
    texts = ["2000-02-13T23:59:59.999Z", "2000-02-14", "2000-02-14T00:00:00.001Z", "2000-02-14T00:00:01Z"]
    instants = [Instant.parse(text) for text in texts]
    assert sorted([*instants[2:], *instants[:2]]) == instants
    assert sorted([str(i) for i in reversed(instants)], key=chronological) == [str(i) for i in instants]
    assert max(instants) < OPEN


def test_the_store_agrees_on_the_order_of_the_bounds() -> None:
    query = f"SELECT ({BEGINNING} < {Instant.parse('0001-01-01').term} AS ?a) ({Instant.parse('9998-12-31').term} < {OPEN.term} AS ?b) {{}}"
    [row] = list(Store().query(query))
    assert [cell.value for cell in row] == ["true", "true"]


@pytest.mark.parametrize(
    ("text", "stamp"),
    [("2000-02-14", "2000-02-14"), ("2000-02-14T12:00:00Z", "2000-02-14T12:00:00Z")],
)
def test_a_stamp_is_the_day_alone_at_midnight(text: str, stamp: str) -> None:
    assert Instant.parse(text).stamp == stamp


IDS = [
    "urn:lex:br:federal:constituicao:1988-10-05;1988!art6_cpt", "a/b", "a%2Fb", "%", "%25", "a b", "a#b", "a?b", "é", "日本",
    "http://other.example/x", "https://other.example/x?y#z", "http://other.example/a b", "https://law.example", "x[1]",
    "ftp://other.example/x", "HTTP://OTHER.example/", "http://", "!@;~$&'()*+,=:-._", "\U0001f600", "\ue000", "a\u00a0b", '<>"{}|\\^`',
]  # fmt: skip


@pytest.mark.parametrize("name", IDS)
def test_an_id_comes_back_from_its_iri(name: str) -> None:
    iri = SPACE.iri(name)
    assert SPACE.id(iri.value) == name
    assert NamedNode(iri.value) == iri


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.text(min_size=1), st.text(min_size=1))
def test_ids_and_iris_are_a_bijection(one: str, other: str) -> None:
    if one.startswith(SPACE.base) or other.startswith(SPACE.base):
        return
    first, second = SPACE.iri(one), SPACE.iri(other)
    assert SPACE.id(first.value) == one
    assert (first == second) == (one == other)


# Pieces that ids and IRIs are told apart by.
PIECES = st.sampled_from(
    ["http://", "https://", "other.example", "/", "//", "%", "%2F", "%20", "2F", " ", "#", "?", "é", "<", "id/", "x", ":", "[", "@",
     SPACE.base, SPACE.prefix, "https://law.example", "\U0001f600", "\ue000", "\n", "\x85", "\u2028", "\xa0"]
)  # fmt: skip
PIECED = st.lists(PIECES, min_size=1, max_size=6).map("".join)


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(PIECED, PIECED)
def test_ids_made_of_pieces_of_iris_are_a_bijection(one: str, other: str) -> None:
    """Ids that start with the base cannot be loaded, but even they come back as they were."""
    first, second = SPACE.iri(one), SPACE.iri(other)
    assert SPACE.id(first.value) == one
    assert SPACE.id(second.value) == other
    assert (first == second) == (one == other)
    assert NamedNode(first.value) == first


@settings(max_examples=500, deadline=None, derandomize=True)
@given(PIECED | st.text(min_size=1))
def test_every_spelling_of_an_iri_reaches_the_canonical_one(name: str) -> None:
    assume(SPACE.loadable(name) is None)
    canonical = SPACE.iri(name)
    assert SPACE.requested(name) == canonical
    assert SPACE.requested(canonical.value) == canonical
    assert SPACE.requested(SPACE.prefix + quote(name, safe="")) == canonical
    assert SPACE.requested(SPACE.prefix + quote(name, safe="").lower()) == SPACE.iri(name.lower()) or (
        name != name.lower()
    )


def test_an_id_is_decoded_once() -> None:
    assert SPACE.requested(SPACE.prefix + "a%252Fb") == SPACE.iri("a%2Fb") != SPACE.iri("a/b")
    assert SPACE.requested("a%2Fb") == SPACE.iri("a%2Fb")
    assert SPACE.requested(SPACE.prefix + "http%3A%2F%2Fother.example%2Fx") == NamedNode(
        "http://other.example/x"
    )


def test_an_invalid_http_iri_is_an_opaque_id() -> None:
    assert SPACE.iri("http://other.example/a b").value == SPACE.prefix + "http://other.example/a%20b"
    assert SPACE.iri("http://other.example/<x>").value == SPACE.prefix + "http://other.example/%3Cx%3E"
    assert SPACE.iri("http://other.example/%zz").value.startswith(SPACE.prefix)
    assert SPACE.iri("http:/x").value == SPACE.prefix + "http:/x"
    assert SPACE.iri(SPACE.base + "x").value == SPACE.prefix + SPACE.base + "x"
    assert SPACE.iri("see " + SPACE.base).value == SPACE.prefix + "see%20" + SPACE.base


def test_sources_have_graphs_of_their_own() -> None:
    assert SPACE.graph("cf88").value == "https://law.example/graph/cf88"
    names = ["a b", "a%20b", "a#b", "a/b", "<>", "é"]
    assert len({SPACE.graph(name) for name in names}) == len(names)


def test_an_http_iri_outside_the_base_is_its_own() -> None:
    assert SPACE.iri("https://standards.example/x").value == "https://standards.example/x"
    assert SPACE.iri("urn:x").value == "https://law.example/id/urn:x"
    assert SPACE.iri("a%2Fb c").value == "https://law.example/id/a%252Fb%20c"


def test_a_full_iri_is_accepted_in_every_spelling() -> None:
    canonical = SPACE.iri("urn:x;1!art é")
    assert SPACE.requested("urn:x;1!art é") == canonical
    assert SPACE.requested(canonical.value) == canonical
    assert SPACE.requested("https://law.example/id/urn%3Ax%3B1%21art%20%C3%A9") == canonical


@pytest.mark.parametrize("name", ["", None, 7, "a\nb", "a\x00b", "\ud800", "\x85"])
def test_what_cannot_be_an_id_is_refused(name: object) -> None:
    with pytest.raises(InvalidParameter):
        SPACE.requested(name, "itemId")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("https://law.example/id/x", "base IRI"),
        ("a/../b", "path segment"),
        ("./a", "path segment"),
        ("search", "fixed segment"),
        ("batch-get", "fixed segment"),
        ("action:x", "only minted"),
        ("text:x", "only minted"),
        ("statement:x", "only minted"),
        ("relation:x", "only minted"),
        ("", "empty"),
        ("a\tb", "control"),
        ("a\x85", "control"),
        ("\ud800", "surrogate"),
        ("https://law.example/", "base IRI"),
        ("..", "path segment"),
        ("urn:x/.", "path segment"),
        ("https://other.example/../x", "path segment"),
        *((name, "fixed segment") for name in sorted(RESERVED_IDS)),
    ],
)
def test_some_ids_cannot_be_loaded(name: str, reason: str) -> None:
    assert reason in (SPACE.loadable(name) or "")


def test_minted_prefixes_open_no_other_door() -> None:
    for name in ("", "a/../b", "search", "https://law.example/x", "action:\n"):
        assert SPACE.loadable(name, minted=True) is not None


def test_others_can() -> None:
    assert [SPACE.loadable(name) for name in ("urn:x", "a/b.c", "searching", "rel:1")] == [None] * 4
    assert SPACE.loadable("action:x", minted=True) is None


@pytest.mark.parametrize(
    "base", ["", "law.example/", "https://law.example", "https://law.example/#", "https://law.example/a b/"]
)
def test_a_base_is_an_absolute_iri_that_ends_in_a_slash(base: str) -> None:
    with pytest.raises(InvalidParameter, match="base"):
        IdSpace(base)


@pytest.mark.parametrize("tag", ["pt", "pt-BR", "zh-Hant-TW", "eng"])
def test_a_language_is_kept_as_given(tag: str) -> None:
    assert language(tag) == tag


@pytest.mark.parametrize("tag", ["", "p", "pt_BR", "pt-", "português", 3, None, "*"])
def test_what_is_no_language_is_refused(tag: object) -> None:
    with pytest.raises(InvalidParameter):
        language(tag)
    if tag != "*":
        with pytest.raises(InvalidParameter):
            language_range(tag)


@pytest.mark.parametrize(
    ("tag", "wanted", "found"),
    [
        ("pt-BR", "pt", True), ("pt-BR", "PT-br", True), ("pt", "pt-BR", False), ("pt-BR", "p", False),
        ("pt-BR", "*", True), ("ptx", "pt", False), ("en", "pt", False),
    ],
)  # fmt: skip
def test_languages_match_by_basic_filtering(tag: str, wanted: str, found: bool) -> None:
    assert language_matches(tag, wanted) is found


def test_an_aspect_has_its_published_spelling() -> None:
    assert [aspect(text) for text in ("textual_metadata", "textual_relation", "canonical", "own")] == [
        "textualMetadata", "textualRelation", "canonical", "own",
    ]  # fmt: skip
