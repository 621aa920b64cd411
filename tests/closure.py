"""The RDFS closure of a graph under the ontology, and the types it must and must not give.

``wrong_types`` answers one question for any graph of the data model: once a consumer reasons with LRMoo,
CIDOC-CRM and ELI, is every thing still what it is? Only types are closed, by subclass, subproperty, domain
and range. Of ELI and the others it knows what ``graphs/axioms.ttl`` says.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = (
    ROOT / "ontology" / "satgraph.ttl",
    ROOT / "ontology" / "alignments.ttl",
    ROOT / "tests" / "graphs" / "axioms.ttl",
)
SAT = Namespace("https://w3id.org/sat-graph/ns#")
LRMOO = Namespace("http://iflastandards.info/ns/lrm/lrmoo/")
CRM = Namespace("http://www.cidoc-crm.org/cidoc-crm/")
ELI = Namespace("http://data.europa.eu/eli/ontology#")

WORK, EXPRESSION, ACTIVITY = LRMOO.F1_Work, LRMOO.F2_Expression, CRM.E7_Activity
MANIFESTATION, COPY, PHYSICAL = LRMOO.F3_Manifestation, LRMOO.F5_Item, CRM.E18_Physical_Thing

# Of an instance of the class: the types it must have, the types it must not have.
RULES: tuple[tuple[URIRef, tuple[URIRef, ...], tuple[URIRef, ...]], ...] = (
    (SAT.Norm, (WORK, ELI.LegalResource), (EXPRESSION, ACTIVITY)),
    (SAT.Component, (WORK, ELI.LegalResourceSubdivision), (EXPRESSION, ACTIVITY)),
    (SAT.Item, (), (EXPRESSION, ACTIVITY, ELI.LegalExpression)),
    (SAT.Version, (WORK,), (EXPRESSION, ACTIVITY, ELI.LegalExpression)),
    (SAT.CanonicalText, (EXPRESSION, ELI.LegalExpression), (WORK, ACTIVITY, ELI.LegalResource)),
    (SAT.TextUnit, (CRM.E33_Linguistic_Object,), (WORK, ACTIVITY, ELI.LegalResource)),
    (SAT.Action, (ACTIVITY,), (WORK, EXPRESSION)),
    (SAT.Relation, (), (WORK, EXPRESSION, ACTIVITY)),
    (SAT.IntervalStatement, (), (WORK, EXPRESSION, ACTIVITY)),
    (SAT.DataSource, (), (WORK, EXPRESSION, ACTIVITY)),
    (SAT.Theme, (), (WORK, EXPRESSION, ACTIVITY)),
    (SAT.ItemType, (), (WORK, EXPRESSION, ACTIVITY)),
)
# Of an instance of the first class that is of none of the second: the types it must not have.
PLAIN: tuple[tuple[URIRef, tuple[URIRef, ...], tuple[URIRef, ...]], ...] = (
    (SAT.TextUnit, (SAT.CanonicalText,), (EXPRESSION, ELI.LegalExpression)),
    (SAT.Item, (SAT.Norm, SAT.Component), (ELI.LegalResource,)),
)
NOBODY = (MANIFESTATION, COPY, PHYSICAL)


def _above(graph: Graph, property_: URIRef) -> dict[Node, set[Node]]:
    """Every subject of the property with all that is above it, itself included, as a fixed point."""
    up: dict[Node, set[Node]] = defaultdict(set)
    for sub, _, sup in graph.triples((None, property_, None)):
        up[sub] |= {sub, sup}
    changed = True
    while changed:
        changed = False
        for reached in up.values():
            more = set().union(*(up[node] for node in reached if node in up)) - reached
            reached.update(more)
            changed = changed or bool(more)
    return up


def closed_types(graph: Graph) -> dict[Node, set[Node]]:
    """The types of every node after RDFS closure under the ontology and the axioms in the graph itself."""
    schema = Graph()
    for path in SCHEMA:
        schema.parse(path)
    for axiom in (RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range):
        for triple in graph.triples((None, axiom, None)):
            schema.add(triple)
    classes, properties = _above(schema, RDFS.subClassOf), _above(schema, RDFS.subPropertyOf)
    ends: dict[Node, tuple[set[Node], set[Node]]] = {}
    for predicate in set(graph.predicates()):
        supers = properties.get(predicate, {predicate})
        domains = {class_ for sup in supers for class_ in schema.objects(sup, RDFS.domain)}
        ends[predicate] = domains, {class_ for sup in supers for class_ in schema.objects(sup, RDFS.range)}
    types: dict[Node, set[Node]] = defaultdict(set)
    for subject, predicate, object_ in graph.triples((None, None, None)):
        domains, ranges = ends[predicate]
        types[subject] |= domains | ({object_} if predicate == RDF.type else set())
        if ranges and not isinstance(object_, Literal):
            types[object_] |= ranges
    for own in types.values():
        own.update(*[classes[type_] for type_ in own if type_ in classes])
    return types


def wrong_types(graph: Graph) -> list[str]:
    """What the closure of the graph gets wrong, one sentence a fault, sorted; empty if nothing.

    Axioms inside the graph count, so that a wrong alignment can be tried by adding it.
    """
    faults: set[str] = set()
    for node, types in closed_types(graph).items():
        faults |= {f"{node} is a {type_}" for type_ in NOBODY if type_ in types}
        for class_, required, forbidden in RULES:
            if class_ in types:
                faults |= {f"{node} is a {class_} but no {type_}" for type_ in required if type_ not in types}
                faults |= {f"{node} is a {class_} and a {type_}" for type_ in forbidden if type_ in types}
        for class_, unless, forbidden in PLAIN:
            if class_ in types and types.isdisjoint(unless):
                faults |= {
                    f"{node} is only a {class_} and a {type_}" for type_ in forbidden if type_ in types
                }
    return sorted(faults)
