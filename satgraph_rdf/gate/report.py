"""Findings of the gate as a SHACL validation report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pyoxigraph import Literal, NamedNode

from satgraph_rdf.gate.check import Violation
from satgraph_rdf.gate.shapes import SH

_HEAD: Final = f"@prefix sh: <{SH}> .\n\n"
_SEVERITY: Final = {"violation": "sh:Violation", "warning": "sh:Warning"}


def turtle(violations: Sequence[Violation]) -> str:
    """A ``sh:ValidationReport`` in Turtle; the same findings give the same text.

    ``sh:conforms`` is false if there is any result, warnings included, as SHACL has it.
    """
    conforms = "false" if violations else "true"
    lines = [f"{_HEAD}[] a sh:ValidationReport ;\n    sh:conforms {conforms}"]
    for violation in violations:
        body = " ;\n        ".join(_result(violation))
        lines.append(f" ;\n    sh:result [\n        {body} ]")
    return "".join([*lines, " .\n"])


def _result(violation: Violation) -> Iterator[str]:
    yield "a sh:ValidationResult"
    yield f"sh:focusNode {_node(violation.focus)}"
    if violation.path is not None:
        yield f"sh:resultPath {_path(violation.path)}"
    if violation.term is not None:
        yield f"sh:value {violation.term}"
    yield f"sh:resultMessage {Literal(violation.message)}"
    yield f"sh:resultSeverity {_SEVERITY[violation.severity]}"
    yield f"sh:sourceShape {NamedNode(violation.shape)}"
    yield f"sh:sourceConstraintComponent {NamedNode(violation.component)}"


def _node(text: str) -> str:
    return text if text.startswith("_:") else str(NamedNode(text))


def _path(text: str) -> str:
    return f"[ sh:inversePath {NamedNode(text[1:])} ]" if text.startswith("^") else str(NamedNode(text))
