#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lets piuparts install, remove and purge the package in a small Debian and look for what is left.
#
#   piuparts.sh RELEASE PACKAGE FOLDER        FOLDER: where the small Debian is kept for the next time
#
# As root. systemd is in it from the beginning, as on every Debian: it leaves folders of its own when it is purged.
set -eu
release=$1
package=$2
base=$3/base-$release.tar.gz

mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | head -n 1
}
[ -n "$(mirror)" ] || apt-get update -q
if [ ! -e "$base" ]; then
  mmdebstrap --quiet --variant=apt --include=systemd-sysv "$release" "$base.new.tar.gz" "$(mirror)"
  mv "$base.new.tar.gz" "$base"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! piuparts --basetgz="$base" --keep-sources-list --distribution="$release" "$package" > "$log" 2>&1; then
  cat "$log"
  exit 1
fi
grep -o 'PASS: .*' "$log"
