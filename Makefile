# The two commands for a start; the rest is SwiftPM: swift build, swift test.

.PHONY: demo check

# Live locations on a private bus until Ctrl-C. DURATION=seconds, COUNT=fixes and RATE=fixes-per-second are optional.
demo:
	@Tests/Rig/demo.sh

# Every test, on every bus there is.
check:
	@Tests/Rig/check.sh
