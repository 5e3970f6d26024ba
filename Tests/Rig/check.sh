#!/bin/sh
# Every test, on a private bus of dbus-daemon; then those that have a bus, on dbus-broker.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

"$here/packages.sh" check
"$here/swift.sh" build --build-tests
"$here/swift.sh" test --skip-build
