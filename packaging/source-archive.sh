#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Creates the source archive of this tree, without debian/. The same files always result in the same archive, bit for bit.
#
#   source-archive.sh FOLDER        the folder for geopublicist-VERSION.tar.xz; prints its path
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
version=$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Version)
date=$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Timestamp)
name=geopublicist-${version%-*}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$source/packaging/source-tree.sh" "$scratch/$name"
rm -r "$scratch/$name/debian"
LC_ALL=C tar -C "$scratch" --format=gnu --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
  -cf "$scratch/$name.tar" "$name"
xz --threads=1 -6 "$scratch/$name.tar"
mv "$scratch/$name.tar.xz" "$folder"
echo "$folder/$name.tar.xz"
