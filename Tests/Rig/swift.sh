#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# swift, wherever it is, with a build directory of this user's own.
#
#   swift.sh build|test ARGUMENTS
#
# What root has built an ordinary user cannot build on: whoever does not own .build gets .build-USER.
set -eu
package=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

scratch=$package/.build
owner=$package
[ ! -e "$scratch" ] || owner=$scratch
[ "$(stat -c %u "$owner")" -eq "$(id -u)" ] || scratch=$package/.build-$(id -un)

swift=$("$package/Tests/Rig/find-swift.sh")
command=$1
shift
# Where git does not trust a tree of somebody else's, SwiftPM still builds it.
exec "$swift" "$command" --package-path "$package" --scratch-path "$scratch" "$@"
