#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs piuparts in a minimal Debian: installs, removes and purges the package and looks for leftovers.
#
#   piuparts.sh RELEASE PACKAGE FOLDER        FOLDER: where the minimal Debian is kept for later runs
#
# Run as root. systemd is part of the base system, as on every Debian, because purging it leaves folders behind.
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
