"""Minted ids: a pure function of the act, never renamed (two-clocks, "Version ids")."""

from __future__ import annotations

import hashlib
import re

from satgraph_rdf.terms import OPEN, Instant

_STEP = re.compile(r"([a-z]+)(\d+)?(.*)")
# Order of sibling kinds in a LexML fragment; an unknown kind sorts after these, by its letters.
_KINDS = ("pre", "cpt", "tit", "cap", "sec", "sub", "art", "par", "inc", "ali", "ite", "adct")


def insert(identifier: str, mark: str) -> str:
    """``identifier`` with ``mark`` put before its ``!fragment``, the LexML order."""
    work, bang, fragment = identifier.partition("!")
    return f"{work}{mark}{bang}{fragment}"


def version_id(
    item: str, start: Instant, event: Instant, sequence: int = 1, key: str = "", continued: bool = False
) -> str:
    """The id of a version: ``@from``, with the event's date or a ruling's key where that is not enough."""
    stamp = "@" + ("" if start == OPEN else start.stamp)
    if key:
        stamp += f";{key}"
    elif start == OPEN or event.stamp[:10] != start.stamp[:10] or sequence != 1:
        stamp += f";{event.stamp}" + (f".{sequence}" if sequence != 1 else "")
    return insert(item, stamp + (";c" if continued else ""))


def text_id(version: str, language: str) -> str:
    """The id of a version's canonical text: ``...@date~texto;pt-br!fragment``."""
    return insert(version, f"~texto;{language.lower()}")


def hashed(prefix: str, *parts: str, length: int = 20) -> str:
    """A minted id of a thing that has no name of its own: the SHA-256 of what it is."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8")).hexdigest()
    return f"{prefix}:{digest[:length]}"


def natural_key(identifier: str) -> str:
    """A string that sorts sibling ids in legal order: ``art29`` < ``art29-1`` < ``art30`` (0029.0001).

    Made from the id alone: headings are not part of a provision's LexML fragment, so this is only a
    default order for listings; the order of a date is ``sat:componentOrder``.
    """
    _, _, fragment = identifier.partition("!")
    keys = []
    for step in fragment.split("_") if fragment else ():
        match = _STEP.fullmatch(step)
        if match is None:
            keys.append(f"{len(_KINDS):02d}{_numbers(step)}")
            continue
        kind, number, rest = match.groups()
        rank = _KINDS.index(kind) if kind in _KINDS else len(_KINDS)
        word = "" if kind in _KINDS else kind
        keys.append(f"{rank:02d}{word}{int(number or 0):04d}{_numbers(rest)}")
    return "/".join(keys) if keys else _numbers(identifier)


def _numbers(text: str) -> str:
    return re.sub(r"\d+", lambda match: f"{int(match.group()):04d}", text.replace("-", "."))
