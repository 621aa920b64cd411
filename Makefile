# Everything sets itself up: a bare Debian with Python 3.11 (and its venv module) is enough.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test check format bench soak clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python's venv module is incomplete: installing python3-venv"; \
	  apt-get update && apt-get install -y --no-install-recommends python3-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(READY)
	$(BIN)/satgraph demo

test: $(READY)
	$(BIN)/python -m pytest -m 'not corpus and not soak'

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python tests/bench.py

soak: $(READY)
	$(BIN)/python -m pytest -m soak

clean:
	rm -rf $(VENV) build dist *.egg-info
