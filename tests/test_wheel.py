"""The distribution: built, installed outside the checkout, and used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.wheel
def test_the_wheel_carries_everything_and_runs_outside_the_checkout(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT, cwd=tmp_path)
    wheel = next((tmp_path / "dist").glob("*.whl"))
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    output = run(tmp_path / "venv" / "bin" / "satgraph", "demo", "--once", cwd=tmp_path)
    assert "2000-02-14!art6_cpt" in output
    assert "adc43!art5_cpt_inc57" in output
    owners = run(
        python,
        "-c",
        "import json, importlib.metadata as m; "
        "print(json.dumps(sorted({d.name for d in m.distributions() for f in d.files or [] "
        "if f.parts[0] == 'api'})))",
        cwd=tmp_path,
    )
    assert json.loads(owners) == ["satgraph-rdf"]
