# make demo: run the main job.  make test: run the tests.  make test-all: and those that take long.
# Needs Python >= 3.11 and make; everything else goes into .venv, which all targets share.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Processes that share the machine's cores. Building a kernel takes one core, so device tests share too.
JOBS ?= 2
PYTEST_FLAGS ?=
RUN_PYTEST = $(BIN)/pytest -q -n $(JOBS) --dist loadgroup $(PYTEST_FLAGS)
# Bytecode is kept whatever the environment says: each process would compile all it imports.
export PYTHONDONTWRITEBYTECODE :=
FUZZ_EXAMPLES ?= 10000
MUTANTS ?= 120

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: demo test test-slow test-all lint types lit pytest coverage fuzz mutants bench reference
.PHONY: docs clean setup

demo: setup
	$(BIN)/python -m examples.demo

test: lint types lit pytest

# What `test` leaves out, and more examples of what is drawn.
test-slow: setup
	$(RUN_PYTEST) -m 'slow or hypothesis' --hypothesis-profile=thorough

test-all: test test-slow

setup: $(STAMP)

# Made last, so a half-made environment is made again.
$(BIN)/pip:
	sh tools/make_venv "$(PYTHON)" $(VENV)

# After `pip install .` there, a copy stands in place of the checkout: then it is installed again.
ifeq ($(wildcard $(VENV)/lib/python*/site-packages/__editable__*vyre-*),)
.PHONY: $(STAMP)
endif

$(STAMP): pyproject.toml | $(BIN)/pip
	@echo 'installing vyre, an OpenCL device and the tools of the tests into $(VENV):' \
	    '3 GB, and minutes the first time'
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --disable-pip-version-check --quiet -e '.[cpu,dev,docs,lsp,mlir,notebooks]'
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/basedpyright

lit: setup
	$(BIN)/lit -sv -j $(JOBS) tests/filecheck

pytest: setup
	$(RUN_PYTEST) -m 'not slow'

# What of the sources the quick tests run, in lines and branches: printed, and in coverage.xml.
coverage: setup
	$(RUN_PYTEST) -m 'not slow' --cov --cov-report=term --cov-report=xml

fuzz: setup
	VYRE_FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/pytest -q tests/fuzz $(PYTEST_FLAGS)

mutants: setup
	$(BIN)/python tools/mutants.py --count $(MUTANTS) --jobs $(JOBS)

bench: setup
	$(BIN)/python -m benchmarks

# Beside it first: an error must not leave half a page.
reference: setup
	for page in reference reference_ops reference_passes reference_commands; do \
	    target="docs/$$(echo "$$page" | tr _ -).md"; \
	    $(BIN)/python "tools/$$page.py" > "$$target.new" && mv "$$target.new" "$$target" || exit 1; \
	done
	$(BIN)/python tools/relations.py docs

# The manual as a site, in site/: static files that need no network.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
