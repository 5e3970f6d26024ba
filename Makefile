# The two commands for a start; the rest is SwiftPM: swift build, swift test.

.PHONY: demo check

# Live locations on a private bus until Ctrl-C. DURATION=seconds, COUNT=fixes and RATE=fixes-per-second are optional.
demo:
	@Tests/Rig/demo.sh

# Every test once, on both brokers: what failed, and a summary; VERBOSE=1 prints everything. About six minutes.
check:
	@Tests/Rig/check.sh

.PHONY: bench soak siege

# The service, GeoClue alone and the raw limit side by side, in ten minutes; BENCH="--quick" takes two.
bench:
	@Benchmarks/bench.py $(BENCH)

# MINUTES (30) of fixes, with consumers that come, go, stall and misbehave, and GeoClue and polkit restarted now and then.
soak:
	@Benchmarks/soak.py $(if $(MINUTES),--minutes $(MINUTES))

# One user does its worst for SECONDS_EACH (10), in every way or in those of ATTACKS, while another one's service is measured.
siege:
	@Benchmarks/siege.py $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) $(ATTACKS)

.PHONY: fuzz sanitize

# What reads from outside, fuzzed, and the daemon attacked on its bus: SECONDS_EACH=8 for each, TARGETS="gpx bus" for some.
fuzz:
	@Tests/Rig/fuzz.sh $(TARGETS)

# Every test with the address and the thread sanitizer, and the leaks of 10,000 consumers come and gone.
sanitize:
	@Tests/Rig/sanitize.sh

.PHONY: deb deb-check deb-test

# The Debian package of this tree, at its top: apt install ./geopublicist_*.deb
deb:
	@packaging/build-deb.sh

# Builds it and looks at it: lintian, hardening, dependencies, size. No root, no container.
deb-check: deb
	@packaging/check-deb.sh

# Installs that package in containers of Debian 12 and 13 and tries it there: everything, from activation to purge. As root.
deb-test: deb
	@packaging/container/test.sh
