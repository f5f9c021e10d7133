# A fresh machine needs python3 (>= 3.11, with venv), git and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

# Some machines forbid it; then every process that a test starts compiles sparky anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test agents test-agents check static covered coverage soak crash house fmt bench lock clean

demo: $(READY)
	$(BIN)/sparky demo

test: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist loadgroup -m "not soak and not agents"

# The coding agents that tests drive, and pyright, by npm into sparky's cache; without it they are skipped.
agents: $(READY)
	$(BIN)/python scripts/agents.py

# Drives them, each agent against a scripted model on loopback.
test-agents: agents
	$(BIN)/python -m pytest -q -n 2 --maxschedchunk 1 -m "agents and not soak" -rs tests/agents

check: $(READY)
	$(MAKE) -j 2 static covered

# One core is enough for what is only read; the tests have the other meanwhile.
static: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python scripts/house.py --check
	$(BIN)/mypy

covered: $(READY)
	$(BIN)/python scripts/covered.py

coverage: $(READY)
	$(BIN)/python scripts/covered.py --all

soak: $(READY) coverage crash
	$(BIN)/python -m pytest -q -n 2 -m soak

# Breaks a run off before each change that it makes; writes docs/reliability.md. One that was stopped goes on.
crash: $(READY)
	$(BIN)/python -m tests.durable.crash

house: $(READY)
	$(BIN)/python scripts/house.py

fmt: $(READY)
	$(BIN)/ruff check --fix-only --select I .
	$(BIN)/ruff format .

bench: $(READY)
	set -e; for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script; done

# After `uv add`: the lock names no index, so that it serves every mirror.
lock: $(READY)
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header \
		--group dev pyproject.toml -o requirements.lock

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check "$$(grep -o '^uv==[0-9.]*' requirements.lock)"
	$(BIN)/uv pip sync -q --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* dist
