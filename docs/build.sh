#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the documentation of the Swift libraries: one DocC archive of all products and the articles. Warnings are errors.
#
#   build.sh [MODULES OUTPUT]      MODULES: the folder of modules that are built already; OUTPUT: .build/docs unless given
#
# To read it: python3 -m http.server --directory .build/docs, then http://localhost:8000/documentation/geopublicist
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
package=$(CDPATH='' cd -- "$here/.." && pwd)
tools=$(dirname "$(readlink -f "$("$package/Tools/find-swift.sh")")")
if [ $# -eq 2 ]; then
  modules=$1 output=$2
else
  for target in Combine PublicistTesting GeoClue GeopublicistClient MainLoopTasks; do "$package/Tools/swift.sh" build --target "$target"; done
  modules=$("$package/Tools/swift.sh" build --show-bin-path)/Modules
  output=$package/.build/docs
fi
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

set --
for path in $(pkg-config --cflags-only-I dbus-1 glib-2.0); do set -- "$@" -Xcc "$path"; done
for library in CDBus CDispatch CGLib; do set -- "$@" -I "$package/Sources/$library"; done
for module in Publishing PublishingTesting Combine MainLoop MainLoopTasks DBus DBusPublishing GeopublicistLocationModel Publicist PublicistTesting GeoClue \
  GeopublicistContract GeopublicistClient; do
  "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$modules" "$@" \
    -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
done
rm -rf "$output"
"$tools/docc" convert "$here/Geopublicist.docc" --additional-symbol-graph-dir "$graphs" --output-path "$output" \
  --enable-experimental-overloaded-symbol-presentation --fallback-display-name Geopublicist --fallback-bundle-identifier org.geopublicist --warnings-as-errors
