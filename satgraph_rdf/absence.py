"""Why an answer is empty: no such entity, nothing in force then, or not known yet.

Asked only after a query came back empty, with the fixed queries in ``queries/internal``. The reasons
are those of the contract (getValidVersions); ``details`` carries reason, from, until, actionId,
versionIds, as far as the graph says them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyoxigraph import NamedNode

from satgraph_rdf.binding import Value
from satgraph_rdf.call import Call
from satgraph_rdf.errors import NotFound, NotYetKnown, NoValidVersion
from satgraph_rdf.terms import OPEN_TEXT, Instant, chronological

Facts = list[dict[str, str]]
Ask = Callable[[str, Mapping[str, Value], Sequence[NamedNode]], Facts]


class Absence:
    """Turns an empty result into an empty answer or the right error."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def explain(self, call: Call) -> Any:
        """The empty answer where that is right; else raises what is documented for the primitive."""
        primitive, use = call.primitive, call.primitive.subject
        empty: list[Any] = []
        if primitive.outcome is None or use is None:
            return empty
        name, entity = call.values[use.param.name], use.param.entity
        term = {entity: call.terms[use.param.name]}
        lookup = not primitive.many and primitive.outcome == "RESOURCE_NOT_FOUND"
        if lookup or not self._ask(f"{entity}_exists", term, call.graphs):
            raise NotFound(f"No {entity} found with the id {name!r}.")
        if primitive.outcome == "RESOURCE_NOT_FOUND":
            return empty
        if entity == "version":
            return self._version(call, name, term, empty)
        terms = {**term, "observer_time": call.terms["observer_time"]}
        facts = self._ask(primitive.absent, terms, call.graphs)
        raise _reason(name, facts, str(call.values["at"]), str(call.values["observer_time"]))

    def _version(self, call: Call, name: str, term: Mapping[str, Value], empty: list[Any]) -> list[Any]:
        observer = str(call.values["observer_time"])
        states = self._ask("version_state", term, call.graphs)
        seen = [state for state in states if _within(observer, state["knownFrom"], state["knownUntil"])]
        if not seen:
            known = min((state["knownFrom"] for state in states), key=chronological, default=None)
            details = {"reason": "not known to the observer", "from": known}
            raise NotYetKnown(f"Version {name!r} was not known at {observer}.", details)
        at = call.values.get("at")
        start, until = seen[0]["from"], seen[0]["until"]
        if not isinstance(at, Instant) or _within(str(at), start, until):
            return empty
        end = None if until == OPEN_TEXT else until
        details = {"reason": "not in force", "from": start, "until": end}
        raise NoValidVersion(f"Version {name!r} is not in force at {at}.", details)


def _reason(name: str, facts: Facts, at: str, observer: str) -> NoValidVersion:
    """Why no version is there at ``at`` for ``observer``, from the intervals seen from then on."""
    seen = [fact for fact in facts if _key(fact, "knownFrom") <= chronological(observer)]
    message = f"No version of {name!r} was in force at {at}"
    if not facts:
        return NoValidVersion(f"{message}: none is recorded.", {"reason": "no versions recorded"})
    if not seen:
        known = min((fact["knownFrom"] for fact in facts), key=chronological)
        return NoValidVersion(
            f"{message} as known at {observer}: the first became known at {known}.",
            {"reason": "not known to the observer", "from": known},
        )
    real = [fact for fact in seen if _key(fact, "from") < _key(fact, "until")]
    before = [fact for fact in real if _key(fact, "until") <= chronological(at)]
    after = [fact for fact in real if _key(fact, "from") > chronological(at)]
    if before:
        last = max(before, key=lambda fact: (_key(fact, "until"), fact["id"]))
        details = {"reason": "ended", "until": last["until"], "versionIds": [last["id"]]}
        if "endedBy" in last:
            details["actionId"] = last["endedBy"]
        return NoValidVersion(f"{message}: the last one ended at {last['until']}.", details)
    if after:
        first = min(after, key=lambda fact: (_key(fact, "from"), fact["id"]))
        details = {"reason": "not yet", "from": first["from"], "versionIds": [first["id"]]}
        return NoValidVersion(f"{message}: the first starts at {first['from']}.", details)
    ids = sorted({fact["id"] for fact in seen})
    return NoValidVersion(f"{message}: none was ever in force.", {"reason": "never", "versionIds": ids})


def _key(fact: Mapping[str, str], bound: str) -> str:
    return chronological(fact[bound])


def _within(instant: str, start: str, until: str) -> bool:
    return chronological(start) <= chronological(instant) < chronological(until)
