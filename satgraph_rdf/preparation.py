"""One source of a load: read, painted, written as quads, its ids checked. Nothing of the store is touched."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import NamedNode, Quad

from satgraph_rdf.ingest.adapters import choose
from satgraph_rdf.ingest.itemclass import declare_types
from satgraph_rdf.ingest.model import Finding, Records, SourceInfo
from satgraph_rdf.ingest.paint import Painter
from satgraph_rdf.ingest.write import Writer as QuadWriter
from satgraph_rdf.ingest.write import complete_types
from satgraph_rdf.revisions import SourceEntry
from satgraph_rdf.terms import IdSpace, check_id


@dataclass(frozen=True)
class Request:
    """One source to load: its path, and what the caller says instead of its file."""

    path: Path
    adapter: str | None = None
    name: str | None = None
    overlay: str | None = None
    title: str = ""
    publisher: str = ""
    license: str = ""


@dataclass
class Prepared:
    """A source read, painted and written as quads."""

    entry: SourceEntry
    quads: list[Quad]
    records: Records


def prepare(request: Request, space: IdSpace) -> tuple[Prepared | None, list[Finding]]:
    """Read one source. Its findings are prefixed by nothing: their places name the file."""
    adapter = choose(request.path, request.adapter)
    info = SourceInfo(
        check_id(request.name or _stem(request.path), "source"),
        title=request.title,
        publisher=request.publisher,
        license=request.license,
        overlays=request.overlay,
    )
    draft = adapter.read(request.path, info)
    records = draft.records
    if any(records.violations()):
        return None, records.findings
    if draft.quads is not None:
        graph = space.graph(info.name)
        quads = complete_types(draft.quads, graph)
        _check_iris(quads, records, space)
        if any(records.violations()):
            return None, records.findings
    else:
        painter = Painter(records)
        painter.paint(draft.acts)
        draft.settle(painter)
        _check_ids(records, space, painter.derived)
        declare_types(records)
        if any(records.violations()):
            return None, records.findings
        quads = QuadWriter(space, records).quads()
    counts = {
        "items": len(records.items),
        "versions": len(records.versions),
        "actions": len(records.actions),
        "statements": len(records.statements),
        "quads": len(quads),
    }
    entry = SourceEntry(
        name=info.name,
        graph=space.graph(info.name).value,
        adapter=adapter.name,
        files=_hashes(request.path),
        title=info.title,
        publisher=info.publisher,
        license=info.license,
        origin=info.origin,
        language=info.language,
        complete=info.complete,
        legal_zone=info.legal_zone,
        period=info.period,
        gaps=info.gaps,
        overlays=request.overlay,
        counts=counts,
    )
    return Prepared(entry, quads, records), records.findings


def _stem(path: Path) -> str:
    """The name of a file without its suffix (``.tar.xz`` is one); of a folder, its name."""
    name = path.name if path.is_dir() else path.stem
    return name.removesuffix(".tar") or "source"


def _check_iris(quads: list[Quad], records: Records, space: IdSpace) -> None:
    """An IRI under the base must be the one its id has, or nothing could reach it."""
    for node in sorted({str(quad.subject.value) for quad in quads if isinstance(quad.subject, NamedNode)}):
        if not node.startswith(space.prefix):
            continue
        try:
            canonical = space.iri(space.id(node)).value
        except UnicodeDecodeError:
            canonical = "no id at all"
        if canonical != node:
            message = f"Not the IRI of an id of this store; canonical is {canonical}."
            records.report("violation", "ID_INVALID", message, node)


def _check_ids(records: Records, space: IdSpace, derived: set[str]) -> None:
    """No id may take the place of another kind of thing (data model, "Identifiers")."""
    stated = [*records.items, *records.themes, *records.item_types]
    stated += [text.id for text in records.texts if text.id is not None]
    stated += [relation.id for relation in records.relations if relation.id is not None]
    minted = [*records.versions, *records.actions]
    for names, allowed in ((stated, False), (minted, True)):
        for name in names:
            reason = space.loadable(name, minted=allowed and name not in records.places)
            if reason is not None and name not in derived:
                code = "RESERVED_ID" if "fixed segment" in reason else "ID_INVALID"
                place = records.places.get(name, "")
                records.report("violation", code, f"The id {name!r} {reason}.", name, place)


def _hashes(path: Path) -> dict[str, str]:
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return {
        str(file.relative_to(path)) if path.is_dir() else file.name: hashlib.sha256(
            file.read_bytes()
        ).hexdigest()
        for file in files
    }
