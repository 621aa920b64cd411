"""The bundled sample: its own questions, and what reasoners make of its graph."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from closure import wrong_types
from pyoxigraph import RdfFormat, serialize
from rdflib import Graph

from satgraph_rdf.resources import resource
from satgraph_rdf.revisions import Revisions
from satgraph_rdf.wiring import Service

QUERY = re.compile(r"(\w+)\('([^']+)'(?:, '([^']+)')?\)")
SUBJECT = {"getActionsBySource": "sourceWorkId"}


def questions() -> list[Any]:
    found = []
    for path in sorted(resource("data").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        found += [pytest.param(query, id=query["query"]) for query in document.get("sampleQueries", [])]
    return found


@pytest.mark.parametrize("question", questions())
def test_the_sample_answers_its_own_questions(sample: Service, question: dict[str, Any]) -> None:
    match = QUERY.fullmatch(question["query"])
    assert match is not None, question["query"]
    name, subject, at = match.groups()
    arguments = {SUBJECT.get(name, "itemId"): subject} | ({"at": at} if at else {})
    answer = sample.run(name, arguments, "test")
    assert [entity["id"] for entity in answer.value] == question["expectedResult"]


def test_reasoning_over_the_sample_gives_nothing_a_wrong_type(sample_store: Path) -> None:
    opened, _ = Revisions(sample_store).open()
    triples = opened.construct("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", opened.graphs())
    graph = Graph()
    graph.parse(data=serialize(triples, format=RdfFormat.N_TRIPLES), format="nt")
    assert len(graph) > 7000
    assert wrong_types(graph) == []
