#!/bin/sh
# Every test, on buses of dbus-daemon; then those that need a bus once more, on buses of dbus-broker.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

"$here/packages.sh" check
"$here/swift.sh" build --build-tests
BUS_BROKER=dbus-daemon "$here/suite.py"
echo "Once more, on dbus-broker:"
BUS_BROKER=dbus-broker "$here/suite.py" --filter 'DBusTests|GeoClueTests|ServiceTests|EndToEndTests'
