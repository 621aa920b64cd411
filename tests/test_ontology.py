"""The ontology folder: terms explained, alignments sound, vocabularies complete, context exact."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import closure
import pytest
from closure import CRM, ELI, LRMOO, ROOT, SAT, closed_types, wrong_types
from rdflib import DCTERMS, OWL, PROV, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef

ONTOLOGY = ROOT / "ontology"
VOCABULARIES = sorted((ONTOLOGY / "vocabularies").glob("*.ttl"))
KINDS = {OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty}
EX = Namespace("https://example.org/id/")
DATE_TIME = URIRef("http://www.w3.org/2001/XMLSchema#dateTime")


def load(*paths: Path) -> Graph:
    """One graph of the files."""
    graph = Graph()
    for path in paths:
        graph.parse(path)
    return graph


def example() -> Graph:
    """The example graph with everything that the data model says of one amended article."""
    return load(ROOT / "tests" / "graphs" / "closure-instance.ttl")


def declared() -> set[URIRef]:
    """The terms that satgraph.ttl declares with a kind."""
    graph = load(ONTOLOGY / "satgraph.ttl")
    return {term for kind in KINDS for term in graph.subjects(RDF.type, kind) if isinstance(term, URIRef)}


# --- Terms


def used_terms(path: Path) -> set[URIRef]:
    """The sat: terms in a file: as IRIs, and in the SPARQL text that shapes carry in literals."""
    terms: set[URIRef] = set()
    for node in (node for triple in load(path) for node in triple):
        if isinstance(node, URIRef) and node.startswith(str(SAT)):
            terms.add(node)
        elif isinstance(node, Literal):
            terms |= {SAT[name] for name in re.findall(r"\bsat:([A-Za-z][A-Za-z0-9]*)", node)}
            terms |= {SAT[name] for name in re.findall(re.escape(str(SAT)) + r"([A-Za-z][A-Za-z0-9]*)", node)}
    return terms


@pytest.mark.parametrize(
    "path",
    sorted(
        [
            *ONTOLOGY.rglob("*.ttl"),
            *(ROOT / "shapes").rglob("*.ttl"),
            *(ROOT / "tests" / "graphs").glob("closure-*.ttl"),
        ]
    ),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_term_used_is_declared(path: Path) -> None:
    assert used_terms(path) - declared() == set()


def test_every_term_of_the_code_is_declared() -> None:
    names: set[str] = set()
    for folder in ("satgraph_rdf", "api"):
        for path in (path for suffix in ("py", "rq") for path in (ROOT / folder).rglob(f"*.{suffix}")):
            names |= set(re.findall(r"\bsat:([A-Za-z][A-Za-z0-9]*)", path.read_text(encoding="utf-8")))
    assert {SAT[name] for name in names} - declared() == set()


def test_every_term_of_the_context_is_declared() -> None:
    text = (ONTOLOGY / "context.jsonld").read_text(encoding="utf-8")
    assert {SAT[name] for name in re.findall(r'"sat:([^"]+)"', text)} - declared() == set()


def test_every_declared_term_is_explained() -> None:
    graph = load(ONTOLOGY / "satgraph.ttl")
    missing = [
        f"{term} {property_}"
        for term in sorted(declared())
        for property_ in (RDFS.label, RDFS.comment, DCTERMS.source, RDFS.isDefinedBy)
        if len(set(graph.objects(term, property_))) != 1
    ]
    assert missing == []
    english = (
        graph.value(term, property_) for term in declared() for property_ in (RDFS.label, RDFS.comment)
    )
    assert all(isinstance(value, Literal) and value.language == "en" and value.strip() for value in english)


def test_every_subject_in_the_namespace_has_exactly_one_kind() -> None:
    graph = load(ONTOLOGY / "satgraph.ttl")
    subjects = {subject for subject in graph.subjects() if str(subject).startswith(str(SAT))}
    assert subjects == declared()
    assert [subject for subject in subjects if len(KINDS & set(graph.objects(subject, RDF.type))) != 1] == []


def test_the_ontology_has_a_header_and_no_domain() -> None:
    graph = load(ONTOLOGY / "satgraph.ttl")
    header = graph.value(predicate=RDF.type, object=OWL.Ontology)
    for property_ in (DCTERMS.title, DCTERMS.description, DCTERMS.license, OWL.versionInfo):
        assert graph.value(header, property_) is not None
    assert list(graph.triples((None, RDFS.domain, None))) == []
    assert {SAT["from"], SAT.until, SAT.knownFrom, SAT.knownUntil} <= set(
        graph.subjects(RDFS.range, DATE_TIME)
    )


def test_alignments_stand_in_their_own_file() -> None:
    axioms = (RDFS.subClassOf, RDFS.subPropertyOf)
    for axiom in axioms:
        assert all(
            str(sup).startswith(str(SAT)) for sup in load(ONTOLOGY / "satgraph.ttl").objects(None, axiom)
        )
        # nothing is said of terms that belong to others
        assert all(
            str(sub).startswith(str(SAT)) for sub in load(ONTOLOGY / "alignments.ttl").subjects(axiom, None)
        )
    lines = (ONTOLOGY / "alignments.ttl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("sat:"):  # a comment above it, or above its inverse
            assert lines[number - 1].startswith(("#", "sat:")), f"line {number + 1} has no reason"


def test_every_aligned_term_is_known_to_the_axioms() -> None:
    """An alignment to a term of which the axioms say nothing would be checked against nothing."""
    axioms = load(ROOT / "tests" / "graphs" / "axioms.ttl")
    targets = {
        target
        for axiom in (RDFS.subClassOf, RDFS.subPropertyOf)
        for target in load(ONTOLOGY / "alignments.ttl").objects(None, axiom)
    }
    known = (
        set(axioms.subjects()) | set(axioms.objects()) | {DCTERMS.isPartOf}
    )  # without domain or range in Dublin Core
    assert targets - known == set()


# --- Closure


def test_the_example_uses_every_class_and_property_that_closure_could_get_wrong() -> None:
    graph = example()
    aligned = {
        sub
        for axiom in (RDFS.subClassOf, RDFS.subPropertyOf)
        for sub in load(ONTOLOGY / "alignments.ttl").subjects(axiom)
    }
    used = set(graph.predicates()) | set(graph.objects(None, RDF.type))
    assert aligned - used - {SAT.Version} == set()


def test_closure_gives_no_wrong_type() -> None:
    assert wrong_types(example()) == []


def test_closure_gives_the_types_that_consumers_look_for() -> None:
    types = closed_types(example())
    assert {
        LRMOO.F1_Work,
        CRM["E89_Propositional_Object"],
        CRM["E28_Conceptual_Object"],
        PROV.Entity,
    } <= types[EX["art6-v2"]]
    assert {LRMOO.F2_Expression, CRM["E33_Linguistic_Object"], ELI.LegalExpression} <= types[EX["art6-text"]]
    assert {CRM["E33_Linguistic_Object"], CRM["E90_Symbolic_Object"]} <= types[EX["art6-summary"]]
    assert {CRM["E7_Activity"], LRMOO["F27_Work_Creation"], PROV.Activity} <= types[EX["micro"]]
    assert {ELI.LegalResource, LRMOO.F1_Work} <= types[EX["norm"]]
    assert {SKOS.Concept, CRM["E55_Type"]} <= types[EX["judgment"]]
    assert not {ELI.LegalResource, SAT.Norm} & types[EX["case"]]


@pytest.mark.parametrize(
    ("sub", "axiom", "sup", "fault"),
    [
        (
            SAT.terminates,
            RDFS.subPropertyOf,
            CRM["P31_has_modified"],
            "art6-v1 is a http://www.cidoc-crm.org/cidoc-crm/E18",
        ),
        (
            SAT.Version,
            RDFS.subClassOf,
            LRMOO["F2_Expression"],
            "art6-v2 is a https://w3id.org/sat-graph/ns#Version and a",
        ),
        (
            SAT.Item,
            RDFS.subClassOf,
            LRMOO["F5_Item"],
            "norm is a http://iflastandards.info/ns/lrm/lrmoo/F5_Item",
        ),
        (
            SAT.Item,
            RDFS.subClassOf,
            ELI.LegalResource,
            "case is only a https://w3id.org/sat-graph/ns#Item and a",
        ),
        (
            SAT.hasSource,
            RDFS.subPropertyOf,
            LRMOO["R15_has_fragment"],
            "micro is a https://w3id.org/sat-graph/ns#Action and a",
        ),
        (
            SAT.textOf,
            RDFS.subPropertyOf,
            ELI.realizes,
            "art6-summary is only a https://w3id.org/sat-graph/ns#TextUnit and a",
        ),
        (
            SAT.textOf,
            RDFS.subPropertyOf,
            LRMOO["R4_embodies"],
            "art6-text is a http://iflastandards.info/ns/lrm/lrmoo/F3",
        ),
        (SAT.TextUnit, RDFS.subClassOf, LRMOO["F2_Expression"], "art6-summary is only a"),
        (
            SAT.CanonicalText,
            RDFS.subClassOf,
            LRMOO["F1_Work"],
            "art6-text is a https://w3id.org/sat-graph/ns#CanonicalText and a",
        ),
        (
            SAT.produces,
            RDFS.subPropertyOf,
            LRMOO["R17_created"],
            "art6-v2 is a https://w3id.org/sat-graph/ns#Version and a",
        ),
    ],
)
def test_a_wrong_alignment_is_reported(sub: URIRef, axiom: URIRef, sup: URIRef, fault: str) -> None:
    graph = example()
    graph.add((sub, axiom, sup))
    found = wrong_types(graph)
    assert any(line.startswith(str(EX) + fault) for line in found), found


def test_a_missing_alignment_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        closure, "SCHEMA", tuple(path for path in closure.SCHEMA if path.name != "alignments.ttl")
    )
    found = wrong_types(example())
    for name, lost in (
        ("art6-v1", LRMOO["F1_Work"]),
        ("art6-text", LRMOO["F2_Expression"]),
        ("macro", CRM["E7_Activity"]),
    ):
        assert any(
            line.startswith(f"{EX[name]} is a ") and line.endswith(f"but no {lost}") for line in found
        ), found


# --- Context

CONTEXT_CASES: list[tuple[dict[str, Any], str]] = [
    (
        {
            "@type": "Norm",
            "id": "urn:i:n",
            "typeId": "law",
            "label": "L",
            "urn": "urn:i:n",
            "url": "https://e.org/n",
            "metadata": {"a": [1]},
        },
        """<urn:i:n> a sat:Norm ; eli:type_document item:law ; rdfs:label "L" ;
           dct:identifier "urn:i:n" ; foaf:page <https://e.org/n> ;
           sat:metadata '{"a":[1]}'^^rdf:JSON .""",
    ),
    (
        {
            "@type": "Component",
            "id": "urn:i:n!art1",
            "typeId": "article",
            "label": "1",
            "parentId": "urn:i:n",
            "urn": None,
        },
        """<urn:i:n!art1> a sat:Component ; eli:type_subdivision item:article ; rdfs:label "1" ;
           eli:is_part_of <urn:i:n> .""",
    ),
    (
        {"@type": "Item", "id": "urn:i:j", "typeId": "judgment", "label": "J"},
        '<urn:i:j> a sat:Item ; crm:P2_has_type item:judgment ; rdfs:label "J" .',
    ),
    (
        {
            "@type": "Version",
            "id": "urn:v:1@2000-02-14!art6",
            "itemId": "urn:i:n!art1",
            "type": "statutory",
            "validityInterval": ["2000-02-14T00:00:00Z", None],
            "producedByActionId": "urn:a:1",
            "terminatedByActionId": "urn:a:2",
            "usedAsSourceInActionIds": ["urn:a:3"],
        },
        """<urn:v:1@2000-02-14!art6> a sat:Version , sat:StatutoryVersion ; sat:versionOf <urn:i:n!art1> ;
           sat:producedBy <urn:a:1> .
           <urn:a:2> sat:terminates <urn:v:1@2000-02-14!art6> .
           <urn:a:3> sat:hasSource <urn:v:1@2000-02-14!art6> .""",
    ),
    (
        {
            "@type": "TextUnit",
            "id": "urn:t:1",
            "sourceType": "Version",
            "sourceId": "urn:v:1",
            "language": "pt-BR",
            "aspect": "summary",
            "content": "x",
        },
        """<urn:t:1> a sat:TextUnit ; sat:sourceType "Version" ; sat:textOf <urn:v:1> ;
           sat:language "pt-BR" ; sat:aspect "summary" ;
           sat:content "x" .""",
    ),
    (
        {
            "@type": "Action",
            "id": "urn:a:1",
            "parentId": "urn:a:0",
            "type": "Constitutional Mutation",
            "eventTime": "2000-02-14T00:00:00Z",
            "sourceVersionIds": ["urn:v:s"],
            "terminatesVersionIds": ["urn:v:0"],
            "producesVersionIds": ["urn:v:1", "urn:v:2"],
        },
        """<urn:a:1> a sat:Action ; sat:partOfAction <urn:a:0> ;
           crm:P2_has_type action:ConstitutionalMutation ;
           prov:endedAtTime "2000-02-14T00:00:00Z"^^xsd:dateTime ; sat:hasSource <urn:v:s> ;
           sat:terminates <urn:v:0> ; sat:produces <urn:v:1> , <urn:v:2> .""",
    ),
    (
        {
            "@type": "Relation",
            "id": "urn:r:1",
            "sourceType": "Item",
            "sourceId": "urn:i:j",
            "predicate": "cites",
            "targetType": "Item",
            "targetId": "urn:i:n",
        },
        """<urn:r:1> a sat:Relation ; sat:relationSource <urn:i:j> ; sat:predicate predicate:cites ;
           sat:relationTarget <urn:i:n> .""",
    ),
    (
        {"@type": "Theme", "id": "urn:h:1", "label": "T", "parentIds": ["urn:h:0"], "childrenIds": None},
        '<urn:h:1> a sat:Theme ; skos:prefLabel "T" ; skos:broader <urn:h:0> .',
    ),
    (
        {
            "@type": "ItemType",
            "id": "urn:y:1",
            "label": "Y",
            "childrenIds": ["urn:y:2"],
            "allowedPartsIds": ["urn:y:3"],
        },
        """<urn:y:1> a sat:ItemType ; skos:prefLabel "Y" ; skos:narrower <urn:y:2> ;
           sat:allowsPart <urn:y:3> .""",
    ),
]
CONTEXT_PREFIXES = {
    "sat": str(SAT),
    "eli": str(ELI),
    "dct": str(DCTERMS),
    "crm": str(CRM),
    "prov": str(PROV),
    "skos": str(SKOS),
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "item": "https://w3id.org/sat-graph/item-type/",
    "action": "https://w3id.org/sat-graph/action-type/",
    "predicate": "https://w3id.org/sat-graph/predicate/",
}


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # rdflib's own JSON-LD parser uses its old ConjunctiveGraph
@pytest.mark.parametrize(
    ("document", "turtle"), CONTEXT_CASES, ids=lambda value: value["@type"] if isinstance(value, dict) else ""
)
def test_the_context_gives_exactly_these_triples(document: dict[str, Any], turtle: str) -> None:
    context = json.loads((ONTOLOGY / "context.jsonld").read_text(encoding="utf-8"))["@context"]
    found = Graph().parse(data=json.dumps({"@context": context, **document}), format="json-ld")
    header = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in CONTEXT_PREFIXES.items())
    assert set(found) == set(Graph().parse(data=header + turtle, format="turtle"))


# --- Vocabularies


def test_the_vocabularies_are_all_there() -> None:
    assert [path.name for path in VOCABULARIES] == [
        "action-types.ttl",
        "aspects.ttl",
        "item-types.ttl",
        "predicates.ttl",
    ]


@pytest.mark.parametrize("path", VOCABULARIES, ids=lambda path: path.name)
def test_every_concept_is_complete(path: Path) -> None:
    graph = load(path)
    schemes = list(graph.subjects(RDF.type, SKOS.ConceptScheme))
    assert len(schemes) == 1
    concepts = set(graph.subjects(RDF.type, SKOS.Concept))
    assert concepts
    for concept in concepts:
        assert list(graph.objects(concept, SKOS.inScheme)) == schemes
        assert str(concept).startswith(str(schemes[0]))
        for property_ in (SKOS.definition, SKOS.notation, DCTERMS.source):
            assert len(list(graph.objects(concept, property_))) == 1, f"{concept} {property_}"
        languages = [
            label.language for label in graph.objects(concept, SKOS.prefLabel) if isinstance(label, Literal)
        ]
        assert "en" in languages, concept
        assert len(languages) == len(set(languages)), concept
        assert set(graph.objects(concept, SKOS.broader)) <= concepts
        above = {
            top
            for parent in graph.objects(concept, SKOS.broader)
            for top in graph.transitive_objects(parent, SKOS.broader)
        }
        assert concept not in above, f"{concept} is broader than itself"
    notations = [str(notation) for notation in graph.objects(None, SKOS.notation)]
    assert len(notations) == len(set(notations))
    if path.name == "item-types.ttl":
        assert all(len(list(graph.objects(concept, SKOS.prefLabel))) == 2 for concept in concepts)


@pytest.mark.parametrize(
    ("name", "key", "notation"),
    [
        ("action-types.ttl", "action-type/ConstitutionalMutation", "Constitutional Mutation"),
        ("action-types.ttl", "action-type/LegislativeOverride", "Legislative Override"),
        ("item-types.ttl", "item-type/article-caput", "article-caput"),
        ("aspects.ttl", "aspect/textualMetadata", "textualMetadata"),
        ("predicates.ttl", "predicate/appliesTo", "appliesTo"),
    ],
)
def test_the_notation_is_the_published_name(name: str, key: str, notation: str) -> None:
    concept = URIRef(f"https://w3id.org/sat-graph/{key}")
    assert load(ONTOLOGY / "vocabularies" / name).value(concept, SKOS.notation) == Literal(notation)
