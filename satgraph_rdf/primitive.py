"""A primitive: what its file declares, checked (see :mod:`satgraph_rdf.declaration`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from satgraph_rdf.binding import Template
from satgraph_rdf.params import Param
from satgraph_rdf.terms import BEGINNING, OPEN, Instant


@dataclass(frozen=True)
class Use:
    """A parameter as one primitive uses it."""

    param: Param
    required: bool
    default: Any

    @property
    def filled(self) -> bool:
        """Whether an absent value is a value one could have given, and so stands in the record."""
        return self.default not in (None, "beginning", "open", "any", "*", ["*"])


@dataclass(frozen=True)
class Primitive:
    """One typed operation: what it is called, takes, returns, and the exact query it runs."""

    name: str
    operation_id: str
    group: str
    summary: str
    source: str
    method: str
    path: str
    uses: tuple[Use, ...]
    returns: str
    many: bool
    outcome: str | None
    order: tuple[str, ...]
    hydrate: str
    absent: str
    """the internal query that says why nothing was found"""
    template: Template
    variables: tuple[str, ...]
    identity: str

    @property
    def camel_name(self) -> str:
        """The file's name as a function name: ``getItemById``."""
        return camel(self.name)

    @property
    def command(self) -> str:
        """The name on the command line: ``get-item-by-id``."""
        return self.name.replace("_", "-")

    @property
    def subject(self) -> Use | None:
        """The entity the primitive is about: the id in its path."""
        return next((use for use in self.uses if "{" + use.param.name + "}" in self.path), None)


def camel(name: str) -> str:
    """``get_item_by_id`` as a function name: ``getItemById``."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def example(use: Use) -> Any:
    """A checked example value of a parameter."""
    return use.param.check(use.param.example)


def default_value(use: Use, now: Instant) -> Any:
    """What an absent optional input is bound to; ``now`` is the clock of the call."""
    match use.default:
        case "now":
            return now
        case "beginning":
            return BEGINNING
        case "open":
            return OPEN
        case _:
            return use.default
