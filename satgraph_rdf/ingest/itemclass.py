"""The class of an Item by its type: norm, component, or neither (data model, "Classes").

The vocabulary of item types maps the known ones. An unknown type is a component if its parent is one
or is a norm, or if its id has a LexML fragment of a statute; everything else is a plain Item.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pyoxigraph import RdfFormat, parse

from satgraph_rdf.ingest.model import ItemRecord, Records, TypeRecord
from satgraph_rdf.resources import resource
from satgraph_rdf.vocabulary import iri

_CLASSES: Final = {
    "norm": "sat:Norm",
    "component": "sat:Component",
    "case-law": "sat:Item",
    "concept": "sat:Item",
}


@cache
def known_types() -> dict[str, TypeRecord]:
    """The item types of ``ontology/vocabularies/item-types.ttl`` by API id (skos:notation)."""
    path = resource("ontology") / "vocabularies" / "item-types.ttl"
    notation: dict[str, str] = {}
    labels: dict[str, str] = {}
    broader: dict[str, list[str]] = {}
    for quad in parse(path=str(path), format=RdfFormat.TURTLE):
        subject: str = str(quad.subject)
        value: Any = quad.object
        if quad.predicate == iri("skos:notation"):
            notation[subject] = value.value
        elif quad.predicate == iri("skos:prefLabel") and value.language == "en":
            labels[subject] = value.value
        elif quad.predicate == iri("skos:broader"):
            broader.setdefault(subject, []).append(str(value))
    return {
        name: TypeRecord(name, labels.get(node, name), [notation[b] for b in broader.get(node, ())])
        for node, name in notation.items()
    }


def _class_of_type(records: Records, name: str) -> str | None:
    waiting, seen = [name], set()
    while waiting:
        current = waiting.pop()
        if current in _CLASSES:
            return _CLASSES[current]
        if current in seen:
            continue
        seen.add(current)
        record = records.item_types.get(current) or known_types().get(current)
        waiting.extend(record.parents if record is not None else ())
    return None


def item_class(records: Records, item: ItemRecord) -> str:
    """``sat:Norm``, ``sat:Component`` or ``sat:Item``."""
    current: ItemRecord | None = item
    while current is not None:
        known = _class_of_type(records, current.type)
        if known is not None:
            return "sat:Component" if known == "sat:Norm" and current is not item else known
        if "!" in current.id and current.id.startswith("urn:lex:"):
            return "sat:Component"
        current = records.items.get(current.parent) if current.parent is not None else None
    return "sat:Item"


def declare_types(records: Records) -> None:
    """Add the item types in use and their broader ones; an undeclared one is created and reported."""
    waiting = sorted({item.type for item in records.items.values()} | set(records.item_types))
    while waiting:
        name = waiting.pop()
        record = records.item_types.get(name) or known_types().get(name)
        if record is None:
            record = TypeRecord(name, name)
            records.report(
                "warning", "ITEM_TYPE_UNDECLARED", "Created as an item type with label = id.", name
            )
        if name not in records.item_types:
            records.item_types[name] = record
        waiting.extend(parent for parent in record.parents if parent not in records.item_types)
