# The tasks of a developer. `make` without a target lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install build up down demo test image-test torture simulate check bench fuzz site sanitize dist package-test format clean

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

demo: install ## deliver half a million pushes on this machine, with simulators
	@scripts/build --product martlet
	@scripts/build --product martlet-simulator
	@$(RUN) examples/demo/run

test: install ## build and run all tests, with private servers; for some of them: scripts/test --filter NAME
	@$(RUN) scripts/test

image-test: install ## deliver two pushes from the image that deploy/image/build has built; needs root
	@$(RUN) deploy/image/test

torture: build ## kill workers and servers, cut connections, and account for every recipient; options SEED=7 MINUTES=10 CLUSTER=3
	@$(RUN) .build/release/martlet-torture $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(CLUSTER),--cluster $(CLUSTER))

simulate: build ## run whole fleets in virtual time and judge them; options SECONDS=300 SEED=7
	@$(RUN) .build/release/martlet-simulate --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

check: install ## check format, imports, file sizes, words, links and schemas; scripts/check --all runs slow checks too
	@$(RUN) scripts/check

bench: build ## measure the cost of pushes; REPORT=bench.html writes a report and also measures other clients
	@$(RUN) Tests/Benchmarks/run $(if $(REPORT),--report '$(REPORT)')

fuzz: build ## fuzz each target for a minute; Tests/Fuzzing/run TARGET --seconds N fuzzes one
	@$(RUN) Tests/Fuzzing/run

site: build ## build the documentation site in .local/site/built; scripts/site --serve 8000 also serves it
	@$(RUN) scripts/site

sanitize: install ## run the tests with the thread sanitizer, then with the address sanitizer
	@$(RUN) scripts/sanitize

dist: install ## build the program, Debian packages, image, chart and checksums in .build/dist
	@$(RUN) scripts/dist

package-test: dist ## install, use, upgrade and purge the packages in clean Debian 12 and 13 roots; takes minutes
	@scripts/package-test bookworm
	@$(RUN) scripts/package-test trixie

format: ## format the Swift code in place
	@scripts/format

clean: ## delete builds, servers' data and logs
	@scripts/clean
