"""What a load did, for people and programs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from satgraph_rdf.gate.check import Violation
from satgraph_rdf.ingest.model import Finding, Severity
from satgraph_rdf.terms import IdSpace


@dataclass
class Report:
    """What a load did. ``revision`` is None where nothing was published."""

    revision: str | None
    previous: str | None
    sources: list[dict[str, Any]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)
    unchanged: bool = False
    dry_run: bool = False

    def codes(self) -> dict[str, int]:
        """How often each finding occurs, most serious first."""
        rank = {"violation": 0, "warning": 1, "info": 2}
        count = Counter((rank[f.severity], f.code) for f in self.findings)
        return {code: n for (_, code), n in sorted(count.items())}

    def as_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        data = asdict(self)
        data["codes"] = self.codes()
        data["findings"] = [finding.as_dict() for finding in self.findings]
        return data


def finding(violation: Violation, space: IdSpace) -> Finding:
    """A violation of a shape as a line of the report; its code is made of shape and path.

    ``SHAPE_ACTION_HAS_SOURCE``: the shape of actions, the property ``sat:hasSource``.
    """
    path = f" ({violation.path})" if violation.path else ""
    value = f": {violation.value}" if violation.value else ""
    severity: Severity = "violation" if violation.severity == "violation" else "warning"
    message = f"{violation.message}{path}{value}"
    return Finding(severity, _code(violation), message, space.id(violation.focus), violation.shape)


def _code(violation: Violation) -> str:
    names = [_local(violation.shape).removesuffix("Shape"), _local(violation.path)]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", "_".join(name for name in names if name))
    return "SHAPE_" + words.upper()


def _local(name: str | None) -> str:
    return re.split(r"[#/]", name or "")[-1]
