# What can be made here. `make demo` and `make test` need Rust and Python 3.11 or later, and nothing else.
# Everything Python lives in .venv; the extension module is built by maturin with Cargo's release profile.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
# Maturin and Zig look for what they need in the environment that is active.
ACTIVATED := env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/.venv" PATH="$(CURDIR)/$(BIN):$$PATH"
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name '*.csv' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: help
help: ## Say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

.PHONY: demo
demo: .venv/built ## Build, run web search under DCTCP, print the table, write a report
	$(BIN)/xoff run scenarios/web_search.toml

.PHONY: test
test: test-rust test-python test-c ## Run all tests

.PHONY: test-rust
test-rust: ## Run the simulator's tests (debug build: invariants are checked after every packet)
	cargo test --workspace --exclude xoff-py --locked

.PHONY: test-python
test-python: .venv/tools ## Run the tests of the Python face and the command line
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

.PHONY: header
header: ## Write the header of the C interface anew
	cargo run --quiet --manifest-path crates/xoff-c/header/Cargo.toml --target-dir target/header

.PHONY: test-c
test-c: .venv/built ## Build the C example and ASTRA-sim's front end with sanitizers, and run them
	$(BIN)/python tools/try_c.py

.PHONY: nightly
nightly: export XOFF_NIGHTLY := 1
nightly: test ## Run all tests with what CI leaves out: all figures and combinations, more random examples

SECONDS := 60

.PHONY: fuzz
fuzz: ## Look for inputs that break a law, for SECONDS=60 of each target (needs nightly Rust and cargo-fuzz)
	@cargo +nightly fuzz --version >/dev/null 2>&1 || { echo 'Fuzzing needs nightly Rust and cargo-fuzz: rustup toolchain install nightly --profile minimal; cargo install cargo-fuzz' >&2; exit 1; }
	$(PYTHON) tools/fuzz.py $(SECONDS) $(TARGETS)

.PHONY: check
check: check-rust check-python check-prose check-generated ## Lint, check types, look for drift in what is generated

.PHONY: check-rust
check-rust: ## Format and lints of Rust (cargo fmt does not see modules declared inside a macro)
	git ls-files -z '*.rs' | xargs -0 rustfmt --check --edition 2024
	PYO3_PYTHON=$(PYTHON) cargo clippy --workspace --all-targets --locked -- -D warnings

.PHONY: check-python
check-python: .venv/tools ## Format, lints and types of Python; the stub against the built module
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --explicit-package-bases figures
	$(BIN)/python -m mypy.stubtest xoff._xoff

.PHONY: check-prose
check-prose: ## First words and sentence lengths of doc comments, docstrings and pages
	$(PYTHON) tools/prose.py

.PHONY: check-generated
check-generated: .venv/built ## The schema and the reference against the code they are written from
	$(BIN)/python tools/generate.py --check

.PHONY: generate
generate: .venv/built ## Write the schema and the reference anew
	$(BIN)/python tools/generate.py

.PHONY: snapshots
snapshots: export UPDATE_SNAPSHOTS := 1
snapshots: .venv/tools ## Write the tests' snapshots anew; look at the difference before committing it
	cargo test --package xoff --test trajectories --locked
	$(BIN)/python -m pytest --quiet tests/cli/test_listing.py tests/cli/test_init.py

.PHONY: readme
readme: .venv/built ## Put what their commands print into README and guides, and draw the demo
	$(BIN)/python tools/readme.py

.PHONY: gallery
gallery: .venv/built ## Draw the pictures of docs/gallery.md, and write the page
	$(BIN)/python tools/gallery.py

.PHONY: notebooks
notebooks: .venv/tools ## Run the notebooks of examples/ again, and keep what they show
	$(BIN)/python tools/install.py notebooks
	$(BIN)/python tools/notebooks.py

.PHONY: site
site: .venv/site page ## Build the documentation site into build/site, with the page; a dead link is an error
	$(BIN)/python tools/site_pages.py
	$(BIN)/zensical build --clean --strict
	cp -r build/page build/site/try

.PHONY: format
format: .venv/tools ## Format everything
	git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: figures
figures: .venv/built ## Run all published figures again at the quick scale, with a verdict on each claim
	$(BIN)/xoff reproduce

.PHONY: validation
validation: .venv/built ## Run all that is held against Linux and ns-3, and write the tables of docs/validation.md
	$(BIN)/python tools/validate.py --write
	$(BIN)/python tools/validate_ns3.py --write

.PHONY: mutants
mutants: ## List the changes of single expressions of a module that no test notices: make mutants OF=marking
	@test -n '$(OF)' || { echo 'Name a module: make mutants OF=marking' >&2; exit 1; }
	@command -v cargo-mutants >/dev/null || { echo 'Changes are made by cargo-mutants: cargo install cargo-mutants' >&2; exit 1; }
	$(PYTHON) tools/mutants.py $(OF)

.PHONY: page
page: web/node_modules/.package-lock.json ## Build the page in which xoff runs in a browser into build/page (needs Node)
	if command -v rustup >/dev/null; then rustup target add wasm32-unknown-unknown; fi
	cargo build --profile page --locked --package xoff-web --target wasm32-unknown-unknown
	node web/build.mjs build/page target/wasm32-unknown-unknown/page/xoff_web.wasm

.PHONY: test-page
test-page: page .venv/built ## Try the page in Node and Chromium: golden digests, presets, what people click and share
	node --test web/test/*.test.js

.PHONY: bench
bench: .venv/built ## Time the benchmarks: CPU per packet-hop in ns and beside its floor, instructions, memory, threads
	$(BIN)/python tools/bench.py

.PHONY: growth
growth: .venv/built ## Measure how the time of a packet-hop grows with the network, and draw it for docs/speed.md
	$(BIN)/python tools/growth.py

.PHONY: fast-forward
fast-forward: .venv/built ## Hold fast-forward against full runs, and write table and picture of docs/speed.md
	$(BIN)/python tools/fast_forward.py --write

.PHONY: gate
gate: .venv/built ## Fail if a benchmark needs more instructions per packet-hop, or a command more CPU, than it may
	$(BIN)/python tools/bench.py --gate
	$(BIN)/python tools/startup.py

.PHONY: startup
startup: .venv/built ## Measure what a user waits for beside the simulation: start, figures, finished sweeps
	$(BIN)/python tools/startup.py

.PHONY: test-installed
test-installed: .venv/built ## Install a wheel into an environment with nothing else, and use it there
	rm -rf target/installed
	$(BIN)/maturin build --release --locked --out target/installed
	$(BIN)/python tools/try_installed.py target/installed/*.whl

.PHONY: check-release
check-release: .venv/tools ## Pack the sources and the crate, and judge what package indexes would refuse
	rm -rf target/sources
	$(BIN)/maturin sdist --out target/sources
	$(BIN)/twine check --strict target/sources/*
	cargo publish --dry-run --no-verify --allow-dirty --locked --package xoff

.PHONY: wheel
wheel: .venv/packaging ## Build a wheel into dist/ for Linux on this processor: needs glibc 2.28, no Rust
	$(call linux_wheel,$(shell uname -m))

.PHONY: dist
dist: .venv/packaging ## Build what is published into dist/: wheels for x86-64 and aarch64, sources
	rustup target add x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
	$(call linux_wheel,x86_64)
	$(call linux_wheel,aarch64)
	$(BIN)/maturin sdist --out dist

# Zig links against the symbols of glibc 2.28, however new this machine's is.
define linux_wheel
$(ACTIVATED) maturin build --release --locked --zig --compatibility manylinux_2_28 --target $(1)-unknown-linux-gnu --out dist
for wheel in dist/*-manylinux_2_28_$(1).whl; do $(BIN)/auditwheel show "$$wheel" | grep --after-context=1 consistent; done
endef

.PHONY: clean
clean: ## Remove what was built (not results/)
	rm -rf .venv target dist build web/node_modules python/xoff/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@command -v npm >/dev/null || { echo 'The page is bundled by Node, and there is no npm here: on Debian, apt install npm' >&2; exit 1; }
	npm ci --prefix web --no-audit --no-fund --ignore-scripts
	touch $@

# Stamps: what xoff needs to be built and to run, xoff itself, and what develops or packs it.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "xoff needs Python 3.11 or later: make PYTHON=python3.11")'
	@$(PYTHON) -m venv .venv || { echo 'Python lacks venv: on Debian, apt install python3-venv' >&2; rm -rf .venv; exit 1; }

.venv/needed: .venv/bin/python pyproject.toml tools/install.py
	@echo 'Installing what xoff needs: 110 MB to download'
	$(BIN)/python tools/install.py needed
	touch $@

# Maturin shows how far Cargo is, which pip would hide; then pip finds everything compiled.
.venv/built: .venv/needed $(RUST_SOURCES)
	@command -v cargo >/dev/null || { echo 'xoff is compiled by Rust, and there is no cargo here: https://rustup.rs installs it' >&2; exit 1; }
	@echo 'Compiling xoff: 2 minutes on idle cores, 2 or 16, for one compiles the crate xoff, which takes most of them'
	$(ACTIVATED) maturin develop --skip-install --release --locked
	$(ACTIVATED) pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

.venv/tools: .venv/built
	$(BIN)/python tools/install.py dev
	$(BIN)/python tools/install.py models --no-deps
	touch $@

.venv/packaging: .venv/needed
	$(BIN)/python tools/install.py packaging
	touch $@

.venv/site: .venv/built
	$(BIN)/python tools/install.py site
	touch $@
