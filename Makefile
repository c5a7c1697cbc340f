# Everything runs in .venv, which make builds itself from $(PYTHON).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SANITIZE_VENV := .venv-sanitize

# cmake and ninja come from the virtual environment: the machine needs only Python, g++ and make.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CMAKE_GENERATOR := Ninja
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Folders are in the list too: their time changes when a file is added or removed.
NATIVE := $(shell find src/native) CMakeLists.txt
CPP := $(wildcard src/native/*/*.[ch]pp tests/native/*.[ch]pp tests/fuzz/*.[ch]pp)
PY := src/dynarc tests benchmarks experiments $(wildcard docs/*.py docs/*/*.py)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build demo test spacy cluster web verify stub lint format sanitize threads fuzz mutation bench docs package clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(VENV)/.installed ## Make .venv and build the package into it

demo: build ## Show what the package does
	$(BIN)/dynarc demo

test: build ## Run every test
	$(BIN)/python -m pytest -q -n 2

# spaCy is large, so it is no part of the tools: without it, its tests are left out by `make test`.
spacy: build ## Install spaCy into .venv and run the tests of its component
	$(BIN)/python -c 'import spacy' 2>/dev/null || $(BIN)/python -m pip install -qq 'spacy>=3.8'
	$(BIN)/python -m pytest -q tests/spacy

# Engines for corpora are larger still. Spark needs Java, too; without it, its test is left out.
cluster: build ## Install Daft, Ray and Spark into .venv and run the tests of corpora on them
	$(BIN)/python -c 'import daft, ray, pyspark' 2>/dev/null || \
		$(BIN)/python -m pip install -qq 'daft>=0.7' 'ray[data]>=2.50' 'pyspark>=4'
	$(BIN)/python -m pytest -q tests/cluster

# A browser is large, too: Chromium is the system's, or that which DYNARC_CHROMIUM names.
web: build ## Install Playwright into .venv, Chromium if there is none, and run the tests of the page in it
	$(BIN)/python -c 'import playwright, axe_core_python' 2>/dev/null || $(BIN)/python -m pip install -qq 'playwright>=1.50' axe-core-python
	$(BIN)/python -m tests.web.browser || { apt-get update -qq && apt-get install -qq -y chromium; }
	DYNARC_SCREENSHOTS=build/screenshots $(BIN)/python -m pytest -q -n 2 tests/web/test_page.py

verify: build ## Check every oracle against brute force: all trees to 5 words, samples of 6 to 9
	$(BIN)/dynarc check --all --max-words 5 --samples 6-9

# The stub of the engine is what nanobind says of the built module, formatted; lint fails if it is stale.
STUB := src/dynarc/_core.pyi
define write_stub
	@$(BIN)/python -m nanobind.stubgen -q -m dynarc._core -o $(1)
	@$(BIN)/ruff check -q --fix --select I,UP $(1) && $(BIN)/ruff format -q $(1)
endef
stub: build ## Write the type stub of the engine anew
	$(call write_stub,$(STUB))

lint: build ## Check style and types, Python and C++
	$(BIN)/ruff check $(PY)
	$(BIN)/ruff format --check $(PY)
	$(BIN)/python -m mypy --strict $(PY)
	$(call write_stub,build/_core.pyi)
	@diff -u $(STUB) build/_core.pyi || { echo "$(STUB) is stale: run 'make stub'"; exit 1; }
	$(BIN)/clang-format --dry-run -Werror $(CPP)

format: $(VENV)/.dev ## Format Python and C++ in place
	$(BIN)/ruff check --fix $(PY)
	$(BIN)/ruff format $(PY)
	$(BIN)/clang-format -i $(CPP)

# The sanitizers' runtimes must be loaded before Python, which was not built with them. Captured by file
# descriptor, their reports would be lost with the process that they end.
runtime = $(shell $(CXX) -print-file-name=$(1))
sanitize: $(VENV)/.dev $(SANITIZE_VENV)/.dev ## Run native and Python tests under ASan and UBSan
	$(BIN)/cmake -S . -B build/sanitize -DDYNARC_SANITIZE=ON -DDYNARC_NATIVE_TESTS=ON
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure
	$(SANITIZE_VENV)/bin/python -m pip install -qq --no-build-isolation --no-deps --force-reinstall \
		--config-settings=cmake.define.DYNARC_SANITIZE=ON \
		--config-settings='build-dir=build/sanitize-{wheel_tag}' .
	LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
		$(SANITIZE_VENV)/bin/python -m pytest -q -n 2 -m "not slow" --timeout=600 --capture=sys

threads: $(VENV)/.dev ## Run native tests under ThreadSanitizer
	$(BIN)/cmake -S . -B build/threads -DDYNARC_THREADS=ON -DDYNARC_NATIVE_TESTS=ON
	$(BIN)/cmake --build build/threads
	TSAN_OPTIONS=halt_on_error=1 $(BIN)/ctest --test-dir build/threads --output-on-failure

# By clang with libFuzzer where it is installed; g++ only counts which blocks run, and tests/fuzz/driver.cpp does the rest.
FUZZ_SECONDS ?= 1800
FUZZ_CXX ?= $(firstword $(foreach c,clang++-19 clang++-18 clang++-17 clang++-16,$(shell command -v $(c))) $(CXX))
fuzz: build ## Fuzz every reader: FUZZ_SECONDS of processor time for each (1800)
	$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install -qq atheris || true
	CXX=$(FUZZ_CXX) $(BIN)/cmake -S . -B build/fuzz -DDYNARC_FUZZ=ON
	$(BIN)/cmake --build build/fuzz
	$(BIN)/python -m tests.fuzz.run all $(FUZZ_SECONDS)

mutation: build ## Check that broken oracles are caught
	DYNARC_MUTANTS=all $(BIN)/python -m pytest tests/mutation -q -n 2

bench: build ## Measure the speed of the oracles
	$(BIN)/python benchmarks/oracles.py

# Each Python of PACKAGE_PYTHONS builds a wheel from the sdist, and every wheel that fits it is tested in an environment of
# its own, on a PATH without compilers. The wheel of 3.12 is tested on later ones too.
PACKAGE_PYTHONS ?= $(PYTHON)
DIST := build/dist
package: $(VENV)/.dev ## Build sdist and wheels into build/dist, and try each where there is no compiler
	rm -rf $(DIST) && mkdir -p $(DIST)
	$(BIN)/python -c 'import scikit_build_core.build as b; b.build_sdist("$(DIST)")'
	for python in $(PACKAGE_PYTHONS); do tests/packaging/try_wheel $$python $(DIST) || exit 1; done
	ls -l $(DIST)

docs: build ## Build the documentation into build/site
	$(BIN)/mkdocs build --strict

clean: ## Remove what was built and the caches; the virtual environments stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f $(VENV)/.installed
	find src tests $(wildcard benchmarks experiments) -name __pycache__ -prune -exec rm -rf {} +

# Virtual environments with the dependencies and the tools, but without the package.
$(VENV)/.dev $(SANITIZE_VENV)/.dev: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("dynarc needs Python 3.11 or later; choose one with make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import os, sys, sysconfig; h = sysconfig.get_path("include") + "/Python.h"; sys.exit(0 if os.path.exists(h) else h + " is missing: install the headers of Python (Debian: python3-dev)")'
	test -x $(@D)/bin/pip || $(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*p["dependencies"], *p["optional-dependencies"]["dev"], sep="\n")' > $(@D)/requirements.txt
	$(@D)/bin/python -m pip install -qq -r $(@D)/requirements.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.dev $(NATIVE)
	$(BIN)/python -m pip install -qq --no-build-isolation --no-deps -e .
	@touch $@
