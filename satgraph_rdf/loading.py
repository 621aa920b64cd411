"""Conducts a load: read, paint, write, gate, publish. All or nothing.

Nothing is loaded if any source is at fault; the report then names every fault found. Loading a
source name that exists replaces that source in the new revision; the same content makes no new one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode

from satgraph_rdf import __version__
from satgraph_rdf.errors import InvalidParameter, LoadRefused
from satgraph_rdf.gate.check import check
from satgraph_rdf.gate.report import turtle
from satgraph_rdf.ingest.model import Finding
from satgraph_rdf.load_report import Report, finding
from satgraph_rdf.ownership import External, external_faults, ownership_faults
from satgraph_rdf.preparation import Prepared, Request, prepare
from satgraph_rdf.resources import resource
from satgraph_rdf.revisions import FORMAT, Manifest, Revisions, SourceEntry, Writer, content_identity
from satgraph_rdf.store.embedded import EmbeddedStore
from satgraph_rdf.terms import IdSpace, Instant

DEFAULT_BASE: Final = "https://w3id.org/sat-graph/data/"

Progress = Callable[[str, int, int], None]
"""(what is being done, step, steps)"""


def load(
    folder: Path,
    requests: Sequence[Request],
    now: Instant,
    base: str | None = None,
    dry_run: bool = False,
    on_step: Callable[[str], None] = lambda _step: None,
    progress: Progress = lambda _what, _step, _steps: None,
) -> Report:
    """Load sources into the store in ``folder`` as one new revision.

    Raises :class:`LoadRefused` with all findings if anything is at fault; the store is then as it was.
    """
    revisions = Revisions(folder)
    steps = len(requests) + 4
    with revisions.write("a load", on_step) as writer:
        space = _space(writer, base)
        prepared: list[Prepared] = []
        findings: list[Finding] = []
        for step, request in enumerate(requests):
            progress(f"reading {request.path.name}", step, steps)
            made, found = prepare(request, space)
            findings.extend(found)
            if made is not None:
                prepared.append(made)
        _refuse(findings)
        _check_names(prepared)
        on_step("before write")
        progress("writing", steps - 4, steps)
        store = writer.checkpoint()
        names = {source.entry.name for source in prepared}
        loaded = writer.parent.sources if writer.parent else []
        kept = [entry for entry in loaded if entry.name not in names]
        for source in prepared:
            graph = NamedNode(source.entry.graph)
            store.clear(graph)
            store.insert(source.quads)
            on_step("mid write")
        entries = sorted([*kept, *(source.entry for source in prepared)], key=lambda entry: entry.name)
        report = Report(
            None, writer.parent.revision if writer.parent else None, swept=writer.swept, findings=findings
        )
        report.sources = [asdict(source.entry) for source in prepared]
        findings.extend(
            Finding(
                "info", "SOURCE_REPLACED", "A source of this name was loaded; it is replaced.", entry.name
            )
            for entry in loaded
            if entry.name in names
        )
        report.dry_run = dry_run
        _check_overlays(prepared, entries)
        externals = [
            External(name, place, space.graph(str(source.entry.overlays)))
            for source in prepared
            for name, place in source.records.externals.items()
        ]
        return _finish(writer, store, entries, space, now, report, progress, steps, externals)


def unload(
    folder: Path, name: str, now: Instant, progress: Progress = lambda _what, _step, _steps: None
) -> Report:
    """Remove a source in a new revision."""
    revisions = Revisions(folder)
    with revisions.write("an unload") as writer:
        entry = writer.parent.source(name) if writer.parent is not None else None
        if writer.parent is None or entry is None:
            known = ", ".join(source.name for source in writer.parent.sources) if writer.parent else ""
            raise InvalidParameter(f"No source is called {name!r}; loaded are: {known or 'none'}.")
        if dependent := [s.name for s in writer.parent.sources if s.overlays == name]:
            raise InvalidParameter(
                f"Source {name!r} is overlaid by {', '.join(dependent)}; unload that first."
            )
        store = writer.checkpoint()
        store.clear(NamedNode(entry.graph))
        entries = [source for source in writer.parent.sources if source.name != name]
        report = Report(None, writer.parent.revision, swept=writer.swept)
        return _finish(writer, store, entries, IdSpace(writer.parent.base), now, report, progress, 4)


def _space(writer: Writer, base: str | None) -> IdSpace:
    if writer.parent is None:
        return IdSpace(base or DEFAULT_BASE)
    if base is not None and base != writer.parent.base:
        raise InvalidParameter(
            f"The base IRI of this store is {writer.parent.base}; it cannot become {base}."
        )
    return IdSpace(writer.parent.base)


def _refuse(findings: list[Finding]) -> None:
    faults = [finding for finding in findings if finding.severity == "violation"]
    if faults:
        first = faults[0]
        where = f" ({first.place})" if first.place else ""
        raise LoadRefused(
            f"Nothing was loaded: {len(faults)} fault(s), the first {first.code}{where}: {first.message}",
            [finding.as_dict() for finding in findings],
        )


def _check_names(prepared: list[Prepared]) -> None:
    seen: set[str] = set()
    for source in prepared:
        if source.entry.name in seen:
            raise InvalidParameter(
                f"Two of the given sources would be named {source.entry.name!r}; use --source."
            )
        seen.add(source.entry.name)


def _check_overlays(prepared: list[Prepared], entries: list[SourceEntry]) -> None:
    names = {entry.name for entry in entries}
    for source in prepared:
        overlaid = source.entry.overlays
        if overlaid is not None and (overlaid not in names or overlaid == source.entry.name):
            known = ", ".join(sorted(names - {source.entry.name})) or "none"
            raise InvalidParameter(
                f"--overlay names {overlaid!r}, which is not another loaded source: {known}."
            )


def _finish(
    writer: Writer,
    store: EmbeddedStore,
    entries: list[SourceEntry],
    space: IdSpace,
    now: Instant,
    report: Report,
    progress: Progress,
    steps: int,
    externals: Sequence[External] = (),
) -> Report:
    """Gate, hash and publish; the store must not be held open when the folder is renamed."""
    progress("checking", steps - 3, steps)
    report.findings.extend(ownership_faults(store, entries, space))
    report.findings.extend(external_faults(store, externals, space))
    violations = check(store, [NamedNode(entry.graph) for entry in entries], resource("shapes"))
    report.findings.extend(finding(violation, space) for violation in violations)
    _refuse(report.findings)
    writer.add_file("report.ttl", turtle(violations))
    progress("hashing", steps - 2, steps)
    content_hash, digest, quads = content_identity(store)
    if report.dry_run or (writer.parent is not None and _same(writer.parent, content_hash, entries)):
        report.unchanged = not report.dry_run
        report.revision = None if report.dry_run else report.previous
        return report
    progress("publishing", steps - 1, steps)
    zones = {entry.legal_zone for entry in entries if entry.legal_zone is not None}
    if len(zones) > 1:
        message = (
            f"The sources declare {', '.join(sorted(zones))}: 'now' is UTC where a call names no instant."
        )
        report.findings.append(Finding("warning", "ZONES_DIFFER", message))

    def make(name: str) -> Manifest:
        return Manifest(
            revision=name,
            number=writer.number,
            parent=report.previous,
            format=FORMAT,
            base=space.base,
            content_hash=content_hash,
            digest=digest,
            quads=quads,
            sources=entries,
            ontology=_folder_hash(resource("ontology")),
            shapes=_folder_hash(resource("shapes")),
            tool=f"satgraph-rdf {__version__}",
            loaded=str(now),
            legal_zone=zones.pop() if len(zones) == 1 else "UTC",
        )

    report.revision = writer.publish(make, content_hash).revision
    return report


def _same(parent: Manifest, content_hash: str, entries: list[SourceEntry]) -> bool:
    """Same quads and same sources: file hashes and counts do not make a new revision."""
    plain = [replace(entry, files={}, counts={}) for entry in entries]
    return parent.content_hash == content_hash and plain == [
        replace(entry, files={}, counts={}) for entry in parent.sources
    ]


def _folder_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
