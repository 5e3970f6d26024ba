#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the format of the sources, compares the Swift libraries with the last release, then runs every test on buses of
# dbus-daemon, and those that depend on the bus again on dbus-broker.
#
# Prints what failed and a summary; VERBOSE=1 prints everything.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$(CDPATH='' cd -- "$here/.." && pwd)

# quiet COMMAND…: prints what a command writes only if it fails.
quiet() {
  [ "${VERBOSE:-0}" = 0 ] || { "$@"; return; }
  written=$(mktemp)
  "$@" > "$written" 2>&1 || {
    tail -n 40 "$written" >&2
    rm -f "$written"
    exit 1
  }
  rm -f "$written"
}

echo "Checks the form of the sources, builds, and runs every test: about six minutes on two cores if the tree is built."
quiet "$here/packages.sh" check
"$here/spdx.py"
"$package/po/update.py" --check
quiet "$("$here/find-swift.sh")" format lint --strict --parallel --recursive "$package/Package.swift" "$package/Sources" "$package/Tests"
quiet "$here/swift.sh" build --build-tests
"$here/api.py"
exec "$here/suite.py"
