"""Neutral records: what every adapter produces and nothing of any format.

Records hold ids, never IRIs, and instants, never text dates. An adapter gives *acts* (what was
done, when, to which items) and leaves the rest, intervals seen by each observer and the versions of
containers, to the painter (:mod:`satgraph_rdf.ingest.paint`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from satgraph_rdf.terms import Instant

Metadata = dict[str, Any]
Severity = Literal["violation", "warning", "info"]
Kind = Literal["statutory", "interpretive", "documentary"]


@dataclass(slots=True)
class Finding:
    """One line of a load report: a stable code, where, and what was done about it."""

    severity: Severity
    code: str
    message: str
    subject: str = ""
    place: str = ""

    def as_dict(self) -> dict[str, str]:
        """The finding as a JSON object."""
        return {
            "severity": self.severity,
            "code": self.code,
            "subject": self.subject,
            "place": self.place,
            "message": self.message,
        }


@dataclass(slots=True)
class TypeRecord:
    """An ItemType or a Theme (SAT-Graph API 1.0.0, schemas ItemType and Theme)."""

    id: str
    label: str
    parents: list[str] = field(default_factory=list)
    allowed_parts: list[str] = field(default_factory=list)
    urn: str | None = None
    url: str | None = None
    metadata: Metadata | None = None


@dataclass(slots=True)
class ItemRecord:
    """An Item: a norm, a part of one, or anything else that has versions."""

    id: str
    type: str
    label: str
    parent: str | None = None
    urn: str | None = None
    url: str | None = None
    metadata: Metadata | None = None
    themes: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    position: str | None = None


@dataclass(slots=True)
class TextRecord:
    """A TextUnit. ``id`` is None where the writer mints it."""

    source: str
    source_type: str
    language: str
    aspect: str
    content: str
    id: str | None = None
    metadata: Metadata | None = None


@dataclass(slots=True)
class VersionRecord:
    """A Version: the texts and, for a container, the components it has for ever.

    ``components`` are (item id, version id) in document order; the painter fills them.
    ``retroactive``: its act became known after the version takes effect.
    ``placeholder``: prints a note of repeal and is never in force.
    """

    id: str
    item: str
    kind: Kind
    texts: list[TextRecord] = field(default_factory=list)
    components: tuple[tuple[str, str], ...] = ()
    placeholder: bool = False
    retroactive: bool = False
    produced_by: str | None = None
    previous: str | None = None
    continues: str | None = None
    urn: str | None = None
    url: str | None = None
    metadata: Metadata | None = None


@dataclass(slots=True)
class ActionRecord:
    """An Action. ``produces`` and ``terminates`` grow by the container versions the painter makes."""

    id: str
    type: str
    event_time: Instant
    sources: list[str] = field(default_factory=list)
    parent: str | None = None
    produces: list[str] = field(default_factory=list)
    terminates: list[str] = field(default_factory=list)
    validity: tuple[Instant | None, Instant | None] | None = None
    applicability: tuple[Instant | None, Instant | None] | None = None
    sequence: int = 1
    metadata: Metadata | None = None


@dataclass(slots=True)
class RelationRecord:
    """A directed, typed link between two entities. ``id`` is None where the writer mints it."""

    source: str
    source_type: str
    predicate: str
    target: str
    target_type: str
    id: str | None = None
    interval: tuple[Instant | None, Instant | None] | None = None
    metadata: Metadata | None = None


@dataclass(slots=True)
class Statement:
    """What observers from ``known_from`` to ``known_until`` see of one version's interval."""

    version: str
    item: str
    start: Instant
    until: Instant
    known_from: Instant
    known_until: Instant
    validity: bool
    applicability: bool
    started_by: str | None = None
    ended_by: str | None = None
    asserted_by: str | None = None


@dataclass(slots=True)
class SourceInfo:
    """What a data source declares about itself (data model, "Data sources")."""

    name: str
    title: str = ""
    publisher: str = ""
    license: str = ""
    origin: str = ""
    language: str = "und"
    label_language: str | None = None
    """of the labels, where the source declares it; never guessed from the texts"""
    complete: bool = False
    legal_zone: str | None = None
    period: tuple[str | None, str | None] = (None, None)
    gaps: str = ""
    overlays: str | None = None


@dataclass(slots=True)
class Records:
    """Everything one source says, ready to be written."""

    info: SourceInfo
    items: dict[str, ItemRecord] = field(default_factory=dict)
    versions: dict[str, VersionRecord] = field(default_factory=dict)
    actions: dict[str, ActionRecord] = field(default_factory=dict)
    texts: list[TextRecord] = field(default_factory=list)
    relations: list[RelationRecord] = field(default_factory=list)
    themes: dict[str, TypeRecord] = field(default_factory=dict)
    item_types: dict[str, TypeRecord] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """id -> where in the input it stands"""
    externals: dict[str, str] = field(default_factory=dict)
    """id -> place: what an overlay refers to and the overlaid source must hold"""

    def report(self, severity: Severity, code: str, message: str, subject: str = "", place: str = "") -> None:
        """Add a line to the load report."""
        self.findings.append(Finding(severity, code, message, subject, place))

    def violations(self) -> Iterable[Finding]:
        """The findings that refuse the load."""
        return (finding for finding in self.findings if finding.severity == "violation")
