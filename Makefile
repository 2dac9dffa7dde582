# Each target is one short line that runs a script of scripts/. `make` without a target lists the targets.
.PHONY: help deps console demo test check generate nightly bench soak torture fuzz fmt advisories release

help: ## list the targets
	@sed -nE 's/^([A-Za-z0-9_.-]+):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

deps: ## install missing packages (PostgreSQL, Chromium, tmux, npm packages), or list them
	@scripts/deps

console: deps ## build the console into console/dist
	@scripts/console

demo: console ## build all programs and start a panel with demo data on loopback
	@cargo build --workspace && exec target/debug/panel-server demo --listen 127.0.0.1:8080

test: console ## all tests: both databases, terminal and browser; PART=rust, console or browser runs a part
	@scripts/test $(PART)

check: console ## formatting, lints, licenses, advisories, types, dead code, outdated types of the console
	@scripts/check

generate: console ## write the generated files again: OpenAPI, types, permissions, schema, keys
	@scripts/generate

nightly: deps ## checks that take too long for every change: all languages, soak, kills, fuzz, bench, cargo-deny; STEPS="fuzz bench"
	@scripts/nightly $(STEPS)

bench: deps ## benchmarks (SCALE=1m or 10m); writes docs/benchmarks
	@scripts/bench

soak: deps ## property tests with 100,000 random operations on each database; SEED=n repeats a run
	@scripts/soak

torture: deps ## faults of every kind for MINUTES=10 on both databases; fails if any data is lost; SEED=n repeats a run
	@scripts/torture

fuzz: ## fuzz tests of the parsers of untrusted data, ten minutes in total; prints the seed of a failure
	@scripts/fuzz

advisories: deps ## update fixtures/advisories.json from RustSec's database; FROM=directory uses a clone of it
	@scripts/advisories renew $(FROM)

release: deps ## build the release programs, their bill of materials (CycloneDX) and SHA256SUMS in target/dist
	@scripts/release

fmt: ## format Rust and the console
	@cargo fmt --all && cd console && npx biome format --write .
