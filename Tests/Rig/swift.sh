#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs swift with a build directory of this user's own.
#
#   swift.sh build|test ARGUMENTS
#
# An ordinary user cannot use what root has built: a user who does not own .build gets .build-USER.
set -eu
package=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

scratch=$package/.build
owner=$package
[ ! -e "$scratch" ] || owner=$scratch
[ "$(stat -c %u "$owner")" -eq "$(id -u)" ] || scratch=$package/.build-$(id -un)

# The table that the service looks for in XDG_DATA_DIRS.
places=$scratch/share/geopublicist/places
[ "$places" -nt "$package/packaging/places/places.tsv.xz" ] || "$package/packaging/places/pack.py" "$places"

swift=$("$package/Tests/Rig/find-swift.sh")
command=$1
shift
# Even if git does not trust a tree of another user, SwiftPM builds it.
exec "$swift" "$command" --package-path "$package" --scratch-path "$scratch" "$@"
