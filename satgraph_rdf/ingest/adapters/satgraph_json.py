"""Adapter ``satgraph-json``: the JSON form of the SAT-Graph specification, one document a source.

Top level: ``items``, ``versions``, ``textUnits``, ``actions``, ``relations``, ``themes``, ``itemTypes`` with
the published fields (SAT-Graph API 1.0.0, components/schemas). Extensions: ``metadata.dataSource``
describes the source; ``items[].themeIds`` and ``aliases``; ``actions[].sequence``. Versions stand for changes
of an item's own text; versions of its containers are derived.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast
from zoneinfo import available_timezones

from satgraph_rdf.errors import LoadRefused
from satgraph_rdf.ingest.adapters.contract import Draft
from satgraph_rdf.ingest.adapters.fields import Fields
from satgraph_rdf.ingest.adapters.stated import Stated
from satgraph_rdf.ingest.model import (
    ActionRecord,
    ItemRecord,
    Kind,
    Records,
    RelationRecord,
    SourceInfo,
    TextRecord,
    TypeRecord,
    VersionRecord,
)
from satgraph_rdf.terms import Instant
from satgraph_rdf.terms import aspect as published
from satgraph_rdf.vocabulary import VERSION_KINDS

NAME: Final = "satgraph-json"
_LISTS: Final = ("items", "versions", "textUnits", "actions", "relations", "themes", "itemTypes")
_SOURCE_TYPES: Final = ("Theme", "Item", "Version", "Action", "Relation", "ItemType")


def recognises(path: Path) -> bool:
    """A file named ``*.json``."""
    return path.is_file() and path.suffix == ".json"


def read(path: Path, info: SourceInfo) -> Draft:
    """The records and acts of one document."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        data = json.loads(text)
    except UnicodeDecodeError as fault:
        raise LoadRefused(f"{path}: not UTF-8 at byte {fault.start}.") from None
    except OSError as fault:
        raise LoadRefused(f"{path}: cannot be read: {fault.strerror}.") from None
    except json.JSONDecodeError as fault:
        raise LoadRefused(
            f"{path}:{fault.lineno}:{fault.colno}: not well-formed JSON: {fault.msg}."
        ) from None
    except (RecursionError, ValueError) as fault:
        raise LoadRefused(f"{path}: JSON nested too deeply, or a number without end: {fault}.") from None
    records = Records(info)
    return _Document(records, Fields(records, data, f"{path.name}#")).draft()


class _Document:
    """Reads the parts of one document."""

    def __init__(self, records: Records, root: Fields) -> None:
        self.records = records
        self.root = root
        self.intervals: dict[str, tuple[Instant, Instant | None]] = {}
        self.applicability: dict[str, tuple[Instant, Instant | None]] = {}
        self.enders: dict[str, str] = {}
        self.places = records.places

    def draft(self) -> Draft:
        self._info()
        self._check_keys()
        for fields in self.root.each("itemTypes"):
            self._type(fields, self.records.item_types)
        for fields in self.root.each("themes"):
            self._type(fields, self.records.themes)
        for fields in self.root.each("items"):
            self._item(fields)
        for fields in self.root.each("actions"):
            self._action(fields)
        for fields in self.root.each("versions"):
            self._version(fields)
        for fields in self.root.each("textUnits"):
            self._text(fields)
        for fields in self.root.each("relations"):
            self._relation(fields)
        self._check_references()
        if any(self.records.violations()):
            return Draft(self.records)
        stated = Stated(self.records, self.intervals, self.applicability, self.enders, self.places)
        return Draft(self.records, stated.acts(), stated.reconcile)

    def _info(self) -> None:
        info, metadata = self.records.info, self.root.data.get("metadata")
        declared = metadata.get("dataSource") if isinstance(metadata, dict) else None
        if isinstance(declared, dict):
            fields = Fields(self.records, declared, f"{self.root.place}/metadata/dataSource")
            info.title = info.title or fields.text("title") or ""
            info.publisher = info.publisher or fields.text("publisher") or ""
            info.license = info.license or fields.text("license") or ""
            info.origin = info.origin or fields.text("origin") or ""
            declared_language = fields.tag("language") if "language" in declared else ""
            info.language = declared_language or info.language
            info.label_language = declared_language or None
            info.legal_zone = self._zone(fields) or info.legal_zone
            info.gaps = fields.text("gaps") or ""
            info.complete = declared.get("coverage") == "complete"
        if info.language == "und":
            units = [unit for unit in self.root.data.get("textUnits") or [] if isinstance(unit, dict)]
            tags = [u.get("language") for u in units if u.get("aspect") == "canonical"] or [
                u.get("language") for u in units
            ]
            info.language = next((tag for tag in tags if isinstance(tag, str)), "und")

    @staticmethod
    def _zone(fields: Fields) -> str | None:
        name = fields.text("legalZone")
        if name is not None and name not in available_timezones():
            fields.fault("ZONE_INVALID", f"'legalZone' must be like America/Sao_Paulo; got {name!r}.")
            return None
        return name

    def _check_keys(self) -> None:
        """A misspelt list would be lost without a word."""
        known = {*_LISTS, "metadata", "sampleQueries", "notes"}
        for key in self.root.data:
            if key not in known:
                message = f"{key!r} is not read; known are {', '.join(sorted(known))}."
                self.records.report("warning", "UNKNOWN_KEY", message, place=self.root.place)
        if not any(self.root.data.get(key) for key in _LISTS):
            self.root.fault("EMPTY_DOCUMENT", f"None of {', '.join(_LISTS)} holds anything.")

    def _new(self, fields: Fields, taken: dict[str, Any]) -> str | None:
        name = fields.required("id")
        if not name:
            return None
        if name in taken or name in self.places:
            fields.fault("DUPLICATE_ID", f"The id {name!r} stands twice, first at {self.places.get(name)}.")
            return None
        self.places[name] = fields.place
        return name

    def _type(self, fields: Fields, taken: dict[str, TypeRecord]) -> None:
        name = self._new(fields, taken)
        label = fields.required("label")
        if name is not None:
            taken[name] = TypeRecord(
                name,
                label,
                fields.texts("parentIds"),
                fields.texts("allowedPartsIds"),
                fields.text("urn"),
                fields.url(),
                fields.metadata(),
            )

    def _item(self, fields: Fields) -> None:
        name = self._new(fields, cast("dict[str, Any]", self.records.items))
        kind, label = fields.required("typeId"), fields.required("label")
        if name is not None:
            self.records.items[name] = ItemRecord(
                name,
                kind,
                label,
                fields.text("parentId"),
                fields.text("urn"),
                fields.url(),
                fields.metadata(),
                fields.texts("themeIds"),
                fields.texts("aliases"),
            )

    def _action(self, fields: Fields) -> None:
        name = self._new(fields, cast("dict[str, Any]", self.records.actions))
        kind, event = fields.required("type"), fields.instant("eventTime")
        record = (
            fields.texts("sourceVersionIds"),
            fields.text("parentId"),
            fields.texts("producesVersionIds"),
            fields.texts("terminatesVersionIds"),
            fields.interval("validityInterval"),
            fields.interval("applicabilityInterval"),
            fields.integer("sequence", 1),
            fields.metadata(),
        )
        if name is not None and event is not None:
            self.records.actions[name] = ActionRecord(name, kind, event, *record)

    def _version(self, fields: Fields) -> None:
        name = self._new(fields, cast("dict[str, Any]", self.records.versions))
        item, kind = fields.required("itemId"), fields.required("type")
        interval = fields.interval("validityInterval")
        if fields.data.get("validityInterval") is None:
            fields.fault("FIELD_MISSING", "'validityInterval' is required.")
        if kind and kind not in VERSION_KINDS:
            fields.fault("VERSION_TYPE", f"'type' must be one of {', '.join(VERSION_KINDS)}; got {kind!r}.")
            return
        if item and item not in self.records.items:
            if self.records.info.overlays is None:
                fields.fault("UNKNOWN_ITEM", f"'itemId' names {item!r}, which is not among the items.")
                return
            if kind != "interpretive":
                fields.fault("OVERLAY_STRUCTURAL", "An overlay may add interpretive versions only.")
                return
            self.records.externals.setdefault(item, fields.place)
        if name is None or interval is None:
            return
        if interval[0] is None:
            fields.fault(
                "INTERVAL_INVALID", "'validityInterval' has no start; an unknown start cannot be loaded yet."
            )
            return
        self.records.versions[name] = VersionRecord(
            name,
            item,
            cast("Kind", kind),
            produced_by=fields.text("producedByActionId"),
            urn=fields.text("urn"),
            url=fields.url(),
            metadata=fields.metadata(),
        )
        self.intervals[name] = (interval[0], interval[1])
        applicability = fields.interval("applicabilityInterval")
        if applicability is not None and applicability[0] is None:
            fields.fault("INTERVAL_INVALID", "'applicabilityInterval' has no start; it cannot be loaded yet.")
        if applicability is not None and applicability[0] is not None and applicability != interval:
            self.applicability[name] = (applicability[0], applicability[1])
        ender = fields.text("terminatedByActionId")
        if ender is not None:
            self.enders[name] = ender

    def _text(self, fields: Fields) -> None:
        source, kind, content = (
            fields.required("sourceId"),
            fields.required("sourceType"),
            fields.required("content"),
        )
        tag, aspect, name = fields.tag("language"), fields.required("aspect"), fields.text("id")
        if not (source and kind and content and tag and aspect):
            return
        if kind not in _SOURCE_TYPES:
            fields.fault(
                "SOURCE_TYPE", f"'sourceType' must be one of {', '.join(_SOURCE_TYPES)}; got {kind!r}."
            )
            return
        if name is not None and self._new(fields, {}) is None:
            return
        text = TextRecord(source, kind, tag, published(aspect), content, name, fields.metadata())
        if kind == "Version" and aspect == "canonical" and source in self.records.versions:
            texts = self.records.versions[source].texts
            if any(other.language == tag for other in texts):
                fields.fault("CANONICAL_REPEATED", f"{source!r} has a second canonical text in {tag}.")
            texts.append(text)
        else:
            self.records.texts.append(text)
        self.places.setdefault(f"text of {source}", fields.place)

    def _relation(self, fields: Fields) -> None:
        if "id" in fields.data and self._new(fields, {}) is None:
            return
        names = ("sourceId", "sourceType", "predicate", "targetId", "targetType")
        values = [fields.required(name) for name in names]
        interval = fields.interval("validityInterval")
        if all(values):
            source, source_type, predicate, target, target_type = values
            self.records.relations.append(
                RelationRecord(
                    source,
                    source_type,
                    predicate,
                    target,
                    target_type,
                    fields.text("id"),
                    interval,
                    fields.metadata(),
                )
            )

    def _check_references(self) -> None:
        """Every reference inside the document has its end in it; derived versions are checked later."""
        records = self.records
        known: dict[str, Mapping[str, object]] = {
            "Theme": records.themes,
            "Item": records.items,
            "Version": records.versions,
            "Action": records.actions,
            "ItemType": records.item_types,
        }
        for text in records.texts:
            entities = known.get(text.source_type)
            if entities is None or text.source in entities:
                continue
            if self.records.info.overlays is not None and text.aspect != "canonical":
                self.records.externals.setdefault(text.source, self.places.get(f"text of {text.source}", ""))
            else:
                self._unknown(
                    text.source, f"a text of {text.source_type} {text.source!r}", f"text of {text.source}"
                )
        for item in records.items.values():
            if item.parent is not None and item.parent not in records.items:
                self._unknown(item.parent, f"'parentId' of {item.id!r}", item.id)
            for theme in item.themes:
                if theme not in records.themes:
                    self._unknown(theme, f"'themeIds' of {item.id!r}", item.id)
        for action in records.actions.values():
            if action.parent is not None and action.parent not in records.actions:
                self._unknown(action.parent, f"'parentId' of {action.id!r}", action.id)
            for effect in (*action.produces, *action.terminates):
                if effect not in records.versions:
                    self._unknown(effect, f"an effect of action {action.id!r}", action.id)
        for version_id, ender in self.enders.items():
            if ender not in records.actions:
                self._unknown(ender, f"'terminatedByActionId' of {version_id!r}", version_id)
        for version in records.versions.values():
            if version.produced_by is not None and version.produced_by not in records.actions:
                self._unknown(version.produced_by, f"'producedByActionId' of {version.id!r}", version.id)
        for cycle in _cycles({item.id: item.parent for item in records.items.values()}):
            self.records.report(
                "violation", "PARENT_CYCLE", "The item is a part of itself.", cycle, self.places[cycle]
            )
        for cycle in _cycles({action.id: action.parent for action in records.actions.values()}):
            self.records.report(
                "violation", "PARENT_CYCLE", "The action is a part of itself.", cycle, self.places[cycle]
            )

    def _unknown(self, name: str, where: str, place: str) -> None:
        message = f"{name!r}, {where}, is not in the document."
        self.records.report("violation", "UNKNOWN_REFERENCE", message, name, self.places.get(place, ""))


def _cycles(parents: dict[str, str | None]) -> list[str]:
    """The ids that are their own ancestors."""
    found: list[str] = []
    for start in parents:
        current, seen = parents.get(start), {start}
        while current is not None and current not in seen:
            seen.add(current)
            current = parents.get(current)
        if current == start:
            found.append(start)
    return found
