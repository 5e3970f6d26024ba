#!/bin/sh
# The form of the sources, then every test, on buses of dbus-daemon; then those that need a bus once more, on dbus-broker.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$(CDPATH='' cd -- "$here/../.." && pwd)

"$here/packages.sh" check
"$("$here/find-swift.sh")" format lint --strict --recursive "$package/Package.swift" "$package/Sources" "$package/Tests"
"$here/swift.sh" build --build-tests
BUS_BROKER=dbus-daemon "$here/suite.py"
echo "Once more, on dbus-broker:"
BUS_BROKER=dbus-broker "$here/suite.py" --filter 'DBusTests|GeoClueTests|ServiceTests|EndToEndTests'
