# `make` alone lists what there is. Everything runs in .venv, made from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup warm demo test test-spark test-commands test-rooms test-full soak check docs lint format lock bench bench-full cluster clean

help: ## list these goals
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Firesteel needs Python 3.11 or later; PYTHON=python3.12 make … chooses one.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(VENV)/.installed ## make .venv from the lock file

demo: setup ## embedded Kafka, generated page views, the reference job, a checked result
	$(BIN)/firesteel demo

# Compiled as an installed package is, also where PYTHONDONTWRITEBYTECODE is set: Spark's Python processes all load it.
warm: setup
	$(BIN)/python -m compileall -q src
	$(BIN)/firesteel warm --if-missing

test: setup lint warm ## lint, types, and every test: what CI runs
	@$(MAKE) --no-print-directory -j3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) $(PARTS)

# Tests that run jobs mostly wait, so they run beside the others, each part with a broker and a Spark of its own.
PARTS := test-spark test-commands test-rooms
SPARK := tests/spark
# Those that start a Spark of their own, and some more: the rooms are done long before the others.
OWN := $(addprefix tests/spark/test_spark_,start.py damage.py safe_path.py death.py launch.py archive.py fork.py function_result.py \
	answers.py)
COMMANDS := tests/faults tests/oracle tests/cli tests/dev tests/docs tests/kafka

test-spark: setup
	$(BIN)/python -m pytest $(SPARK) $(addprefix --ignore=,$(OWN))

test-commands: setup
	$(BIN)/python -m pytest $(COMMANDS)

test-rooms: setup
	$(BIN)/python -m pytest $(addprefix --ignore=,$(filter-out $(OWN),$(wildcard $(SPARK)/*.py)) $(COMMANDS))

test-full: setup warm ## what 'make test' has no time for: two hours of kills, signals, brokers that go, damaged input, the older PySpark
	$(BIN)/python -m tests.long

soak: setup warm ## the part of it that kills: every moment in turn, then by chance; prints its seed
	$(BIN)/python -m tests.long moments soak storm stops deaths

lint: setup ## ruff and mypy --strict
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy

format: setup ## rewrite the code as ruff wants it
	$(BIN)/ruff format src tests bench
	$(BIN)/ruff check --fix src tests bench

check: setup ## firesteel check on every example
	$(BIN)/firesteel check examples

# The site has the layout of the repository, so that every link of a page holds there too.
PAGES := $(wildcard *.md) LICENSE docs examples bench/README.md bench/RESULTS.md bench/measured

build/docs-venv/.installed: requirements-docs.lock
	$(PYTHON) -m venv build/docs-venv
	build/docs-venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	@touch $@

docs: build/docs-venv/.installed ## the documents as a site with search in build/site; a broken link is a failure
	rm -rf build/docs build/site
	mkdir -p build/docs
	tar -cf - $(PAGES) | tar -xf - -C build/docs
	build/docs-venv/bin/properdocs build --strict
	@echo "The site is in build/site: open build/site/index.html, or serve it with 'build/docs-venv/bin/properdocs serve'."

bench: setup warm ## Firesteel, Flink and Spark side by side on small topics: under ten minutes on a quiet machine
	$(BIN)/python -m bench

bench-full: setup warm ## the same on 5,000,000 rows, all workloads and engines: over half an hour
	$(BIN)/python -m bench --rows 5000000 --rounds 4 --engines all --workloads all

cluster: setup ## the reference job on a Spark cluster of two workers on this machine, one killed
	$(BIN)/python -m bench.cluster

lock: ## resolve pyproject.toml anew into requirements.lock (needs uv)
	printf 'hatchling\neditables\n' | uv pip compile -q --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --group dev pyproject.toml - -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --group docs -o requirements-docs.lock

clean: ## remove what make and the tests made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
