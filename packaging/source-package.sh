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
version=$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Version)
date=$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Timestamp)
upstream=${version%-*}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

tree=$scratch/geopublicist-$upstream
"$source/packaging/source-tree.sh" "$tree"
tar -C "$scratch" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
  -cJf "$scratch/geopublicist_$upstream.orig.tar.xz" "geopublicist-$upstream"
(cd "$scratch" && dpkg-source --build "$tree")
rm -f "$folder"/geopublicist_*.dsc "$folder"/geopublicist_*.tar.xz
mv "$scratch"/geopublicist_* "$folder"
