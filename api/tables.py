"""What the command line prints for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from satgraph_rdf import __version__
from satgraph_rdf.errors import NoRevision
from satgraph_rdf.load_report import Report
from satgraph_rdf.revisions import FORMAT, Revisions

_FEW: Final = 6
"""Up to so many entities are shown in full."""


def finding_line(finding: Mapping[str, str]) -> str:
    """One line of a load report."""
    place = f" [{finding['place']}]" if finding.get("place") else ""
    subject = f" {finding['subject']}" if finding.get("subject") else ""
    return f"{finding['severity']:9} {finding['code']}{subject}: {finding['message']}{place}"


def report_lines(report: Report) -> list[str]:
    """A load report: what was found, then what became of it."""
    lines = [finding_line(finding.as_dict()) for finding in report.findings if finding.severity != "info"]
    lines += [f"{count} x {code}" for code, count in report.codes().items()]
    for entry in report.sources:
        counts = ", ".join(f"{count} {name}" for name, count in entry["counts"].items())
        lines.append(f"source {entry['name']} ({entry['adapter']}): {counts}")
    lines += [f"swept a half-made folder of an interrupted load: {name}" for name in report.swept]
    if report.dry_run:
        lines.append("dry run: nothing was published")
    elif report.unchanged:
        lines.append(f"same content as revision {report.revision}: no new revision")
    else:
        lines.append(f"published revision {report.revision}")
    return lines


def status(revisions: Revisions) -> dict[str, Any]:
    """What a store holds."""
    found: dict[str, Any] = {
        "store": str(revisions.folder),
        "tool": __version__,
        "format": FORMAT,
        "revision": revisions.current(),
        "writer": revisions.holder(),
        "halfMade": revisions.half_made(),
        "revisions": len(revisions.published()),
        "bytes": sum(path.stat().st_size for path in _files(revisions.folder)),
        "indexes": [],
    }
    try:
        manifest = revisions.manifest()
    except NoRevision:
        return found
    found |= {
        "base": manifest.base,
        "quads": manifest.quads,
        "digest": manifest.digest,
        "loaded": manifest.loaded,
        "sources": [{"name": s.name, "adapter": s.adapter, **s.counts} for s in manifest.sources],
    }
    return found


def _files(folder: Path) -> list[Path]:
    seen: dict[tuple[int, int], Path] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            stat = path.stat()
            seen[stat.st_dev, stat.st_ino] = path  # revisions share files
    return list(seen.values())


def status_lines(found: Mapping[str, Any]) -> list[str]:
    """The status as lines of text."""
    lines = []
    for name, value in found.items():
        if name == "sources":
            lines += [f"source     {json.dumps(source, ensure_ascii=False)}" for source in value]
        else:
            shown = "none" if value in (None, []) else value
            lines.append(f"{name:10} {shown}")
    return lines


def table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table with the keys of the first row as columns."""
    made = Table(show_edge=False, header_style="bold")
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        made.add_column(name, overflow="fold")
    for row in rows:
        made.add_row(*(_cell(row.get(name)) for name in names))
    return made


def answer_tables(value: Any) -> list[Table]:
    """An answer as tables: a few entities one below the other, many as rows."""
    if isinstance(value, dict) and "rows" in value:
        return [table([{"label": row["label"], "content": row["content"]} for row in value["rows"]])]
    entities = value if isinstance(value, list) else [value]
    if entities and isinstance(entities[0], dict):
        if len(entities) <= _FEW:
            return [
                table([{"field": name, "value": entry} for name, entry in entity.items()])
                for entity in entities
            ]
        return [table(entities)]
    return [table([{"id": entity} for entity in entities])]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list) and len(value) == 2 and all(v is None or str(v).endswith("Z") for v in value):
        return f"[{value[0]}, {value[1] or 'open'})"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("[", "\\[")
