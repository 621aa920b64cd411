"""Records -> quads, as the data model draws them. No blank node is ever made.

Every entity is typed with its superclasses, and the superproperties of
:mod:`satgraph_rdf.vocabulary` are written beside each property, because consumers do not reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache, lru_cache

import rfc8785
from pyoxigraph import Literal, NamedNode, Quad

from satgraph_rdf.ingest import itemclass
from satgraph_rdf.ingest.metadata import literal, scalars
from satgraph_rdf.ingest.model import (
    ActionRecord,
    ItemRecord,
    Metadata,
    Records,
    RelationRecord,
    SourceInfo,
    Statement,
    TextRecord,
    TypeRecord,
    VersionRecord,
)
from satgraph_rdf.ingest.names import hashed, natural_key, text_id
from satgraph_rdf.terms import IdSpace, Instant, encode
from satgraph_rdf.vocabulary import (
    ACTION_TYPE,
    LANGUAGE_AUTHORITY,
    LANGUAGE_CODES,
    METADATA,
    PREDICATE,
    RDF_JSON,
    RDF_TYPE,
    SUPERCLASSES,
    SUPERPROPERTIES,
    VERSION_KINDS,
    XSD_BOOLEAN,
    XSD_INTEGER,
    iri,
)

_P = lru_cache(maxsize=None)(iri)
_TRUE = Literal("true", datatype=XSD_BOOLEAN)


@cache
def _predicates(name: str) -> tuple[NamedNode, ...]:
    return (iri(name), *(iri(above) for above in SUPERPROPERTIES.get(name, ())))


@cache
def _classes(name: str) -> tuple[NamedNode, ...]:
    return (iri(name), *(iri(above) for above in SUPERCLASSES[name]))


def complete_types(quads: Iterable[Quad], graph: NamedNode) -> list[Quad]:
    """Quads in one graph, with the superclasses of every type in our vocabulary beside it."""
    above = {
        iri(name): [iri(superclass) for superclass in superclasses]
        for name, superclasses in SUPERCLASSES.items()
    }
    found = {Quad(quad.subject, quad.predicate, quad.object, graph): None for quad in quads}
    for quad in list(found):
        if quad.predicate == RDF_TYPE and isinstance(quad.object, NamedNode):
            for superclass in above.get(quad.object, ()):
                found[Quad(quad.subject, RDF_TYPE, superclass, graph)] = None
    return list(found)


def type_name(name: str) -> str:
    """The local name of an action type or predicate: two words are joined (ConstitutionalMutation)."""
    return encode(name.replace(" ", ""))


class Writer:
    """Writes the records of one source into its named graph."""

    def __init__(self, space: IdSpace, records: Records) -> None:
        self.records = records
        self.graph = space.graph(records.info.name)
        self.language = records.info.language
        self._space = space
        self._nodes: dict[str, NamedNode] = {}
        self._instants: dict[Instant, Literal] = {}
        self._out: list[Quad] = []

    def quads(self) -> list[Quad]:
        """All quads of the source."""
        records = self.records
        self._source(records.info)
        for theme in records.themes.values():
            self._concept(theme, "sat:Theme")
        for item_type in records.item_types.values():
            self._concept(item_type, "sat:ItemType")
        for item in records.items.values():
            self._item(item)
        for version in records.versions.values():
            self._version(version)
        for text in records.texts:
            self._text(text)
        for action in records.actions.values():
            self._action(action)
        for relation in records.relations:
            self._relation(relation)
        for statement in records.statements:
            self._statement(statement)
        return self._out

    # Terms -------------------------------------------------------------------------------------

    def _node(self, identifier: str) -> NamedNode:
        node = self._nodes.get(identifier)
        if node is None:
            node = self._nodes[identifier] = self._space.iri(identifier)
        return node

    def _instant(self, instant: Instant) -> Literal:
        literal = self._instants.get(instant)
        if literal is None:
            literal = self._instants[instant] = instant.term
        return literal

    def _type(self, node: NamedNode, name: str) -> None:
        for above in _classes(name):
            self._out.append(Quad(node, RDF_TYPE, above, self.graph))

    def _add(self, node: NamedNode, name: str, value: NamedNode | Literal) -> None:
        for predicate in _predicates(name):
            self._out.append(Quad(node, predicate, value, self.graph))

    def _link(self, node: NamedNode, name: str, identifier: str | None) -> None:
        if identifier is not None:
            self._add(node, name, self._node(identifier))

    def _common(self, node: NamedNode, identifier: str, urn: str | None, url: str | None) -> None:
        self._add(node, "eli:id_local", Literal(identifier))
        if urn is not None:
            self._add(node, "dct:identifier", Literal(urn))
        if url is not None:
            self._add(node, "foaf:page", NamedNode(url))

    def _metadata(self, node: NamedNode, metadata: Metadata | None) -> None:
        if metadata is None:
            return
        text = rfc8785.dumps(metadata).decode("utf-8")
        self._add(node, "sat:metadata", Literal(text, datatype=RDF_JSON))
        if isinstance(metadata, dict):
            for key, value in scalars(metadata):
                self._out.append(Quad(node, NamedNode(METADATA + key), literal(value), self.graph))

    # Entities ----------------------------------------------------------------------------------

    def _source(self, info: SourceInfo) -> None:
        self._add(self.graph, "rdf:type", _P("sat:DataSource"))
        for name, value in (
            ("rdfs:label", info.title or info.name),
            ("dct:publisher", info.publisher),
            ("dct:license", info.license),
            ("dct:source", info.origin),
            ("dct:language", info.language),
        ):
            if value:
                self._add(self.graph, name, Literal(value))
        self._add(self.graph, "sat:complete", Literal(str(info.complete).lower(), datatype=XSD_BOOLEAN))

    def _concept(self, record: TypeRecord, kind: str) -> None:
        node = self._node(record.id)
        self._type(node, kind)
        self._common(node, record.id, record.urn, record.url)
        self._add(node, "skos:prefLabel", Literal(record.label))
        for parent in record.parents:
            self._link(node, "skos:broader", parent)
        for part in record.allowed_parts:
            self._link(node, "sat:allowsPart", part)
        self._metadata(node, record.metadata)

    def _item(self, item: ItemRecord) -> None:
        node = self._node(item.id)
        kind = itemclass.item_class(self.records, item)
        self._type(node, kind)
        self._common(node, item.id, item.urn, item.url)
        label = Literal(item.label, language=self.records.info.label_language)
        self._add(node, "rdfs:label", label)
        self._add(node, "dct:title", label)
        self._link(node, "crm:P2_has_type", item.type)
        if kind != "sat:Item":
            self._link(node, "eli:type_document" if kind == "sat:Norm" else "eli:type_subdivision", item.type)
        self._link(node, "eli:is_part_of", item.parent)
        self._add(node, "sat:position", Literal(item.position or natural_key(item.id)))
        self._add(node, "sat:language", Literal(self.language))
        for theme in item.themes:
            self._link(node, "eli:is_about", theme)
        for alias in item.aliases:
            self._add(node, "sat:aliasId", Literal(alias))
        self._metadata(node, item.metadata)

    def _version(self, version: VersionRecord) -> None:
        node = self._node(version.id)
        item = self.records.items.get(version.item)
        self._type(node, next(name for name in SUPERCLASSES if iri(name) == VERSION_KINDS[version.kind]))
        if item is not None and version.kind != "interpretive":
            kind = itemclass.item_class(self.records, item)
            if kind != "sat:Item":
                self._add(node, "rdf:type", _classes(kind)[2])
        self._common(node, version.id, version.urn, version.url)
        self._link(node, "sat:versionOf", version.item)
        self._add(node, "sat:versionType", Literal(version.kind))
        if version.kind == "interpretive":
            self._link(node, "sat:overlays", version.item)
        self._link(node, "sat:producedBy", version.produced_by)
        self._link(node, "sat:previousVersion", version.previous)
        self._link(node, "sat:continues", version.continues)
        if version.placeholder:
            self._add(node, "sat:placeholder", _TRUE)
        if version.retroactive:
            self._add(node, "sat:retroactive", _TRUE)
        for _, component in version.components:
            self._link(node, "sat:hasComponent", component)
        if version.components:
            order = rfc8785.dumps([item_id for item_id, _ in version.components]).decode("utf-8")
            self._add(node, "sat:componentOrder", Literal(order, datatype=RDF_JSON))
        self._metadata(node, version.metadata)
        for text in version.texts:
            self._text(text)

    def _text(self, text: TextRecord) -> None:
        node = self._node(text.id if text.id is not None else minted_text_id(text))
        canonical = text.aspect == "canonical"
        self._type(node, "sat:CanonicalText" if canonical else "sat:TextUnit")
        self._link(node, "sat:textOf", text.source)
        if canonical and text.source_type == "Version":
            self._link(node, "eli:realizes", text.source)
        self._add(node, "sat:sourceType", Literal(text.source_type))
        self._add(node, "sat:content", Literal(text.content))
        self._add(node, "sat:contentHash", Literal(_content_hash(text.content)))
        self._add(node, "sat:language", Literal(text.language))
        code = LANGUAGE_CODES.get(text.language.split("-")[0].lower())
        if code is not None:
            self._add(node, "eli:language", NamedNode(LANGUAGE_AUTHORITY + code))
        self._add(node, "sat:aspect", Literal(text.aspect))
        self._metadata(node, text.metadata)

    def _action(self, action: ActionRecord) -> None:
        node = self._node(action.id)
        self._type(node, "sat:Action")
        self._add(node, "eli:id_local", Literal(action.id))
        self._add(node, "crm:P2_has_type", NamedNode(ACTION_TYPE + type_name(action.type)))
        self._add(node, "sat:actionType", Literal(action.type))
        self._add(node, "prov:endedAtTime", self._instant(action.event_time))
        self._link(node, "sat:partOfAction", action.parent)
        for source in dict.fromkeys(action.sources):
            self._link(node, "sat:hasSource", source)
        for version in dict.fromkeys(action.produces):
            self._link(node, "sat:produces", version)
        for version in dict.fromkeys(action.terminates):
            self._link(node, "sat:terminates", version)
        for interval, start, until in (
            (action.validity, "sat:effectFrom", "sat:effectUntil"),
            (action.applicability, "sat:applicableFrom", "sat:applicableUntil"),
        ):
            for name, bound in zip((start, until), interval or (), strict=False):
                if bound is not None:
                    self._add(node, name, self._instant(bound))
        self._add(node, "sat:sequence", Literal(str(action.sequence), datatype=XSD_INTEGER))
        self._metadata(node, action.metadata)

    def _relation(self, relation: RelationRecord) -> None:
        name = relation.id
        if name is None:
            name = hashed("relation", relation.source, relation.predicate, relation.target)
        node = self._node(name)
        self._type(node, "sat:Relation")
        self._add(node, "eli:id_local", Literal(name))
        self._link(node, "sat:relationSource", relation.source)
        self._add(node, "sat:predicate", NamedNode(PREDICATE + type_name(relation.predicate)))
        self._link(node, "sat:relationTarget", relation.target)
        for bound, key in zip(relation.interval or (), ("sat:from", "sat:until"), strict=False):
            if bound is not None:
                self._add(node, key, self._instant(bound))
        self._metadata(node, relation.metadata)

    def _statement(self, statement: Statement) -> None:
        timeline = f"{'validity' * statement.validity} {'applicability' * statement.applicability}"
        name = hashed(
            "statement",
            statement.version,
            timeline,
            str(statement.start),
            str(statement.until),
            str(statement.known_from),
        )
        node = self._node(name)
        self._type(node, "sat:IntervalStatement")
        self._link(node, "sat:statementVersion", statement.version)
        if statement.validity:
            self._link(node, "sat:validityOf", statement.item)
        if statement.applicability:
            self._link(node, "sat:applicabilityOf", statement.item)
            if not statement.validity:
                self._link(node, "sat:applicabilityVersion", statement.version)
        self._add(node, "sat:from", self._instant(statement.start))
        self._add(node, "sat:until", self._instant(statement.until))
        self._add(node, "sat:knownFrom", self._instant(statement.known_from))
        self._add(node, "sat:knownUntil", self._instant(statement.known_until))
        self._link(node, "sat:startedBy", statement.started_by)
        self._link(node, "sat:endedBy", statement.ended_by)
        self._link(node, "sat:assertedBy", statement.asserted_by)


@lru_cache(maxsize=65536)
def _content_hash(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


def minted_text_id(text: TextRecord) -> str:
    """The id of a text that its source does not name."""
    if text.aspect == "canonical" and text.source_type == "Version":
        return text_id(text.source, text.language)
    return hashed("text", text.source, text.aspect, text.language, text.content)
