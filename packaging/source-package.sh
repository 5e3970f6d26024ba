#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Creates the Debian source package of this tree, for sbuild, autopkgtest and lintian.
#
#   source-package.sh FOLDER        the folder for the .dsc and its two archives
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

archive=$("$source/packaging/source-archive.sh" "$scratch")
tree=${archive%.tar.xz}
upstream=${tree##*-}
mv "$archive" "$scratch/geopublicist_$upstream.orig.tar.xz"
"$source/packaging/source-tree.sh" "$tree"
(cd "$scratch" && dpkg-source --build "$tree")
rm -f "$folder"/geopublicist_*.dsc "$folder"/geopublicist_*.tar.xz
mv "$scratch"/geopublicist_* "$folder"
