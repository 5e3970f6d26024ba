#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Creates the root file system of a container, unless one with the same packages exists: a minimal Debian with systemd,
# logind, polkit, GeoClue, and what the package's tests need.
#
#   root.sh RELEASE FOLDER [PACKAGE...]           additional packages
#   root.sh --only RELEASE FOLDER PACKAGE...      these alone
#   root.sh --arm64 RELEASE FOLDER PACKAGE...     these alone, for arm64; the kernel must start its programs with an emulator
#   root.sh --files RELEASE FOLDER PACKAGE...     the same, unpacked but not set up, so that none of its programs runs
#
# Run as root. Uses the mirror that this machine's own packages come from.
set -eu
only= options=--variant=apt
case $1 in
  --only) only=yes ;;
  --arm64) only=yes options="--variant=apt --architectures=arm64" ;;
  --files) only=yes options="--variant=extract --architectures=arm64" ;;
esac
[ -z "$only" ] || shift
release=$1
folder=$2
shift 2

packages=systemd-sysv,libpam-systemd,dbus,polkitd,geoclue-2.0,geoclue-2-demo,libglib2.0-bin
packages=$packages,gir1.2-glib-2.0,python3-gi,passwd,procps,strace,apparmor,apt-utils,autopkgtest,dpkg-dev,man-db,dbus-broker,dbus-user-session,tzdata
[ -z "$only" ] || packages=ca-certificates
for package; do packages=$packages,$package; done
[ "$(cat "$folder/.complete" 2> /dev/null)" != "$packages" ] || exit 0

mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | head -n 1
}
[ -n "$(mirror)" ] || apt-get update -q

rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
# The lists of sid are valid for a week only, and a mirror may be older.
# shellcheck disable=SC2086
mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' $options --include="$packages" "$release" "$folder" "$(mirror)"
echo "$packages" > "$folder/.complete"
