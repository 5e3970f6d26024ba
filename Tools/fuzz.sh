#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes all code that parses untrusted input, with libFuzzer and the address sanitizer, and attacks the service on its
# bus.
#
#   fuzz.sh [TARGET…]
#
# TARGET is a target from Tests/Fuzz/Targets/Entry.swift, `units` for all of these, or `bus`; by default everything
# runs. SECONDS_EACH (default 8) is the time for each target, and for each of the three places where the service is
# attacked, on each broker. With SEED, libFuzzer tries the same inputs in the same order each time, as a gate should.
# Inputs that reach new code are kept in the folder CORPUS (default: beside the build), and inputs that break a target
# in CORPUS/crash-TARGET-…:
#
#   FUZZ_TARGET=gpx .build-fuzz/debug/fuzz .build-fuzz/corpus/crash-gpx-…
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$(CDPATH='' cd -- "$here/.." && pwd)
seconds=${SECONDS_EACH:-8}

"$here/packages.sh" fuzz
swift=$("$here/find-swift.sh")
fuzz=$package/.build-fuzz
[ ! -e "$fuzz" ] || [ -O "$fuzz" ] || fuzz=$fuzz-$(id -un)
corpus=${CORPUS:-$fuzz/corpus}

all=$(sed -n 's/^  "\([a-z]*\)": fuzz.*/\1/p' "$package/Tests/Fuzz/Targets/Entry.swift")
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all bus
# shellcheck disable=SC2086
[ "$*" != units ] || set -- $all

# The linker: SwiftPM and libFuzzer both have a `main`, and gold has no option that permits this.
build_targets() {
  GEOPUBLICIST_FUZZ=1 "$swift" build --package-path "$package" --scratch-path "$fuzz" --product fuzz \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld -Xlinker -z -Xlinker muldefs
}

run_target() {
  echo "$1:"
  mkdir -p "$corpus/$1"
  seeds=$package/Tests/Fuzz/Seeds/$1
  [ -d "$seeds" ] || seeds=
  # Swift's own crash handler would hide the crash from the sanitizer.
  if FUZZ_TARGET=$1 SWIFT_BACKTRACE=enable=no LSAN_OPTIONS=suppressions=$here/leaks.supp:print_suppressions=0 \
    "$fuzz/debug/fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 ${SEED:+"-seed=$SEED"} \
    -artifact_prefix="$corpus/crash-$1-" "$corpus/$1" ${seeds:+"$seeds"} > "$corpus/$1.log" 2>&1
  then
    sed -n 's/^stat::number_of_executed_units: */  runs: /p' "$corpus/$1.log"
  else
    cat "$corpus/$1.log" >&2
    return 1
  fi
}

attack() {
  asan=$package/.build-asan
  [ ! -e "$asan" ] || [ -O "$asan" ] || asan=$asan-$(id -un)
  "$swift" build --package-path "$package" --scratch-path "$asan" --sanitize address --product geopublicistd
  for broker in dbus-daemon dbus-broker; do
    /usr/bin/python3 "$package/Tests/Fuzz/Bus/fuzz.py" "$asan/debug/geopublicistd" "$broker" "$seconds"
  done
}

is_built=
for target; do
  if [ "$target" = bus ]; then
    attack
  else
    [ -n "$is_built" ] || build_targets
    is_built=yes
    run_target "$target"
  fi
done
