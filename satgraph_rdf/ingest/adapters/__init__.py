"""One module a format; each turns a file of a publisher into neutral records.

A new format is one module with ``NAME``, ``recognises`` and ``read``, listed here.
"""

from __future__ import annotations

from pathlib import Path

from satgraph_rdf.errors import LoadRefused
from satgraph_rdf.ingest.adapters import cf88, rdf, satgraph_json
from satgraph_rdf.ingest.adapters.contract import Adapter

ADAPTERS: dict[str, Adapter] = {
    module.NAME: Adapter(module.NAME, module.recognises, module.read) for module in (satgraph_json, cf88, rdf)
}


def choose(path: Path, name: str | None = None) -> Adapter:
    """The adapter named, or the only one that recognises the path."""
    known = ", ".join(ADAPTERS)
    if not path.exists():
        raise LoadRefused(f"{path}: no such file or folder.")
    if name is not None:
        if name not in ADAPTERS:
            raise LoadRefused(f"No adapter is called {name!r}; there are {known}.")
        return ADAPTERS[name]
    for adapter in ADAPTERS.values():
        if adapter.recognises(path):
            return adapter
    raise LoadRefused(f"{path}: no adapter recognises it; name one with --adapter ({known}).")
