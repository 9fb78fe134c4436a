# Confab: `make demo` shows a live room, `make test` passes the tests.
SHELL := /bin/bash
PREFIX ?= /usr/local
RELEASE := .build/release/confab
ARGS ?=

.PHONY: demo build install uninstall test test-fast lint format docs bench clean

demo: build
	@$(RELEASE) demo $(ARGS)

build:
	@Scripts/bootstrap
	@Scripts/build -c release --product confab

install: build
	install -D -m 755 $(RELEASE) "$(DESTDIR)$(PREFIX)/bin/confab"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/confab"

test:
	@Scripts/bootstrap --tests
	@Scripts/test

test-fast:
	@Scripts/bootstrap
	@Scripts/test --fast

lint:
	swift format lint --strict --recursive --parallel Sources Tests Package.swift

format:
	swift format --in-place --recursive --parallel Sources Tests Package.swift

docs:
	@Scripts/bootstrap
	@Scripts/docs

bench: build
	@Scripts/bootstrap --bench
	@Benchmarks/run

clean:
	rm -rf .build
