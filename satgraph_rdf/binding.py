"""The only place where a term enters query text.

A template is a query cut at its inputs once, by a lexer that knows comments, strings and IRIs; to
bind is to join the pieces with serialised RDF terms. Nothing else is ever put into a query.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyoxigraph import Literal, NamedNode

from satgraph_rdf.errors import InvalidDeclaration, InvalidParameter
from satgraph_rdf.params import Param
from satgraph_rdf.terms import IdSpace

Term = NamedNode | Literal
Value = Term | Sequence[Term]

_TOKEN: Final = re.compile(
    r"""
      (?P<comment>\#[^\n]*)
    | (?P<long>\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?''')
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    | \$(?P<input>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<variable>\?[A-Za-z_][A-Za-z0-9_]*)
    | (?P<prefixed>[A-Za-z][\w.-]*:[\w.%-]*)
    | (?P<word>[A-Za-z_]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Slot:
    """Where an input stands. In ``( )`` a list is separated by commas, in ``{ }`` by blanks."""

    name: str
    separator: str


@dataclass(frozen=True)
class Template:
    """A query cut at its inputs."""

    pieces: tuple[str | Slot, ...]
    words: frozenset[str]

    @classmethod
    def cut(cls, text: str) -> Template:
        """Cut a query text; comments go, so that the text sent is short."""
        pieces: list[str | Slot] = []
        words: set[str] = set()
        run = ""
        brackets = [""]
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup
            found = match.group()
            if kind == "comment":
                continue
            if kind == "word":
                words.add(found.upper())
            elif kind == "other" and found in "({[":
                brackets.append(found)
            elif kind == "other" and found in ")}]" and len(brackets) > 1:
                brackets.pop()
            if kind == "input":
                pieces.append(run)
                pieces.append(Slot(match.group("input"), ", " if brackets[-1] == "(" else " "))
                run = ""
            elif found.isspace():
                run += (
                    "\n" if found == "\n" and not run.endswith("\n") else "" if run[-1:].isspace() else found
                )
            else:
                run += found
        pieces.append(run.strip("\n") if not pieces else run.rstrip())
        return cls(tuple(pieces), frozenset(words))

    @property
    def inputs(self) -> frozenset[str]:
        """The names of the inputs used."""
        return frozenset(piece.name for piece in self.pieces if isinstance(piece, Slot))

    def with_variable(self, name: str) -> Template:
        """The template with one input left open: ``$name`` becomes the variable ``?name``."""
        return self._with(name, f"?{name}")

    def with_open(self, name: str) -> Template:
        """The template with one input still to be given: ``$name`` stays ``$name``, for people to read."""
        return self._with(name, f"${name}")

    def _with(self, name: str, text: str) -> Template:
        pieces = (text if isinstance(p, Slot) and p.name == name else p for p in self.pieces)
        return Template(tuple(pieces), self.words)

    def bind(self, values: Mapping[str, Value]) -> str:
        """The query with every input replaced by its term or terms."""
        out: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, str):
                out.append(piece)
                continue
            try:
                value = values[piece.name]
            except KeyError:
                raise InvalidDeclaration(f"Input ${piece.name} was not given a value.") from None
            if isinstance(value, NamedNode | Literal):
                out.append(serialise(value))
            else:
                out.append(piece.separator.join(serialise(term) for term in value))
        return "".join(out)


def serialise(term: Term) -> str:
    """A term as SPARQL text: N-Triples form, every quote, backslash and line break escaped."""
    return str(term)


def term_of(param: Param, value: Any, space: IdSpace) -> Value:
    """The term (or terms) of a checked parameter value, or of a default that is already a term."""
    if isinstance(value, NamedNode | Literal):
        return value
    match param.kind:
        case "id":
            return space.requested(value, param.wire)
        case "ids":
            nodes = {space.requested(entry, param.wire): entry for entry in value}
            if len(nodes) < len(value):
                twice = next(entry for entry in value if entry not in nodes.values())
                raise InvalidParameter(f"'{param.wire}' names an entity twice, as id and as IRI: {twice!r}.")
            return list(nodes)
        case "texts" | "aspects":
            return [Literal(entry) for entry in value]
        case "instant":
            term: Literal = value.term
            return term
        case _:
            return Literal(value)
