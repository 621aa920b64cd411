"""Start-up refuses each kind of wrong query file, naming file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from satgraph_rdf.errors import InvalidDeclaration, NotFound
from satgraph_rdf.registry import QUERIES, Registry

PREFIXES = (QUERIES / "prefixes.rq").read_text(encoding="utf-8")
HEADER = {
    "summary": "Parts of an item.",
    "path": "/items/{item}/parts",
    "params": "item",
    "returns": "[Item]",
}
QUERY = """SELECT ?id ?label ?typeId WHERE {
  ?id eli:is_part_of $item ; rdfs:label ?label ; crm:P2_has_type ?typeId .
}
ORDER BY ?label ?id
"""


def file(query: str = QUERY, extra: str = "", **header: str | None) -> str:
    lines = [f"#+ {key}: {value}" for key, value in {**HEADER, **header}.items() if value is not None]
    return "\n".join([*lines, *([extra] if extra else []), query])


def registry(folder: Path, *contents: str, prefixes: str = PREFIXES, names: tuple[str, ...] = ()) -> Registry:
    (folder / "group").mkdir(parents=True, exist_ok=True)
    (folder / "prefixes.rq").write_text(prefixes, encoding="utf-8")
    for number, content in enumerate(contents):
        name = names[number] if names else f"get_parts{number or ''}"
        (folder / "group" / f"{name}.rq").write_text(content, encoding="utf-8")
    return Registry.load(folder)


def test_a_right_file_is_a_primitive(tmp_path: Path) -> None:
    primitive = registry(tmp_path, file())["getParts"]
    assert (primitive.name, primitive.operation_id, primitive.command) == (
        "get_parts",
        "getParts",
        "get-parts",
    )
    assert (primitive.method, primitive.many, primitive.outcome) == ("GET", True, None)
    assert primitive.variables == ("id", "label", "typeId")


WRONG: dict[str, tuple[str, str]] = {
    "an unknown key": (file(extra="#+ colour: red"), "5: unknown header key"),
    "a line that is no key": (file(extra="#+ what is this"), "5: unknown header key"),
    "a key twice": (file(extra="#+ summary: Again."), "5: header key 'summary' stands twice"),
    "no summary": (file(summary=None), "lacks 'summary:'"),
    "no params": (file(params=None), "lacks 'params:'"),
    "no returns": (file(returns=None), "lacks 'returns:'"),
    "an unknown parameter": (file(params="item, colour"), "3: unknown parameter 'colour'"),
    "a parameter declared and not used": (
        file(params="item, at"),
        "3: parameter 'at' is declared but not used",
    ),
    "a parameter used and not declared": (
        file(QUERY.replace("?label ;", "?label ; sat:from $at ;")),
        "6: input \\$at is used but not declared",
    ),
    "an optional parameter without default": (file(params="item?"), "3: 'item' has no default"),
    "a path that names no parameter": (file(path="/items/{thing}/parts"), "2: path names 'thing'"),
    "a method that is none": (file(extra="#+ method: FETCH"), "5: 'method:' must be GET or POST"),
    "returns that do not read": (file(returns="[Item"), "4: 'returns:' must be like"),
    "an unknown model": (file(returns="[Thing]"), "4: unknown model 'Thing'"),
    "an unknown code": (file(returns="[Item] or NOTHING"), "unknown code 'NOTHING'"),
    "text that does not parse": (file(QUERY.replace("SELECT", "SELEKT")), "does not parse"),
    "a prefix that is not declared": (file(QUERY.replace("eli:", "elli:")), "does not parse"),
    "an update": (file("INSERT DATA { $item rdfs:label 'x' }"), "5: INSERT is not allowed"),
    "a deletion": (file("DELETE WHERE { $item ?p ?o }"), "5: DELETE is not allowed"),
    "a load": (file("LOAD <http://127.0.0.1/x> # $item"), "LOAD is not allowed|is declared but not used"),
    "a call to another server": (
        file(
            QUERY.replace(
                "rdfs:label ?label ;", "rdfs:label ?label . SERVICE <http://127.0.0.1/> { ?a ?b ?c } ?id"
            )
        ),
        "SERVICE is not allowed",
    ),
    "a data set of its own": (
        file(QUERY.replace("WHERE", "FROM <http://example.org/g> WHERE")),
        "FROM is not allowed",
    ),
    "a form that is no SELECT": (file("ASK { $item ?p ?o }"), "ASK is not allowed"),
    "a graph as an answer": (
        file("CONSTRUCT { ?s ?p ?o } WHERE { $item ?p ?o }"),
        "CONSTRUCT is not allowed",
    ),
    "a result that is no field": (
        file(QUERY.replace("?label ?typeId WHERE", "?label ?typeId ?colour WHERE")),
        "\\?colour is no field of Item",
    ),
    "a required field that is not selected": (
        file(QUERY.replace("SELECT ?id ?label ?typeId", "SELECT ?id ?label")),
        "\\?typeId, a required field of Item",
    ),
    "no id": (file(QUERY.replace("SELECT ?id", "SELECT")), "\\?id, a required field of Item"),
    "an order in a comment only": (file(QUERY.replace("ORDER BY", "# ORDER BY")), "total order"),
    "a list without order": (file(QUERY.replace("ORDER BY ?label ?id", "")), "total order"),
    "an order with ties": (file(QUERY.replace("ORDER BY ?label ?id", "ORDER BY ?label")), "total order"),
    "a reader that is not there": (file(extra="#+ hydrate: get_batch_things"), "'hydrate:' must name"),
    "a key twice with one value": (file(extra="#+ returns: [Item]"), "5: header key 'returns' stands twice"),
    "a key without a value": (file(params=""), "3: unknown header key"),
    "a service in small letters": (
        file(QUERY.replace("?typeId .", "?typeId . service silent <http://127.0.0.1/> { ?a ?b ?c }")),
        "SERVICE is not allowed",
    ),
    "a named data set": (
        file(QUERY.replace("WHERE", "from named <http://example.org/g> WHERE")),
        "FROM is not allowed",
    ),
    "a description": (file("DESCRIBE $item"), "5: DESCRIBE is not allowed"),
    "an update after a query": (file(QUERY + "; DROP ALL"), "DROP is not allowed"),
    "returns half a list": (file(returns="Item]"), "4: 'returns:' must be like"),
    "an order of another variable": (
        file(QUERY.replace("ORDER BY ?label ?id", "ORDER BY ?label ?idea")),
        "total order",
    ),
    "a reader that reads no list": (
        file(returns="Item", extra="#+ hydrate: get_batch_items"),
        "'hydrate:' must name a batch primitive of Item",
    ),
    "an outcome of two": (
        file(returns="[Item] or RESOURCE_NOT_FOUND or NOT_YET_KNOWN"),
        "4: 'returns:' must be",
    ),
    "an explanation that is not there": (file(extra="#+ absent: why_not"), "'absent:' must name"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_refused(tmp_path: Path, what: str) -> None:
    content, message = WRONG[what]
    with pytest.raises(InvalidDeclaration, match=message) as caught:
        registry(tmp_path, content)
    assert "get_parts" in str(caught.value)


def test_the_line_of_a_fault_is_that_of_the_file(tmp_path: Path) -> None:
    wrong = file(QUERY.replace("?typeId .", "?typeId .\n  SERVICE <http://127.0.0.1/> { ?a ?b ?c }"))
    with pytest.raises(InvalidDeclaration, match=r"group/get_parts\.rq:7: SERVICE"):
        registry(tmp_path, wrong)
    wrong = file(QUERY.replace("rdfs:label ?label ;", "rdfs:label ?label ;\n  sat:from $at ;"))
    with pytest.raises(InvalidDeclaration, match=r"group/get_parts\.rq:7: input \$at"):
        registry(tmp_path, wrong)


def test_a_reader_of_other_entities_is_refused(tmp_path: Path) -> None:
    finder = file("SELECT ?id WHERE { ?id eli:is_part_of $item } ORDER BY ?id", extra="#+ hydrate: get_acts")
    other = file(
        "SELECT ?id ?type ?eventTime WHERE { ?id sat:actionType ?type ; prov:endedAtTime ?eventTime ;"
        " sat:produces $item } ORDER BY ?id",
        path="/items/{item}/acts",
        returns="[Action]",
    )
    with pytest.raises(InvalidDeclaration, match="get_parts: 'hydrate:' must name a batch primitive of Item"):
        registry(tmp_path, finder, other, names=("get_parts", "get_acts"))


def test_a_finder_selects_ids_and_its_reader_the_fields(tmp_path: Path) -> None:
    """Without a reader the same query lacks the required fields."""
    finder = "SELECT ?id WHERE { ?id eli:is_part_of $item } ORDER BY ?id"
    with pytest.raises(InvalidDeclaration, match="a required field of Item"):
        registry(tmp_path / "alone", file(finder))
    batch = QUERY.replace("?id eli:is_part_of $item ;", "VALUES ?id { $ids } ?id")
    reader = file(batch, path="/items/all", params="ids", method="POST")
    both = registry(
        tmp_path / "both", file(finder, extra="#+ hydrate: get_all"), reader, names=("get_parts", "get_all")
    )
    assert both["get_parts"].hydrate == "get_all"


def test_optional_parameters_take_their_default_or_the_one_stated(tmp_path: Path) -> None:
    query = QUERY.replace("?label ;", "?label ; sat:from $at ;")
    stated = registry(tmp_path / "a", file(query, params="item, at?=beginning"))["getParts"].uses[1]
    usual = registry(tmp_path / "b", file(query, params="item, at?"))["getParts"].uses[1]
    needed = registry(tmp_path / "c", file(query, params="item, at"))["getParts"].uses[1]
    assert [(use.required, use.default) for use in (stated, usual)] == [(False, "beginning"), (False, "now")]
    assert needed.required


def test_one_route_may_serve_two_methods(tmp_path: Path) -> None:
    """The names of the parameters in a path do not make two routes of one."""
    posted = file(extra="#+ method: POST")
    both = registry(tmp_path / "methods", file(), posted)
    assert {(primitive.method, primitive.name) for primitive in both} == {
        ("GET", "get_parts"),
        ("POST", "get_parts1"),
    }
    renamed = file(QUERY.replace("$item", "$action"), params="action", path="/items/{action}/parts")
    with pytest.raises(InvalidDeclaration, match="is taken by"):
        registry(tmp_path / "names", file(), renamed)


def test_two_folders_cannot_hold_one_name(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "get_parts.rq").write_text(file(path="/others/{item}"), encoding="utf-8")
    with pytest.raises(InvalidDeclaration, match=r"'get_?parts' is taken by"):
        registry(tmp_path, file())


def test_a_word_in_a_comment_or_a_string_is_not_a_keyword(tmp_path: Path) -> None:
    query = QUERY.replace("ORDER BY", "# SERVICE FROM $nothing\n#\nORDER BY").replace(
        "?typeId .", '?typeId . FILTER(?label != "SERVICE $nothing FROM")'
    )
    assert registry(tmp_path, file(query))["getParts"]


def test_two_files_cannot_share_a_name_or_a_route(tmp_path: Path) -> None:
    with pytest.raises(InvalidDeclaration, match="is taken by"):
        registry(tmp_path / "route", file(), file())
    other = file(path="/items/{item}/others", extra="#+ operation: getParts")
    with pytest.raises(InvalidDeclaration, match="'getparts' is taken by"):
        registry(tmp_path / "name", file(), other)


def test_the_identity_pins_file_prefixes_and_reader(tmp_path: Path) -> None:
    reader = file(
        QUERY.replace("?id eli:is_part_of $item", "VALUES ?id { $ids } ?id eli:id_local ?local"),
        path="/items/batch",
        params="ids",
        method="POST",
    )
    finder = file("SELECT ?id WHERE { ?id eli:is_part_of $item } ORDER BY ?id", hydrate="get_all")
    names = ("get_parts", "get_all")

    def identity(folder: str, one: str, other: str, prefixes: str = PREFIXES) -> str:
        return registry(tmp_path / folder, one, other, prefixes=prefixes, names=names)["getParts"].identity

    first = identity("a", finder, reader)
    assert first == identity("b", finder, reader)
    assert first != identity("c", finder + "# a word\n", reader)
    assert first != identity("d", finder, reader + "# a word\n")
    assert first != identity("e", finder, reader, PREFIXES + "# a word\n")


def test_every_name_of_a_primitive_reaches_it() -> None:
    loaded = Registry.load()
    names = ("get_item_by_id", "getItemById", "get-item-by-id", "getItem", "GETITEM")
    assert {loaded[name].name for name in names} == {"get_item_by_id"}
    for primitive in loaded:
        others = (primitive.name, primitive.operation_id, primitive.camel_name, primitive.command)
        assert all(loaded[name] is primitive for name in others)
    with pytest.raises(NotFound, match="getValidVersions"):
        loaded["getNothing"]


def test_internal_queries_are_no_primitives() -> None:
    loaded = Registry.load()
    assert "item_intervals" in loaded.internal
    assert all(primitive.path for primitive in loaded)
    with pytest.raises(NotFound):
        loaded["item_intervals"]


MORE_WRONG: dict[str, tuple[str, str]] = {
    "an order of a sub-select": (
        file("SELECT ?id ?label ?typeId WHERE { { SELECT * WHERE { ?id eli:is_part_of $item ; rdfs:label ?label ;"
             " crm:P2_has_type ?typeId } ORDER BY ?id } }"),
        "total order",
    ),
    "an id inside a function": (file(QUERY.replace("ORDER BY ?label ?id", "ORDER BY ?label (STRLEN(STR(?id)))")), "total order"),
    "a limit": (file(QUERY + "LIMIT 10"), "LIMIT is not allowed"),
    "an unknown arrangement": (file(order="bogus"), "'order:' 'bogus' is unknown"),
    "an arrangement by what is not there": (file(order="input ids id"), "'order:'"),
    "components without their order": (file(order="components"), "'order:'"),
    "an unknown default": (file(QUERY.replace("?label ;", "?label ; sat:from $at ;"), params="item, at?=yesterday"), "unknown default"),
    "a parameter twice": (file(params="item, item"), "stands twice"),
    "an optional subject": (file(params="item?=now"), "cannot be optional"),
    "a path without slash": (file(path="items/{item}"), "'path:' must be like"),
    "a path of two subjects": (file(path="/items/{item}/of/{version}", params="item, version"), "'path:' must be like"),
    "facts for everyone": (file("SELECT ?x WHERE { $item ?p ?x }", returns="Facts"), "only an internal query"),
    "a tree without parents": (file("SELECT ?id WHERE { ?id eli:is_part_of $item }", returns="[id]"), "\\?parent"),
    "a version without its interval": (
        file("SELECT ?id ?itemId ?type WHERE { ?id sat:versionOf $item ; sat:versionType ?type BIND($item AS ?itemId) } ORDER BY ?id",
             returns="[Version]"),
        "\\?from, a required field of Version",
    ),
    "a refusal nobody explains": (file(returns="[Item] or NO_VALID_VERSION"), "needs 'absent:'"),
    "a header line below": (file(QUERY + "#+ method: POST\n"), "at the top of the file"),
    "an unknown function": (file(QUERY.replace("?typeId .", "?typeId . FILTER(<http://e.example/f>(?label))")), "does not parse"),
}  # fmt: skip


@pytest.mark.parametrize("what", MORE_WRONG)
def test_a_file_wrong_in_a_finer_way_is_refused_too(tmp_path: Path, what: str) -> None:
    content, message = MORE_WRONG[what]
    with pytest.raises(InvalidDeclaration, match=message):
        registry(tmp_path, content)
