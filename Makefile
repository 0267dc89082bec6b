# Every target makes .venv itself; needed beforehand: Python >= 3.11, git, make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
FILE ?=
PYTEST_WORKERS ?= 2
FUZZ_SECONDS ?= 20
FUZZ_TARGETS ?=

ifdef UV
INSTALL = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet -e
MAKE_VENV = $(UV) venv --quiet --seed --python $(PYTHON) $(VENV)
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -e
MAKE_VENV = $(PYTHON) -m venv $(VENV)
endif

.PHONY: demo test check bench fuzz docs docs-serve clean

$(BIN)/python:
	$(MAKE_VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[netcdf]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[test]"
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[bench,netcdf,hdmf]"
	@touch $@

$(VENV)/.fuzz: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[fuzz]"
	@touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(INSTALL) ".[docs]"
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/omnizarr demo $(FILE)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not slow" tests

check: $(VENV)/.test
	$(BIN)/ruff check src tests benchmarks fuzz docs/hooks
	$(BIN)/ruff format --check src tests benchmarks fuzz docs/hooks
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) tests

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.nwb_peers.environment
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.fuzz
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# The pages of the command line import omnizarr; those of the API read its sources. Nothing else is asked of a network.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --no-strict --watch src --dev-addr 127.0.0.1:8001

clean:
	rm -rf $(VENV) demo-output site dist build
