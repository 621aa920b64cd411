"""Every IRI that the Python code knows, once.

The meaning of each ``sat:`` term is in ``ontology/satgraph.ttl``, its alignment in
``ontology/alignments.ttl``.
"""

from __future__ import annotations

from typing import Final

from pyoxigraph import NamedNode

SAT: Final = "https://w3id.org/sat-graph/ns#"
METADATA: Final = "https://w3id.org/sat-graph/metadata/"
ACTION_TYPE: Final = "https://w3id.org/sat-graph/action-type/"
PREDICATE: Final = "https://w3id.org/sat-graph/predicate/"

PREFIXES: Final[dict[str, str]] = {
    "sat": SAT,
    "eli": "http://data.europa.eu/eli/ontology#",
    "lrmoo": "http://iflastandards.info/ns/lrm/lrmoo/",
    "crm": "http://www.cidoc-crm.org/cidoc-crm/",
    "prov": "http://www.w3.org/ns/prov#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def iri(name: str) -> NamedNode:
    """The term of a prefixed name, for example ``iri("sat:Version")``."""
    prefix, local = name.split(":", 1)
    return NamedNode(PREFIXES[prefix] + local)


RDF_TYPE: Final = iri("rdf:type")
RDF_JSON: Final = iri("rdf:JSON")
XSD_DATE_TIME: Final = iri("xsd:dateTime")
XSD_BOOLEAN: Final = iri("xsd:boolean")
XSD_INTEGER: Final = iri("xsd:integer")

VERSION_KINDS: Final[dict[str, NamedNode]] = {
    "statutory": iri("sat:StatutoryVersion"),
    "interpretive": iri("sat:InterpretiveVersion"),
    "documentary": iri("sat:DocumentaryVersion"),
}

# What is written beside a class or property because consumers do not reason. The long text of a
# TextUnit is not written twice (crm:P190), and E7, E33 follow from the alignments alone.
SUPERCLASSES: Final[dict[str, tuple[str, ...]]] = {
    "sat:Norm": ("sat:Item", "eli:LegalResource", "lrmoo:F1_Work"),
    "sat:Component": ("sat:Item", "eli:LegalResourceSubdivision", "lrmoo:F1_Work"),
    "sat:Item": (),
    "sat:StatutoryVersion": ("sat:Version", "lrmoo:F1_Work", "prov:Entity"),
    "sat:InterpretiveVersion": ("sat:Version", "lrmoo:F1_Work", "prov:Entity"),
    "sat:DocumentaryVersion": ("sat:Version", "lrmoo:F1_Work", "prov:Entity"),
    "sat:CanonicalText": ("sat:TextUnit", "eli:LegalExpression", "lrmoo:F2_Expression"),
    "sat:TextUnit": (),
    "sat:Action": ("prov:Activity", "crm:E7_Activity"),
    "sat:Relation": (),
    "sat:Theme": ("skos:Concept",),
    "sat:ItemType": ("skos:Concept",),
    "sat:IntervalStatement": (),
}

SUPERPROPERTIES: Final[dict[str, tuple[str, ...]]] = {
    "eli:is_part_of": ("lrmoo:R67i_forms_part_of",),
    "sat:versionOf": ("eli:is_member_of", "lrmoo:R10_is_member_of"),
    "sat:hasComponent": ("eli:has_part", "lrmoo:R67_has_part"),
    "sat:previousVersion": ("prov:wasRevisionOf",),
    "sat:producedBy": ("prov:wasGeneratedBy",),
    "sat:hasSource": ("prov:used",),
    "sat:partOfAction": ("crm:P9i_forms_part_of",),
}

# BCP 47 primary language to the EU authority table that eli:language expects.
LANGUAGE_AUTHORITY: Final = "http://publications.europa.eu/resource/authority/language/"
LANGUAGE_CODES: Final[dict[str, str]] = {
    "pt": "POR",
    "en": "ENG",
    "es": "SPA",
    "fr": "FRA",
    "de": "DEU",
    "it": "ITA",
    "ca": "CAT",
    "nl": "NLD",
}
