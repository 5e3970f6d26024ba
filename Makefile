# SPDX-License-Identifier: Apache-2.0

.DEFAULT_GOAL := help
.PHONY: help translations build install uninstall demo pictures docs test check simulate mutants fuzz sanitize bench held
.PHONY: soak siege deb deb-check deb-test deb-arm64 release

SWIFT ?= $(shell Tools/find-swift.sh)
SWIFT_BUILD = Tools/swift.sh build

# What the package is built with, and what the benchmarks measure: a stock SwiftPM release build. The standard library is
# linked statically, since no distribution promises a stable shared one. So is the C++ library, of which Swift's runtime
# needs 74 kB while the shared one keeps 0.9 MB resident: a folder that has only the static one is searched first. Nothing
# is exported from the programs, so that the linker can drop what they do not call; relative relocations keep tables out
# of memory. The rest is hardening.
STATIC_LIBRARIES = $(CURDIR)/.build/static
RELEASE_FLAGS = --configuration release --static-swift-stdlib --disable-local-rpath \
  -Xswiftc -L$(STATIC_LIBRARIES) -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -enable-stack-protector \
  $(addprefix -Xlinker ,--gc-sections --as-needed --no-export-dynamic --build-id=sha1 \
  -z now -z relro -z noexecstack -z pack-relative-relocs)

PROGRAMS = geopublicistd geopublicist
help:
	@echo "make build        build the programs for installation"
	@echo "make install      install them: PREFIX=/usr/local DESTDIR= (see packaging/install.sh)"
	@echo "make uninstall    remove what make install has installed, given the same variables"
	@echo "make test         run every test, about six minutes: VERBOSE=1; make check is the same"
	@echo "make simulate     run the service in simulated worlds: MINUTES=2 SEED= VERBOSE="
	@echo "make mutants      show that the simulation finds defects: MUTANTS=FOLDER"
	@echo "make demo         show live locations on a private bus until Ctrl-C"
	@echo "make translations collect the texts for people from the sources into po"
	@echo "make docs         build the documentation of the Swift libraries: .build/docs"
	@echo "make pictures     draw the README's pictures again, from a real terminal"
	@echo "make fuzz         fuzz everything that reads input: SECONDS_EACH=8 TARGETS=\"gpx bus\""
	@echo "make sanitize     run every test with the address and thread sanitizers"
	@echo "make bench        compare the service with GeoClue alone: BENCH=--quick"
	@echo "make held         count the seconds for which GeoClue is held: MINUTES=60"
	@echo "make soak         run under load with faults: MINUTES=30"
	@echo "make siege        let one user attack the service of another: SECONDS_EACH=10 ATTACKS="
	@echo "make deb          build the Debian package"
	@echo "make deb-check    build it and inspect it: lintian, hardening, dependencies, size"
	@echo "make deb-test     build it and try it in containers (as root): RELEASES=\"bookworm trixie sid\""
	@echo "make deb-arm64    build it for arm64 and try it under emulation (as root, on amd64)"
	@echo "make release      check that everything agrees on VERSION=1.2.0, build the archive and the recipes: QUICK= PREVIOUS="

build:
	@mkdir -p $(STATIC_LIBRARIES)
	@ln -sf "$$($(CC) -print-file-name=libstdc++.a)" $(STATIC_LIBRARIES)
	@packaging/places/pack.py .build/share/geopublicist/places
	@po/build.sh .build/share/locale
	@for program in $(PROGRAMS); do \
	  $(SWIFT) build $(RELEASE_FLAGS) $(SWIFT_FLAGS) --product $$program || exit 1; done

install:
	@packaging/install.sh

uninstall:
	@packaging/install.sh --uninstall

demo:
	@Tests/Rig/demo.sh

pictures:
	@Tools/packages.sh pictures
	@$(SWIFT_BUILD) --product geopublicistd
	@$(SWIFT_BUILD) --product geopublicist
	@docs/pictures/pictures.py "$$($(SWIFT_BUILD) --show-bin-path)"

translations:
	@po/update.py

docs:
	@docs/build.sh

test check:
	@Tools/check.sh

simulate:
	@MINUTES="$(or $(MINUTES),2)" SEED="$(SEED)" VERBOSE="$(VERBOSE)" Tests/Simulation/simulate.py

mutants:
	@MUTANTS="$(MUTANTS)" Tests/Simulation/mutants.py

fuzz:
	@Tools/fuzz.sh $(TARGETS)

sanitize:
	@Tools/sanitize.sh

bench:
	@Benchmarks/bench.py $(BENCH)

held:
	@Benchmarks/held.py $(if $(MINUTES),--minutes $(MINUTES))
	@Benchmarks/regions.py --no-build

soak:
	@Tests/Soak/soak.py $(if $(MINUTES),--minutes $(MINUTES))

siege:
	@Tests/Siege/siege.py $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) $(ATTACKS)

deb:
	@packaging/build-deb.sh

deb-check: deb
	@packaging/check-deb.sh

deb-test: deb
	@packaging/container/test.sh $(RELEASES)

deb-arm64:
	@packaging/container/arm64.sh

release:
	@packaging/release.py $(VERSION)
