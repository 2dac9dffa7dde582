# One short line each; the work is in scripts/. `make` alone lists what there is.
.PHONY: help deps console demo test check bench soak fuzz fmt

help:
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20

deps: ## install what is missing (PostgreSQL, Chromium, tmux, npm packages), or say what to install
	@scripts/deps

console: deps ## build the console into console/dist
	@scripts/console

demo: console ## build everything and start the panel with demo data on loopback
	@cargo build --workspace && exec target/debug/panel-server demo --listen 127.0.0.1:8080

test: console ## everything: both databases, terminal and browser tests
	@scripts/test

check: console ## formatting, lints, types, dead code, drift of generated files
	@scripts/check

bench: deps ## the performance table (SCALE=1m or 10m); writes BENCH.md
	@scripts/bench

soak: deps ## the property tests with 100,000 random operations on each database; SEED=n replays one
	@scripts/soak

fuzz: ## the fuzz targets of parsers of foreign data, ten minutes together; prints the seed of a failure
	@scripts/fuzz

fmt: ## format Rust and the console
	@cargo fmt --all && cd console && npx biome format --write .
