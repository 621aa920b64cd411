"""Law that has to load: staggered, temporary, scheduled and overtaken acts, stated as JSON.

Each was refused, or answered wrongly, once; the gate judges all of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import load_into, serving

from satgraph_rdf.errors import NoValidVersion
from satgraph_rdf.preparation import Request
from satgraph_rdf.wiring import Service


def written(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "law.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def act(
    name: str, event: str, *, start: str | None = None, until: str | None = None, **more: Any
) -> dict[str, Any]:
    interval = [start or event, until]
    return {
        "id": name,
        "type": "Amendment",
        "eventTime": event,
        "validityInterval": interval,
        "sourceVersionIds": [],
        **more,
    }


def state(
    name: str, item: str, start: str, until: str | None, by: str, ender: str | None = None
) -> dict[str, Any]:
    made = {
        "id": name,
        "itemId": item,
        "type": "statutory",
        "validityInterval": [start, until],
        "producedByActionId": by,
    }
    return made | ({"terminatedByActionId": ender} if ender else {})


def valid(service: Service, item: str, at: str) -> list[str]:
    try:
        return [
            version["id"]
            for version in service.run("getValidVersions", {"itemId": item, "at": at}, "test").value
        ]
    except NoValidVersion:
        return []


Y2000, Y2001, Y2005, Y2010 = (f"{year}-01-01T00:00:00Z" for year in (2000, 2001, 2005, 2010))


def test_an_act_may_commence_in_parts(tmp_path: Path) -> None:
    """Case T14: two articles of one law in force from two dates."""
    document = {
        "items": [{"id": "l", "typeId": "law", "label": "L"}]
        + [{"id": f"l!art{n}", "typeId": "article", "label": f"{n}", "parentId": "l"} for n in (1, 2)],
        "actions": [act("b", Y2000, validityInterval=None), act("c", Y2000, parentId="b", start=Y2001)],
        "versions": [state("v1", "l!art1", Y2000, None, "b"), state("v2", "l!art2", Y2001, None, "c")],
    }
    load_into(tmp_path / "s", Request(written(tmp_path, document)))
    with serving(tmp_path / "s") as service:
        assert valid(service, "l!art2", "2000-06-01") == []
        assert valid(service, "l!art2", "2001-06-01") == ["v2"]
        for at, parts in (("2000-06-01", ["v1"]), ("2001-06-01", ["v1", "v2"])):
            (root,) = valid(service, "l", at)
            below = service.run("getVersionChildren", {"versionId": root}, "test").value
            assert [version["id"] for version in below] == parts


def test_a_part_that_comes_later_by_the_same_act_is_not_in_the_whole_before(tmp_path: Path) -> None:
    document = {
        "items": [
            {"id": "l", "typeId": "law", "label": "L"},
            {"id": "l!art1", "typeId": "article", "label": "1", "parentId": "l"},
        ],
        "actions": [act("b", Y2000, validityInterval=None)],
        "versions": [state("v0", "l", Y2000, None, "b"), state("v1", "l!art1", Y2005, None, "b")],
    }
    load_into(tmp_path / "s", Request(written(tmp_path, document)))
    with serving(tmp_path / "s") as service:
        assert valid(service, "l", "2001-01-01") == ["v0"]
        assert service.run("getVersionChildren", {"versionId": "v0"}, "test").value == []
        (later,) = valid(service, "l", "2006-01-01")
        assert [
            version["id"] for version in service.run("getVersionChildren", {"versionId": later}, "test").value
        ] == ["v1"]


def test_a_temporary_amendment_gives_way_to_what_was_there(tmp_path: Path) -> None:
    """[2001, 2005) by one act; before and after, the old text (case T8's sibling)."""
    document = {
        "items": [{"id": "x", "typeId": "law", "label": "X"}],
        "actions": [act("a", Y2000), act("b", Y2001, until=Y2005, terminatesVersionIds=["v0"])],
        "versions": [state("v0", "x", Y2000, Y2001, "a", "b"), state("v1", "x", Y2001, Y2005, "b")],
    }
    load_into(tmp_path / "s", Request(written(tmp_path, document)))
    with serving(tmp_path / "s") as service:
        assert valid(service, "x", "2000-06-01") == ["v0"]
        assert valid(service, "x", "2003-01-01") == ["v1"]
        (rest,) = valid(service, "x", "2006-01-01")
        assert rest not in ("v0", "v1")


def test_a_scheduled_amendment_survives_one_that_overtakes_it(tmp_path: Path) -> None:
    document = {
        "items": [{"id": "x", "typeId": "law", "label": "X"}],
        "actions": [
            act("a", Y2000),
            act("s", Y2000.replace("01-01", "02-01"), start=Y2010),
            act("b", Y2001, start=Y2005),
        ],
        "versions": [
            state("v1", "x", Y2000, Y2005, "a", "b"),
            state("v2", "x", Y2005, Y2010, "b", "s"),
            state("v3", "x", Y2010, None, "s"),
        ],
    }
    load_into(tmp_path / "s", Request(written(tmp_path, document)))
    with serving(tmp_path / "s") as service:
        assert [valid(service, "x", at) for at in ("2004-01-01", "2006-01-01", "2011-01-01")] == [
            ["v1"],
            ["v2"],
            ["v3"],
        ]
        before = service.run("getItemVersions", {"itemId": "x", "observerTime": "2000-06-01"}, "test").value
        assert [(v["id"], v["validityInterval"]) for v in before] == [
            ("v1", [Y2000, Y2010]),
            ("v3", [Y2010, None]),
        ]


def test_a_step_may_follow_its_macro_action_by_days(tmp_path: Path) -> None:
    document = {
        "items": [
            {"id": "l", "typeId": "law", "label": "L"},
            {"id": "l!art1", "typeId": "article", "label": "1", "parentId": "l"},
        ],
        "actions": [act("m", Y2000), act("n", "2000-01-02T00:00:00Z", parentId="m")],
        "versions": [state("v1", "l!art1", "2000-01-02T00:00:00Z", None, "n")],
    }
    report = load_into(tmp_path / "s", Request(written(tmp_path, document)))
    assert report.revision is not None
    with serving(tmp_path / "s") as service:
        (root,) = service.run("getValidVersions", {"itemId": "l", "at": "2001-01-01"}, "test").value
        assert root["producedByActionId"] == "m"


def test_a_whole_that_ends_while_its_parts_do_not_is_reported(tmp_path: Path) -> None:
    document = {
        "items": [
            {"id": "l", "typeId": "law", "label": "L"},
            {"id": "l!art1", "typeId": "article", "label": "1", "parentId": "l"},
        ],
        "actions": [act("a", Y2000), act("d", Y2005) | {"type": "Revocation"}],
        "versions": [state("v0", "l", Y2000, Y2005, "a", "d"), state("v1", "l!art1", Y2000, None, "a")],
    }
    report = load_into(tmp_path / "s", Request(written(tmp_path, document)))
    assert "PARTS_REMAIN" in report.codes()
