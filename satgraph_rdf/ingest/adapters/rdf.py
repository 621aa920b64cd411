"""Adapter ``rdf``: Turtle, TriG, N-Triples or N-Quads in our own vocabulary, taken as it is.

Everything goes into the graph of the source. Blank nodes are refused, and so is every instant that
is not a zoned ``xsd:dateTime``: it would silently drop out of a comparison.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, parse

from satgraph_rdf.errors import InvalidParameter, LoadRefused
from satgraph_rdf.ingest.adapters.contract import Draft
from satgraph_rdf.ingest.model import Records, SourceInfo
from satgraph_rdf.terms import OPEN_TEXT, Instant
from satgraph_rdf.vocabulary import XSD_DATE_TIME, iri

NAME: Final = "rdf"
_FORMATS: Final = {
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
}
_INSTANTS: Final = frozenset(
    iri(name)
    for name in (
        "sat:from", "sat:until", "sat:knownFrom", "sat:knownUntil", "sat:effectFrom", "sat:effectUntil",
        "sat:applicableFrom", "sat:applicableUntil", "sat:earliest", "sat:latest", "prov:endedAtTime",
    )
)  # fmt: skip


def recognises(path: Path) -> bool:
    """A file with the suffix of an RDF format."""
    return path.is_file() and path.suffix in _FORMATS


def read(path: Path, info: SourceInfo) -> Draft:
    """The quads of one file."""
    if path.suffix not in _FORMATS or not path.is_file():
        raise LoadRefused(f"{path}: not a file with a suffix of RDF: {', '.join(_FORMATS)}.")
    records = Records(info)
    quads: list[Quad] = []
    try:
        quads.extend(
            _checked(quad, records, path) for quad in parse(path=str(path), format=_FORMATS[path.suffix])
        )
    except (SyntaxError, ValueError) as fault:
        line = getattr(fault, "lineno", None)
        place = f"{path}:{line}" if line is not None else str(path)
        raise LoadRefused(f"{place}: {fault.msg if isinstance(fault, SyntaxError) else fault}.") from None
    return Draft(records, quads=quads)


def _checked(quad: Quad, records: Records, path: Path) -> Quad:
    subject, value = quad.subject, quad.object
    place = f"{path.name}: {subject} {quad.predicate}"
    if isinstance(subject, BlankNode) or isinstance(value, BlankNode):
        records.report("violation", "BLANK_NODE", "A blank node; give it an IRI.", str(subject), place)
    elif not isinstance(subject, NamedNode) or not isinstance(value, NamedNode | Literal):
        records.report("violation", "TERM_KIND", "Only IRIs and literals are accepted.", str(subject), place)
    elif quad.predicate in _INSTANTS:
        _check_instant(value, records, subject.value, place)
    return quad


def _check_instant(value: NamedNode | Literal, records: Records, subject: str, place: str) -> None:
    if not isinstance(value, Literal) or value.datatype != XSD_DATE_TIME:
        records.report(
            "violation",
            "INSTANT_INVALID",
            f"An xsd:dateTime with offset is expected; got {value}.",
            subject,
            place,
        )
        return
    if value.value == OPEN_TEXT:
        return
    try:
        instant = Instant.parse(value.value, "instant")
    except InvalidParameter as fault:
        records.report("violation", "INSTANT_INVALID", fault.message, subject, place)
        return
    if "T" not in value.value or str(instant) != value.value:
        message = f"Not in canonical UTC form: {value.value} should be {instant}."
        records.report("violation", "INSTANT_INVALID", message, subject, place)
