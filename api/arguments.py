"""Parameters of primitives as options of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from satgraph_rdf.params import Param
from satgraph_rdf.primitive import Primitive


def _flag(param: Param) -> str:
    return "--" + param.name.replace("_", "-")


def add_params(
    parser: argparse.ArgumentParser, primitive: Primitive, skip: Sequence[str] = (), optional: bool = False
) -> None:
    """Add an option for each parameter; ``optional`` where examples may stand in."""
    for use in primitive.uses:
        if use.param.name in skip:
            continue
        names = list(dict.fromkeys((_flag(use.param), f"--{use.param.wire}")))
        extra: dict[str, Any] = {"nargs": "+"} if use.param.many else {}
        if use.param.choices:
            extra["choices"] = use.param.choices
        required = use.required and not optional
        help_text = use.param.doc.replace("%", "%%")
        dest, metavar = f"param_{use.param.name}", use.param.kind.upper()
        parser.add_argument(*names, dest=dest, required=required, metavar=metavar, help=help_text, **extra)


def example(primitive: Primitive) -> str:
    """A command that works on the bundled sample."""
    words = ["satgraph call", primitive.command]
    for use in primitive.uses:
        if use.required:
            value = use.param.example
            words += [
                _flag(use.param),
                *(f"'{entry}'" for entry in (value if isinstance(value, list) else [value])),
            ]
    return "example:\n  " + " ".join(words)


def given(arguments: argparse.Namespace, primitive: Primitive) -> dict[str, Any]:
    """The values given, by wire name."""
    found = {use.param.wire: getattr(arguments, f"param_{use.param.name}", None) for use in primitive.uses}
    return {name: value for name, value in found.items() if value is not None}
