"""Where the files shipped with the code are: ontology, shapes, bundled data."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def resource(name: str) -> Path:
    """The folder ``name`` (``ontology``, ``shapes`` or ``data``).

    In an installed wheel it lies inside the package; in a checkout beside it.
    """
    package = Path(str(files("satgraph_rdf")))
    installed = package / "_resources" / name
    return installed if installed.is_dir() else package.parent / name
