# Everything a newcomer needs. Each target makes .venv first; nothing outside this folder and the engine's own state
# folder is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(VENV)/.installed

.PHONY: demo demo-faults test test-rooms test-e2e check docs soak bench clean

$(INSTALL): pyproject.toml train/pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,test,dev]' -e './train[s3]'
	touch $@

demo: $(INSTALL)  ## the main job: fraud data -> distributed training -> quality, through the Kubernetes API
	$(BIN)/python examples/fraud-detection/demo.py

demo-faults: $(INSTALL)  ## the same with a suspend/resume and a killed training pod
	$(BIN)/python examples/fraud-detection/demo.py --faults

test: $(INSTALL)  ## all tests
	$(BIN)/python -m pytest

# On the host tier the pods of one engine have the machine's loopback addresses, so what uses it runs in one row.
test-rooms: $(INSTALL)  ## all but those that run whole engines or take the machine's addresses
	$(BIN)/python -m pytest --ignore=tests/e2e --ignore=tests/node/sandbox

test-e2e: $(INSTALL)  ## those
	$(BIN)/python -m pytest tests/e2e tests/node/sandbox

check: $(INSTALL)  ## style, types, import direction, documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file train/pyproject.toml train/src
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/docs

docs: $(INSTALL)  ## write the generated pages anew
	$(BIN)/python -m tests.cli.reference > $(VENV)/page && mv $(VENV)/page docs/cli.md
	$(BIN)/python -m tests.answers.findings_page > $(VENV)/page && mv $(VENV)/page docs/findings.md
	$(BIN)/python -m tests.conformance.differences

soak: $(INSTALL)  ## long runs: fuzz, faults, kills
	$(BIN)/python -m pytest -m soak -p no:cacheprovider

bench: $(INSTALL)  ## the figures of docs/performance.md
	$(BIN)/python benchmarks/all.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
