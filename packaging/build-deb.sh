#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian package from this tree and puts it at the top of the tree.
#
#   build-deb.sh [WORK [OUTPUT]]    WORK: build folder (.build-deb); OUTPUT: folder for the packages (top of the tree)
#
# The build tree is a copy of the source files. Swift's products stay in WORK, so a later build compiles only what has changed.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=${1:-$source/.build-deb}
output=${2:-$source}

"$source/Tools/packages.sh" deb
SWIFT=$("$source/Tools/find-swift.sh")
export SWIFT

version=$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Version)
upstream=${version%-*}
mkdir -p "$work" "$output"
work=$(CDPATH='' cd -- "$work" && pwd)
tree=$work/geopublicist-$upstream

"$source/packaging/source-tree.sh" "$tree"

export DEB_BUILD_OPTIONS="terse ${DEB_BUILD_OPTIONS:-}"
# Debian's own builders use Debian's compiler; other machines use an installed toolchain.
profile=
dpkg-query -W -f '${db:Status-Status}' swiftlang 2> /dev/null | grep -qx installed || profile=-Ppkg.geopublicist.toolchain
# shellcheck disable=SC2086
(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-pre-clean $profile)

rm -f "$output"/geopublicist_*.deb "$output"/geopublicist-dbgsym_*.deb
for package in "$work"/geopublicist_"${version#*:}"_*.deb; do
  cp "$package" "$output"
  echo "Built $output/$(basename "$package")"
done
