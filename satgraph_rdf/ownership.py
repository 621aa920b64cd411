"""Who owns an entity: the source whose graph types it (data model, "Data sources").

An id owned by one source is refused in a second one, unless that one is loaded as an overlay of the
first; an overlay may add, and may end nothing of the owner's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyoxigraph import NamedNode

from satgraph_rdf.binding import Template
from satgraph_rdf.ingest.model import Finding
from satgraph_rdf.revisions import SourceEntry
from satgraph_rdf.store import Store
from satgraph_rdf.terms import IdSpace

# Item types are shared vocabulary: two sources that both use "article" do not own it.
_OWNED = Template.cut(
    """
    PREFIX sat: <https://w3id.org/sat-graph/ns#>
    SELECT DISTINCT ?entity ?graph WHERE {
      VALUES ?class { sat:Item sat:Version sat:TextUnit sat:Action sat:Relation sat:Theme }
      GRAPH ?graph { ?entity a ?class }
      GRAPH ?other { ?entity a ?class }
      FILTER(?graph != ?other)
    }
    ORDER BY ?entity ?graph
    """
)
_ENDED = Template.cut(
    """
    PREFIX sat: <https://w3id.org/sat-graph/ns#>
    SELECT DISTINCT ?action ?graph ?version ?owner WHERE {
      GRAPH ?graph { ?action a sat:Action ; sat:terminates ?version }
      GRAPH ?owner { ?version a sat:Version }
      FILTER(?graph != ?owner)
    }
    ORDER BY ?action ?version
    """
)


_THERE = Template.cut(
    """
    PREFIX sat: <https://w3id.org/sat-graph/ns#>
    SELECT DISTINCT ?entity WHERE {
      VALUES ?entity { $ids }
      VALUES ?class { sat:Item sat:Version sat:Action sat:Theme sat:Relation sat:ItemType }
      ?entity a ?class
    }
    """
)


class External(NamedTuple):
    """What an overlay refers to: an id, where it says so, and the graph that must hold it."""

    id: str
    place: str
    graph: NamedNode


def external_faults(store: Store, externals: Sequence[External], space: IdSpace) -> list[Finding]:
    """One finding for each reference of an overlay that leads nowhere in the overlaid source."""
    findings: list[Finding] = []
    for graph in {external.graph for external in externals}:
        asked = [external for external in externals if external.graph == graph]
        ids = [space.iri(external.id) for external in asked]
        found = {row[0] for row in store.select(_THERE.bind({"ids": ids}), [graph]).rows}
        findings.extend(
            Finding(
                "violation",
                "UNKNOWN_REFERENCE",
                f"{external.id!r} is neither in the document nor in the source it overlays.",
                external.id,
                external.place,
            )
            for external in asked
            if space.iri(external.id) not in found
        )
    return findings


def ownership_faults(store: Store, entries: Sequence[SourceEntry], space: IdSpace) -> list[Finding]:
    """One finding for each id that two sources own, and each ending across sources."""
    if len(entries) < 2:
        return []
    names = {entry.graph: entry.name for entry in entries}
    graphs = [space.graph(entry.name) for entry in entries]
    owners: dict[str, list[str]] = {}
    for entity, graph in store.select(_OWNED.bind({}), graphs).rows:
        if entity is not None and graph is not None:
            owners.setdefault(entity.value, []).append(names[graph.value])
    findings = [
        Finding(
            "violation",
            "DUPLICATE_ID",
            f"Owned by the sources {' and '.join(owned)}; an id has one owner (--overlay adds to another).",
            space.id(entity),
        )
        for entity, owned in owners.items()
    ]
    for action, graph, version, owner in store.select(_ENDED.bind({}), graphs).rows:
        if action is not None and graph is not None and version is not None and owner is not None:
            findings.append(
                Finding(
                    "violation",
                    "FOREIGN_TERMINATION",
                    f"{space.id(action.value)!r} of source {names[graph.value]!r} ends this version of "
                    f"source {names[owner.value]!r}; only the owner's actions may.",
                    space.id(version.value),
                )
            )
    return findings
