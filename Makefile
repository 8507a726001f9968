# Palisade: `make help` lists the targets.
export CGO_ENABLED = 0
GO       ?= go
PREFIX   ?= /usr/local
DESTDIR  ?=
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X main.version=$(VERSION)
FUZZTIME ?= 20s

.PHONY: help deps build install demo test race lint fuzz bench soak determinism escapes docs check golden reexports wellknown

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | sort | awk -F ':.*## ' '{printf "  %-11s %s\n", $$1, $$2}'

deps: ## install what the tests need (asks for root only if something is missing)
	@sh scripts/deps.sh test

build: ## build the one static binary, ./palisade
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o palisade ./cmd/palisade

install: build ## put binary, completions and man page under PREFIX (default /usr/local)
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' sh scripts/install.sh

demo: ## run a program, refuse an attack, verify the record
	@sh scripts/deps.sh demo
	@echo "Building; the first time takes a minute or two, since gVisor is built too."
	@$(MAKE) --no-print-directory build
	@sh scripts/demo.sh

test: deps ## every test that this machine can run; never from the cache, which does not see the machine
	$(GO) test -count=1 -timeout 50m ./...

race: ## the tests of what runs concurrently, under the race detector (needs gcc; without gVisor)
	CGO_ENABLED=1 $(GO) test -race . ./internal/analysis/foreign ./internal/audit/... ./internal/approval/... ./internal/policy/... ./internal/feedback/... ./internal/redact/... ./internal/store ./internal/auth ./internal/httpapi

lint: ## vet and the linters pinned in tools/go.mod
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...

fuzz: ## every fuzz target for FUZZTIME each
	@sh scripts/fuzz.sh $(FUZZTIME)

bench: build ## figures as ratios to a baseline in the same run
	./palisade bench parse
	./palisade bench scan # needs bandit: apt-get install bandit
	./palisade bench run --peers --markdown docs/performance.md --svg docs/performance.svg

escapes: ## the escape corpus against the real back-ends
	PALISADE_REQUIRE=gvisor $(GO) test -count=1 -v -run Sandbox ./internal/sandbox/gvisor

soak: ## 3,000 programs of every kind, eight at once, through each back-end
	PALISADE_SOAK=3000 PALISADE_REQUIRE=gvisor,native $(GO) test -count=1 -timeout 3h -v -run '^TestSoak$$' ./internal/sandbox/gvisor ./internal/sandbox/native

determinism: build ## every program of PAL and HumanEval and our own, twice, byte for byte (takes long)
	PALISADE_DETERMINISM=all PALISADE_REQUIRE=gvisor,corpora $(GO) test -count=1 -timeout 4h -v -run TestDeterministic ./local

docs: ## the README's commands and the documents' claims
	PALISADE_REQUIRE=gvisor $(GO) test -count=1 -run 'TestArchitectureTable|TestSpecificationNamesTests|TestReadme|TestServeGuide' . ./cmd/palisade

golden: ## rewrite the golden files from what the code says now
	$(GO) test ./cmd/palisade ./internal/... -update

wellknown: ## regenerate the names of well-known packages from Debian's archive
	@sh scripts/wellknown.sh

reexports: ## regenerate the table of modules that other modules expose
	@sh scripts/reexports.sh

check: deps lint race ## what CI runs: everything, with no skip
	PALISADE_REQUIRE=gvisor,native,python,corpora,rootless,shell,javascript,postgres,e2b $(MAKE) test
	$(MAKE) demo
