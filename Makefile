# Needs make and Python >= 3.11 (with its venv module); everything else goes into the virtual environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.psyirt-ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all bench check format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## Make the virtual environment (again when setup.cfg or constraints.txt changed)

$(READY): setup.cfg constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: psyirt needs Python 3.11 or newer as $(PYTHON); name another one: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { \
	  echo "make: cannot make $(VENV); install Python's venv module (Debian: python3-venv), remove $(VENV) and try again" >&2; exit 1; }
	@{ $(PIP) install -c constraints.txt setuptools \
	  && $(PIP) install -c constraints.txt --no-build-isolation -e '.[test,dev]'; } || { \
	  echo "make: installing the packages failed (pip's message is above); this step needs a package index: check the network or pip's index settings, then run make again" >&2; exit 1; }
	@touch $@

demo: $(READY) ## Simulate a crowd study, build its scales and score three systems
	@$(BIN)/psyirt demo

test: check ## Run the checks and the tests
	@$(BIN)/python -m pytest -q

test-all: check ## Run the checks and the tests, the slow ones too
	@$(BIN)/python -m pytest -q -n auto -m "not validation and not torch and not gpu"

bench: $(READY) ## Compare the speed with other packages' (an hour; BENCH=--quick: minutes)
	@$(BIN)/python -m validation.speed --out validation/output/speed $(BENCH)

check: $(READY) ## Check style and types
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "make: some files are not formatted; run: make format" >&2; exit 1; }
	@$(BIN)/mypy

format: $(READY) ## Format the code and mend what ruff can mend
	@$(BIN)/ruff check --fix --exit-zero --quiet
	@$(BIN)/ruff format

clean: ## Remove caches and build products (not the virtual environment)
	rm -rf build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find psyirt tests validation -name __pycache__ -prune -exec rm -rf {} +
