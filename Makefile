# What a person does with this project. `make` alone lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install build up down demo test image-test torture check bench fuzz site sanitize dist package-test format clean

# When make is killed, even by SIGKILL, the kernel tells what it was running.
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

down: ## stop them
	@scripts/services down

demo: install ## the main job, end to end, on this machine
	@$(RUN) scripts/build --product martlet
	@$(RUN) demo/run

test: install ## build and run all tests, with private servers
	@$(RUN) scripts/test

image-test: install ## deliver two pushes in the files of the container image that deploy/image/build has made; as root
	@$(RUN) deploy/image/test

torture: build ## kill, freeze, cut and count: docs/torture.md; SEED=7 MINUTES=10 CLUSTER=3 if you like
	@$(RUN) .build/release/martlet-torture $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(CLUSTER),--cluster $(CLUSTER))

check: install ## the quick gate: format, imports, sizes, links, schemas
	@$(RUN) scripts/check

bench: build ## measure, beside h2load and a bare librabbitmq loop; REPORT=bench.html for a page, other clients beside
	@$(RUN) Benchmarks/run $(if $(REPORT),--report '$(REPORT)')

fuzz: build ## fuzz each target for a minute; Fuzzing/run TARGET --seconds N for one
	@$(RUN) Fuzzing/run

site: build ## make a site of the documents and the libraries' reference: .local/site/built; scripts/site --serve 8000 to look at it
	@$(RUN) scripts/site

sanitize: install ## the tests under the thread sanitizer, then the address sanitizer; scripts/sanitize --help
	@$(RUN) scripts/sanitize

dist: install ## program, Debian packages, man pages, completions, checksums, in .build/dist: docs/install.md
	@$(RUN) scripts/dist

package-test: dist ## install, use, upgrade and purge the packages in fresh Debian 12 and 13 roots (some minutes each)
	@scripts/package-test bookworm
	@$(RUN) scripts/package-test trixie

format: ## format the Swift code in place
	@scripts/format

clean: ## delete builds, servers' data and logs
	@scripts/clean
