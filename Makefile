# Every target makes the environment that it needs. Variables: PYTHON (3.11 or later), ARGS (passed on).
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
BIN := $(VENV)/bin

.PHONY: help demo test test-all lint docs bench clean

help:
	@echo "make demo      fit a bundled corpus and show its tree of topics"
	@echo "make test      run the tests"
	@echo "make test-all  run the slow statistical tests too"
	@echo "make lint      ruff and mypy"
	@echo "make docs      write the API reference, docs/api.md, from the docstrings"
	@echo "make bench     compare speed and quality with tomotopy (ARGS=... are passed on)"

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[test,lint]"
	@touch $@

$(BENCH_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check --editable ".[bench]"
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/topicgrove demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest -m "not slow" $(ARGS)

test-all: $(VENV)/.installed
	$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed
	$(BIN)/python scripts/make_api_docs.py

bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python benchmarks/run.py $(ARGS)

clean:
	rm -rf $(VENV) $(BENCH_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
