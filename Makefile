# Every target makes .venv itself; needed beforehand: Python >= 3.11, git, make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
FILE ?=
PYTEST_WORKERS ?= 2

ifdef UV
INSTALL = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet -e
MAKE_VENV = $(UV) venv --quiet --seed --python $(PYTHON) $(VENV)
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -e
MAKE_VENV = $(PYTHON) -m venv $(VENV)
endif

.PHONY: demo test check bench clean

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

demo: $(VENV)/.demo
	$(BIN)/omnizarr demo $(FILE)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not slow" tests

check: $(VENV)/.test
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) tests

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.nwb_peers.environment
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo-output
