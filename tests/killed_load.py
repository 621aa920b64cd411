"""A load in a process of its own that dies or waits at a named step; run by test_loading.py.

    killed_load.py FOLDER STEP MODE NAME=SOURCE...

MODE ``kill`` ends the process at the step as a power cut would; ``hold`` prints the step and waits there
for a line on standard input; ``run`` loads to the end. ``ready`` is printed when everything is imported.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from satgraph_rdf.engine import wall_clock
from satgraph_rdf.loading import load
from satgraph_rdf.preparation import Request


def main() -> None:
    folder, step, mode, *sources = sys.argv[1:]
    requests = [Request(Path(path), name=name) for name, _, path in (s.partition("=") for s in sources)]

    def on_step(reached: str) -> None:
        if reached != step:
            return
        if mode == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if mode == "hold":
            print(reached, flush=True)
            sys.stdin.readline()

    print("ready", flush=True)
    load(Path(folder), requests, wall_clock(), on_step=on_step)
    print("done", flush=True)


main()
