"""Adapter ``cf88``: dated CSV snapshots of the Brazilian Constitution.

One file a date, ``YYYYMMDD_NAMES.csv``, columns ``classe,texto,titulo,capitulo,secao,subsecao,artigo,
paragrafo,inciso,alinea`` with ``NA`` for none, rows in document order; NAMES are the amendments
(``EMC26``, ``EMR1``) joined by ``_``. Ids are LexML: an item is its legal path, ``artN`` has no text
and ``artN_cpt`` has it, a sole paragraph and § 1 are one item named by the first form seen.
"""

from __future__ import annotations

import csv
import io
import lzma
import re
import tarfile
from collections.abc import Iterator
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from satgraph_rdf.errors import LoadRefused
from satgraph_rdf.ingest.adapters.contract import Draft
from satgraph_rdf.ingest.model import ItemRecord, Records, SourceInfo
from satgraph_rdf.ingest.outline import AmendingAct, Node, Outline, OutlineSeries, settle
from satgraph_rdf.terms import Instant

NAME: Final = "cf88"
WORK: Final = "urn:lex:br:federal:constituicao:1988-10-05;1988"
_COLUMNS: Final = (
    "classe", "texto", "titulo", "capitulo", "secao", "subsecao", "artigo", "paragrafo", "inciso", "alinea",
)  # fmt: skip
_FILE: Final = re.compile(r"(\d{8})_(ORIGINAL|EM[CR]\d+(?:_EM[CR]\d+)*)\.csv")
_NUMBER: Final = re.compile(r"(\d+)(?:-([A-Z]))?")
_NOTE: Final = re.compile(
    r"(?:\S+ ?\S*\s+)??(?:Parágrafo único\. )?\((?:revogad|vetad)[oa]s?\)[.;]?", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"Art\. \d+[º°]?(?:-[A-Z])?|Parágrafo único|§ \d+[º°]?(?:-[A-Z])?|[IVXLCDM]+(?:-[A-Z])?(?= )|[a-z]{1,2}\)"
)
_HEADINGS: Final = (("tit", "title"), ("cap", "chapter"), ("sec", "section"), ("sub", "subsection"))
_TYPES: Final = {"artigo": "article-caput", "paragrafo": "paragraph", "inciso": "item", "alinea": "letter"}
_TRANSITIONAL: Final = "10"


def recognises(path: Path) -> bool:
    """A folder of snapshots, or the archive of one."""
    if path.is_dir():
        return any(_FILE.fullmatch(entry.name) for entry in path.glob("**/*.csv"))
    return path.name.endswith((".tar.xz", ".tar.gz", ".tar")) and "snapshots" in path.name


def read(path: Path, info: SourceInfo) -> Draft:
    """The records and acts of a folder (or archive) of snapshots."""
    info.language = "pt-BR" if info.language == "und" else info.language
    info.label_language = info.language
    info.complete = True
    info.title = info.title or "Constituição da República Federativa do Brasil de 1988"
    info.legal_zone = "America/Sao_Paulo"
    records = Records(info)
    try:
        files = sorted(_files(path))
    except (OSError, EOFError, tarfile.TarError, lzma.LZMAError) as fault:
        raise LoadRefused(f"{path}: not a readable folder or archive of snapshots: {fault}.") from None
    for (first, _), (second, _) in pairwise(files):
        if first[:8] == second[:8]:
            message = f"{first} and {second} are of one date; acts of one date share a file."
            records.report("violation", "CSV_DATE_REPEATED", message, place=second)
    outlines = [_outline(name, text, records) for name, text in files]
    if not outlines:
        raise LoadRefused(f"{path}: no file named YYYYMMDD_NAMES.csv; that is the form of the cf88 adapter.")
    info.period = (str(outlines[0].date), None)
    work = ItemRecord(
        WORK,
        "constitution",
        "Constituição da República Federativa do Brasil de 1988",
        urn=WORK,
        url=f"https://normas.leg.br/?urn={WORK}",
    )
    if any(records.violations()):
        return Draft(records)
    return Draft(
        records, OutlineSeries(records, work).acts(_settle_aliases(outlines)), partial(settle, records)
    )


def _files(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        for entry in path.glob("**/*.csv"):
            yield entry.name, _decode(entry.read_bytes(), entry.name)
        return
    with tarfile.open(path) as archive:
        for member in archive:
            name = member.name.rsplit("/", 1)[-1]
            content = archive.extractfile(member) if member.isfile() and name.endswith(".csv") else None
            if content is not None:
                yield name, _decode(content.read(), name)


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise LoadRefused(f"{name}: not UTF-8 at byte {fault.start}.") from None


def _outline(name: str, text: str, records: Records) -> Outline:
    match = _FILE.fullmatch(name)
    day = _day(match.group(1)) if match else None
    if match is None or day is None:
        records.report(
            "violation",
            "CSV_FILE_NAME",
            "The name must be YYYYMMDD_NAMES.csv with a possible date.",
            place=name,
        )
        return Outline(Instant.of_day(date(1, 1, 1)), [])
    acts = [] if match.group(2) == "ORIGINAL" else [_act(code, day) for code in match.group(2).split("_")]
    return Outline(Instant.of_day(day), _Snapshot(name, records).nodes(text), acts)


def _day(text: str) -> date | None:
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None


def _act(code: str, day: date) -> AmendingAct:
    number = int(code[3:])
    revision = code.startswith("EMR")
    kind = "emenda.constitucional.revisao" if revision else "emenda.constitucional"
    name = f"urn:lex:br:federal:{kind}:{day.isoformat()};{number}"
    title = "Emenda Constitucional de Revisão" if revision else "Emenda Constitucional"
    return AmendingAct(
        name,
        "revision-amendment" if revision else "constitutional-amendment",
        f"{title} nº {number}, de {day.strftime('%d/%m/%Y')}",
        f"https://normas.leg.br/?urn={name}",
    )


class _Snapshot:
    """Reads the rows of one file into nodes."""

    def __init__(self, name: str, records: Records) -> None:
        self.name = name
        self.records = records
        self._seen: dict[str, int] = {}
        self._headings: dict[str, str] = {}
        self._nodes: list[Node] = []
        self._ids: set[str] = set()

    def nodes(self, text: str) -> list[Node]:
        reader = csv.reader(io.StringIO(text), strict=True)
        try:
            header = next(reader, [])
            missing = [column for column in _COLUMNS if column not in header]
            if missing:
                self._refuse("CSV_COLUMN_MISSING", f"Column missing: {', '.join(missing)}.", 1)
                return []
            index = [header.index(column) for column in _COLUMNS]
            for row in reader:
                if len(row) != len(header):
                    self._refuse(
                        "CSV_ROW_LENGTH", f"{len(row)} fields, {len(header)} expected.", reader.line_num
                    )
                    continue
                self._row([row[position] for position in index], reader.line_num)
        except csv.Error as fault:
            self._refuse("CSV_SYNTAX", f"Not well-formed CSV: {fault}.", reader.line_num)
        return self._nodes

    def _refuse(self, code: str, message: str, line: int) -> None:
        self.records.report("violation", code, message, place=f"{self.name}:{line}")

    def _row(self, row: list[str], line: int) -> None:
        kind, text, *path = row
        headings, (article, paragraph, inciso, letter) = path[:4], path[4:]
        if not text.strip():
            self._refuse("CSV_TEXT_MISSING", "A row without text.", line)
            return
        bad = [value for value in path if value != "NA" and not _NUMBER.fullmatch(value)]
        if bad or headings[0] == "NA":
            self._refuse(
                "CSV_NUMBER", f"Not a number like 29 or 29-A: {', '.join(bad) or 'titulo NA'}.", line
            )
            return
        if kind == "titartb":
            self._heading(headings, article, text, line)
            return
        if kind not in _TYPES or article == "NA":
            self._refuse("CSV_CLASS", f"Unknown class {kind!r}, or a provision without article.", line)
            return
        adct = "adct_" if headings[0] == _TRANSITIONAL else ""
        base = f"{WORK}!{adct}art{_code(article)}"
        if base not in self._ids:
            heading = self._headings.get(_heading_code(headings))
            if heading is None:
                self._refuse("CSV_HEADING_MISSING", "The heading of this article has no row before it.", line)
                return
            self._ids.add(base)
            self._nodes.append(Node(base, "article", heading, label=_label(text)))
        alias = None
        if kind == "artigo":
            item, parent = f"{base}_cpt", base
        else:
            above = f"{base}_cpt" if paragraph == "NA" else f"{base}_par{_code(paragraph)}"
            item, parent = above, base
            if kind != "paragrafo":
                if inciso != "NA":
                    item, parent = f"{above}_inc{_code(inciso)}", above
                if kind == "alinea":
                    item, parent = f"{item}_ali{_code(letter)}", item
            elif paragraph == "1":
                alias = f"{base}_par1u" if text.startswith("Parágrafo único") else f"{base}_par1"
        if kind != "artigo" and parent not in self._ids:
            self._refuse("CSV_PARENT_MISSING", f"No row before it for {parent.partition('!')[2]}.", line)
            return
        label = _label(text) + (", caput" if kind == "artigo" else "")
        self._add(Node(item, _TYPES[kind], parent, text, bool(_NOTE.fullmatch(text)), alias, label), line)

    def _heading(self, headings: list[str], article: str, text: str, line: int) -> None:
        code = _heading_code(headings)
        above = code.rpartition("_")[0]
        parent = self._headings.get(above) if above else WORK
        if parent is None:
            self._refuse("CSV_PARENT_MISSING", f"No row before it for {above}.", line)
            return
        kind = "transitional-act" if code == "adct" else _HEADINGS[code.count("_")][1]
        if article != "NA":
            self.records.report(
                "warning",
                "HEADING_WITH_ARTICLE",
                f"A heading keyed as part of article {article}; loaded as a heading: {text}",
                f"{WORK}!{code}",
                f"{self.name}:{line}",
            )
        self._headings[code] = self._add(Node(f"{WORK}!{code}", kind, parent, text, label=text), line)

    def _add(self, node: Node, line: int) -> str:
        count = self._seen[node.item] = self._seen.get(node.item, 0) + 1
        if count > 1:
            first = node.item
            node.item, node.alias = f"{first}-dup{count}", None
            self.records.report(
                "warning",
                "PATH_REPEATED",
                f"The path occurs {count} times; this row is loaded as {node.item}: {node.text}",
                first,
                f"{self.name}:{line}",
            )
        self._ids.add(node.item)
        self._nodes.append(node)
        return node.item


def _heading_code(headings: list[str]) -> str:
    if headings[0] == _TRANSITIONAL:
        return "_".join(
            ["adct"] + [f"{_HEADINGS[n][0]}{_code(v)}" for n, v in enumerate(headings) if n and v != "NA"]
        )
    return "_".join(f"{_HEADINGS[n][0]}{_code(v)}" for n, v in enumerate(headings) if v != "NA")


def _code(number: str) -> str:
    """``29`` -> ``29``; ``29-A`` -> ``29-1``, the LexML form of a lettered insertion."""
    digits, _, suffix = number.partition("-")
    return f"{digits}-{ord(suffix) - 64}" if suffix else digits


def _label(text: str) -> str:
    match = _LABEL.match(text)
    return match.group() if match else text[:40]


def _settle_aliases(outlines: list[Outline]) -> list[Outline]:
    """Name § 1 or the sole paragraph by the first form seen; the other form is an alias."""
    chosen: dict[str, str] = {}
    for outline in outlines:
        for node in outline.nodes:
            if node.alias is not None:
                chosen.setdefault(node.item, node.alias)
    renamed = {path: name for path, name in chosen.items() if path != name}
    for outline in outlines:
        for node in outline.nodes:
            alias = node.alias
            node.item, node.parent = _rename(node.item, renamed), _rename(node.parent, renamed)
            node.alias = alias if alias is not None and alias != node.item else None
    return outlines


def _rename(item: str, renamed: dict[str, str]) -> str:
    new = renamed.get(item)
    if new is not None:
        return new
    at = item.find("_par1_")
    if at < 0:
        return item
    head, tail = item[: at + 5], item[at + 5 :]
    return renamed.get(head, head) + tail
