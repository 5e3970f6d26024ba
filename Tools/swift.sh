#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs swift with a build directory for this user.
#
#   swift.sh build|test|package ARGUMENTS
#
# BUILD=NAME uses a folder of that name in it, for flags other than those of the tests.
#
# A user who does not own .build cannot write to it, and uses .build-USER instead.
set -eu
package=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

scratch=$package/.build
owner=$package
[ ! -e "$scratch" ] || owner=$scratch
[ "$(stat -c %u "$owner")" -eq "$(id -u)" ] || scratch=$package/.build-$(id -un)

# The table that the service looks for in XDG_DATA_DIRS.
places=$scratch/share/geopublicist/places
[ "$places" -nt "$package/packaging/places/places.tsv.xz" ] || "$package/packaging/places/pack.py" "$places"

swift=$("$package/Tools/find-swift.sh")
command=$1
shift
# SwiftPM must build the tree even if it belongs to another user, whom git does not trust.
exec "$swift" "$command" --package-path "$package" --scratch-path "$scratch${BUILD:+/$BUILD}" "$@"
