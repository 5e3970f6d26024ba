#!/bin/sh
# Fuzzes what reads from outside, by libFuzzer with the address sanitizer, and attacks the daemon on its bus.
#
#   fuzz.sh [TARGET…]
#
# TARGET is one of Tests/Fuzz/Targets/Entry.swift, or `bus`; all of them unless given. SECONDS_EACH (default 8) is for
# each target, and for each of the three places in which the bus attacks on each broker. What libFuzzer finds worth keeping
# goes to CORPUS (default: a folder beside the build), and what it breaks to crash-TARGET-… there:
#
#   FUZZ_TARGET=gpx .build-fuzz/debug/fuzz CORPUS/crash-gpx-…
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$here/../..
seconds=${SECONDS_EACH:-8}

"$here/packages.sh" fuzz
swift=$("$here/find-swift.sh")
scratch=$package/.build-fuzz
[ ! -e "$scratch" ] || [ -O "$scratch" ] || scratch=$scratch-$(id -un)
corpus=${CORPUS:-$scratch/corpus}

# The linker: SwiftPM renames `main`, of which libFuzzer has one, too; and gold cannot say so.
GEOPUBLICIST_FUZZ=1 "$swift" build --package-path "$package" --scratch-path "$scratch" --product fuzz \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xlinker -z -Xlinker muldefs
"$swift" build --package-path "$package" --scratch-path "$scratch" --product geopublicistd --sanitize address \
  --build-path-suffix 2> /dev/null || true
