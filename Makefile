# Everything runs from .venv, which the first target creates. Only Python >= 3.11, a C++20 compiler and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.installed
CPP := $(wildcard cpp/*/*.cpp cpp/*/*.hpp cpp/tests/*/*.cpp cpp/tests/*/*.hpp)
NATIVE := $(filter-out cpp/tests/%, $(CPP))

.PHONY: help demo test test-cpp test-spark fuzz mutants lint format bench docs sanitize clean

help:
	@echo "make demo | test | fuzz | mutants | lint | format | bench | docs | sanitize | clean"

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ldag needs Python 3.11 or newer, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)

# The package alone, for the demo; everything else adds the tools of development.
$(PACKAGE): $(VENV)/bin/python pyproject.toml CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(STAMP): $(VENV)/bin/python pyproject.toml CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(PACKAGE)

demo: $(PACKAGE)
	@$(BIN)/python examples/demo.py

# Bytecode is kept whatever the environment says: workers and the commands they start load the package many times.
test: $(STAMP) test-cpp
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2

test-cpp: $(STAMP)
	@$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DLDAG_TESTS=ON -DCMAKE_BUILD_TYPE=Debug > /dev/null
	@$(BIN)/cmake --build build/cpp --target ldag_tests > build/cpp/build.log || { cat build/cpp/build.log; exit 1; }
	@build/cpp/ldag_tests

sanitize: $(STAMP)
	@for kind in address,undefined thread; do \
	  $(BIN)/cmake -S . -B build/sanitize-$$kind -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DLDAG_TESTS=ON -DLDAG_SANITIZE=$$kind -DCMAKE_BUILD_TYPE=Debug > /dev/null && \
	  $(BIN)/cmake --build build/sanitize-$$kind --target ldag_tests && \
	  build/sanitize-$$kind/ldag_tests || exit 1; \
	done

fuzz: $(STAMP)
	LDAG_FUZZ=$(or $(N),100000) $(BIN)/python -m pytest -n 2 tests/property/formats/test_fuzz.py

# One small change at a time of what decides something: some test has to notice (ONLY=part of a path, N=per file).
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants $(ONLY) --per-file $(or $(N),4)

# needs a Java runtime (Debian: default-jre-headless)
test-spark: $(STAMP)
	@$(BIN)/python -c "import pyspark" 2> /dev/null || $(BIN)/python -m pip install --quiet pyspark
	$(BIN)/python -m pytest tests/spark

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(STAMP)
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(CPP)

bench: $(STAMP)
	@test -e $(VENV)/.bench || $(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $(VENV)/.bench
	@for name in $(basename $(notdir $(wildcard benchmarks/bench_*.py))); do $(BIN)/python -m benchmarks.$$name || exit 1; done

docs: $(STAMP)
	@test -x $(BIN)/sphinx-build || $(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "the pages are in docs/_build/html/index.html"

clean:
	rm -rf $(VENV) build dist docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
