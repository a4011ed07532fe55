# Every target makes the environment that it needs. Variables: PYTHON (3.11 or later), VENV (where its environment is),
# ARGS (passed on).
PYTHON ?= python3
VENV := .venv
ifdef OLDEST
VENV := .venv-oldest
endif
BENCH_VENV := .venv-bench
PEER_VENV := .venv-peer
BIN := $(VENV)/bin
# The first that knows dependency groups.
PIP := pip>=25.1

.PHONY: help demo test test-all test-random test-oldest fuzz lint docs notebooks screenshots peer bench experiments clean

help:
	@echo "make demo      fit a bundled corpus and show its tree of topics"
	@echo "make test      run the tests"
	@echo "make test-all  run the slow statistical tests too"
	@echo "make test-random  run the tests in a random order (SEED=... repeats one)"
	@echo "make test-oldest  run the tests with the oldest versions of all libraries that pyproject.toml accepts"
	@echo "make fuzz      feed damaged and hostile input to everything that reads any (ARGS=... are passed on)"
	@echo "make lint      ruff, mypy for all three systems, and zizmor for the workflows"
	@echo "make docs      build the documentation, site/index.html, after writing its API reference from the docstrings"
	@echo "make notebooks  run the notebooks in docs/notebooks and keep what they print"
	@echo "make screenshots  take the pictures of the explorer in docs/images"
	@echo "make peer      install tomotopy, which benchmarks and experiments compare with, in an environment of its own"
	@echo "make bench     compare speed and quality with tomotopy (ARGS=... are passed on)"
	@echo "make experiments  run the paper's experiments, an hour or more a seed, and write docs/reproduction.md (ARGS=...)"

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
ifdef OLDEST
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct --all-extras \
		--requirements pyproject.toml --editable . --group test
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "$(PIP)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
endif
	@touch $@

$(BENCH_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "$(PIP)"
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group bench
	@touch $@

# tomotopy needs another NumPy than we do.
$(PEER_VENV)/.installed: benchmarks/peer_requirements.txt
	$(PYTHON) -m venv $(PEER_VENV)
	$(PEER_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# The browser that tests drive; where it cannot be installed, those tests are skipped and say so.
$(VENV)/.browser: $(VENV)/.installed
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-inter; } || \
		echo "no chromium, and no way to install it: tests of the explorer's page are skipped"
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/topicgrove demo

# Tests of several processes come last and alone: they need all cores themselves.
test: $(VENV)/.browser
ifdef ARGS
	$(BIN)/python -m pytest -m "not slow" $(ARGS)
else
	$(BIN)/python -m pytest -m "not slow" --ignore=tests/distributed --numprocesses=2 --dist=loadfile
	$(BIN)/python -m pytest -m "not slow" tests/distributed
endif

test-all: $(VENV)/.browser
	$(BIN)/python -m pytest $(ARGS)

SEED ?= $(shell date +%s)
test-random:
	PYTEST_ADDOPTS="-p randomly --randomly-seed=$(SEED)" $(MAKE) test

test-oldest:
	$(MAKE) test OLDEST=1

fuzz: $(VENV)/.installed
	$(BIN)/python -m tests.fuzz $(ARGS)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin src
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(BIN)/zizmor --offline --quiet .github

docs: $(VENV)/.installed
	$(BIN)/python scripts/make_api_docs.py
	$(BIN)/python scripts/make_notebook_pages.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open $(CURDIR)/site/index.html"

notebooks: $(VENV)/.installed
	$(BIN)/python scripts/make_notebook_pages.py --run

screenshots: $(VENV)/.browser
	$(BIN)/python scripts/make_screenshots.py

peer: $(PEER_VENV)/.installed

bench: $(BENCH_VENV)/.installed peer
	$(BENCH_VENV)/bin/python benchmarks/run.py $(ARGS)

$(BENCH_VENV)/.experiments: pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "$(PIP)"
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group experiments
	@touch $@

experiments: $(BENCH_VENV)/.experiments peer
	$(BENCH_VENV)/bin/python experiments/run.py --jobs 2 $(ARGS)
	$(BENCH_VENV)/bin/python experiments/report.py

clean:
	rm -rf .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis site
