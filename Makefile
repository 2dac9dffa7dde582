# One short line each; the work is in scripts/. `make` alone lists what there is.
.PHONY: help deps console demo test check generate nightly bench soak torture fuzz fmt advisories release

help: ## list the targets
	@sed -nE 's/^([A-Za-z0-9_.-]+):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

deps: ## install what is missing (PostgreSQL, Chromium, tmux, npm packages), or say what to install
	@scripts/deps

console: deps ## build the console into console/dist
	@scripts/console

demo: console ## build everything and start the panel with demo data on loopback
	@cargo build --workspace && exec target/debug/panel-server demo --listen 127.0.0.1:8080

test: console ## everything: both databases, terminal and browser tests; PART=rust, console or browser for a part
	@scripts/test $(PART)

check: console ## formatting, lints, licences, advisories, types, dead code, drift of the console's types
	@scripts/check

generate: console ## write the files again that are made from the code: OpenAPI, types, permissions, schema, keys
	@scripts/generate

nightly: deps ## what is too long for every change: all languages, soak, kills, fuzz, bench, cargo-deny; STEPS="fuzz bench"
	@scripts/nightly $(STEPS)

bench: deps ## the performance table (SCALE=1m or 10m); writes docs/benchmarks
	@scripts/bench

soak: deps ## the property tests with 100,000 random operations on each database; SEED=n replays one
	@scripts/soak

torture: deps ## faults of every kind for MINUTES=10 on both databases, and what they lost: 0; SEED=n repeats one
	@scripts/torture

fuzz: ## the fuzz targets of parsers of foreign data, ten minutes together; prints the seed of a failure
	@scripts/fuzz

advisories: deps ## renew fixtures/advisories.json from RustSec's database; FROM=directory takes a clone of it
	@scripts/advisories renew $(FROM)

release: deps ## the release programs, their bill of materials (CycloneDX) and SHA256SUMS in target/dist
	@scripts/release

fmt: ## format Rust and the console
	@cargo fmt --all && cd console && npx biome format --write .
