"""The demonstration: the bundled sample, loaded and served, with requests to try."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from api.server import configure
from api.server import run as run_server
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import load
from satgraph_rdf.preparation import Request
from satgraph_rdf.resources import resource
from satgraph_rdf.wiring import Service, store_settings

_CF88: Final = "urn:lex:br:federal:constituicao:1988-10-05;1988"
_EC26: Final = "urn:lex:br:federal:emenda.constitucional:2000-02-14;26"

SAMPLES: Final = (
    ("The caput of Article 6 on 20 May 2001", f"/x/items/{_CF88}!art6_cpt/text?at=2001-05-20"),
    ("What Constitutional Amendment 26/2000 changed", f"/items/{_EC26}/actions-caused?granularity=micro"),
    ("Both versions of Article 5, LVII in force today", f"/items/{_CF88}!art5_cpt_inc57/valid-versions"),
)
"""(what it asks, path) of the requests printed."""


def bundled() -> list[Request]:
    """The sources of the bundled sample."""
    folder = resource("data")
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [Request(folder / entry["file"], entry["adapter"], entry["name"]) for entry in manifest["sources"]]


def run(port: int, once: bool) -> int:
    """Load the sample into a temporary store and serve it on the loopback address."""
    with tempfile.TemporaryDirectory(prefix="satgraph-demo-") as folder:
        report = load(Path(folder), bundled(), wall_clock())
        print(f"Loaded the bundled sample as revision {report.revision}.")
        service = Service(store_settings(Path(folder)))
        server = configure(service, "127.0.0.1", _free_port() if once else port)
        base = f"http://127.0.0.1:{server.config.port}"
        if not once:
            print(f"Serving it, open, on {base} (documentation of all paths: {base}/openapi.json)\n")
            for what, path in SAMPLES:
                print(f"{what}:\n  curl '{base}{path}'\n")
            print("Ctrl-C ends it.", flush=True)
            run_server(server, service)
            return 0
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.02)
            for what, path in SAMPLES:
                print(f"\n{what}:\n  GET {path}")
                print(_get(base + quote(path, safe="/:;!@?=&,._-")))
        finally:
            server.should_exit = True
            thread.join()
            service.close()
    return 0


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - our own loopback address
        return json.dumps(json.load(answer), ensure_ascii=False, indent=2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
