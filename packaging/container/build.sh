#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian package from its source package, as Debian's builders do: in a minimal Debian with the build dependencies
# and Debian's own Swift, without a network, with the tests that run at build time.
#
#   build.sh RELEASE SOURCE OUTPUT FOLDER    SOURCE: folder with the .dsc; OUTPUT: folder for the .deb, emptied first;
#                                            FOLDER: where the minimal Debian is kept for later runs
#
# Run as root.
set -eu
release=$1
source=$2
output=$3
root=$4/build-$release
control=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)/debian/control

# Names alone: dpkg-buildpackage checks the versions. Neither architecture qualifiers nor profiles mean anything to mmdebstrap.
dependencies=$(sed -n '/^Build-Depends:/,/^[^ ]/ s/^ \([^ ,:]*\).*/\1/p' "$control" | sort)
# shellcheck disable=SC2086
packages=$(printf '%s\n' build-essential fakeroot $dependencies | paste -s -d ,)
"$(dirname -- "$0")/root.sh" --only "$release" "$root" "$packages"

rm -rf "$output"
mkdir -p "$output"
log=$output/build.log
# Neither a network nor the rest of this machine; what it writes to the system goes to memory.
if ! systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" --volatile=overlay \
  --bind="$output:/build" --bind-ro="$source:/source" --chdir=/build --pipe sh -euc '
    dpkg-source --no-check --extract /source/*.dsc tree
    cd tree
    dpkg-buildpackage --build=binary --no-sign
    rm -rf /build/tree
  ' > "$log" 2>&1; then
  tail -n 60 "$log" >&2
  exit 1
fi
grep -E '^[0-9]+ tests run' "$log"
