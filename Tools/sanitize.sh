#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs every test with the address sanitizer, which also detects leaks, and with the thread sanitizer. Then checks a service
# for leaks after 10,000 clients have connected and disconnected.
#
#   sanitize.sh [address|thread|leaks] [ARGUMENTS OF swift test]
#
# The service, the command and the tests are built with the sanitizer, in one folder for each sanitizer. A report from
# any of these processes fails the run, even if its test passes. CLIENTS is the number of clients.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$(CDPATH='' cd -- "$here/.." && pwd)
"$here/packages.sh" check
swift=$("$here/find-swift.sh")

reports=$(mktemp -d /tmp/geopublicist-reports.XXXXXX)
# The service runs as several users.
chmod 1777 "$reports"
trap 'rm -rf "$reports"' EXIT
trap 'exit 1' INT TERM
export ASAN_OPTIONS="log_path=$reports/address:quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
export LSAN_OPTIONS="suppressions=$here/leaks.supp:print_suppressions=0"
export TSAN_OPTIONS="log_path=$reports/thread:suppressions=$here/threads.supp"
# For the tests, GEOPUBLICIST_BIN takes precedence over the programs built beside them.
unset GEOPUBLICIST_BIN

# scratch KIND: prints the build folder, which differs between users.
scratch() {
  case $1 in
    address) folder=$package/.build-asan ;;
    thread) folder=$package/.build-tsan ;;
  esac
  [ ! -e "$folder" ] || [ -O "$folder" ] || folder=$folder-$(id -un)
  echo "$folder"
}

# build KIND ARGUMENTS…
build() {
  kind=$1
  shift
  "$swift" build --package-path "$package" --scratch-path "$(scratch "$kind")" --sanitize "$kind" "$@"
}

# run_tests KIND ARGUMENTS…
run_tests() {
  kind=$1
  shift
  build "$kind" --build-tests
  # One after the other, because sanitizers slow everything down while the deadlines stay the same.
  passed=yes
  "$swift" test --package-path "$package" --scratch-path "$(scratch "$kind")" --sanitize "$kind" --skip-build \
    --disable-xctest --no-parallel "$@" || passed=
  no_reports
  [ -n "$passed" ] || exit 1
}

no_reports() {
  [ -n "$(ls "$reports")" ] || return 0
  cat "$reports"/* >&2
  echo "A sanitizer reported errors." >&2
  exit 1
}

leaks() {
  build address --product geopublicistd
  "$here/leaks.py" "$(scratch address)/debug/geopublicistd" "${CLIENTS:-10000}"
  no_reports
}

what=${1:-all}
[ $# -eq 0 ] || shift
case $what in
  address | thread) run_tests "$what" "$@" ;;
  leaks) leaks ;;
  all)
    run_tests address
    leaks
    run_tests thread
    ;;
  *) echo "usage: sanitize.sh [address|thread|leaks] [ARGUMENTS]" >&2; exit 2 ;;
esac
