# The tasks of a developer. `make` without a target lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install build up down demo test image-test torture check bench fuzz site sanitize dist package-test format clean

# If make is killed, even by SIGKILL, the kernel sends SIGTERM to the program that it was running.
RUN := exec setpriv --pdeathsig TERM

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: ## install the Debian packages that are missing
	@$(RUN) scripts/install

build: install ## build everything, in release configuration
	@$(RUN) scripts/build

up: install ## start a private RabbitMQ and PostgreSQL and leave them running
	@scripts/services up
	@scripts/services status

down: ## stop the servers of make up
	@scripts/services down

demo: install ## deliver a campaign from end to end on this machine
	@scripts/build --product martlet
	@scripts/build --product martlet-simulator
	@$(RUN) demo/run

test: install ## build and run all tests, with private servers
	@$(RUN) scripts/test

image-test: install ## deliver two pushes from the files of the image that deploy/image/build has built; needs root
	@$(RUN) deploy/image/test

torture: build ## kill, freeze and cut off workers, and count outcomes: docs/torture.md; options SEED=7 MINUTES=10 CLUSTER=3
	@$(RUN) .build/release/martlet-torture $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(CLUSTER),--cluster $(CLUSTER))

check: install ## the quick gate: format, imports, sizes, words, links, schemas; scripts/check --all runs the slow gates too
	@$(RUN) scripts/check

bench: build ## measure, and compare with h2load and a bare librabbitmq loop; REPORT=bench.html writes a page and measures other clients too
	@$(RUN) Benchmarks/run $(if $(REPORT),--report '$(REPORT)')

fuzz: build ## fuzz each target for a minute; for one target: Fuzzing/run TARGET --seconds N
	@$(RUN) Fuzzing/run

site: build ## build a site of the documentation and the libraries' reference in .local/site/built; to view it: scripts/site --serve 8000
	@$(RUN) scripts/site

sanitize: install ## run the tests under the thread sanitizer, then the address sanitizer; scripts/sanitize --help
	@$(RUN) scripts/sanitize

dist: install ## build program, Debian packages, man pages, completions and checksums in .build/dist: docs/install.md
	@$(RUN) scripts/dist

package-test: dist ## install, use, upgrade and purge the packages in fresh Debian 12 and 13 roots (some minutes each)
	@scripts/package-test bookworm
	@$(RUN) scripts/package-test trixie

format: ## format the Swift code in place
	@scripts/format

clean: ## delete builds, servers' data and logs
	@scripts/clean
