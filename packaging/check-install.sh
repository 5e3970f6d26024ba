#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs into a folder in several ways and uninstalls: exactly the files that were there before must be left.
#
#   check-install.sh PROGRAMS       the folder of the built programs
set -eu
packaging=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
install=$packaging/install.sh
PROGRAMS=$(CDPATH='' cd -- "$1" && pwd)
DESTDIR=$(mktemp -d)
export PROGRAMS DESTDIR
trap 'rm -rf "$DESTDIR"' EXIT
# In a clone where only the package was built, the table is missing.
"$packaging/places/pack.py" "$packaging/../.build/share/geopublicist/places"

fail() {
  echo "$1" >&2
  exit 1
}

for PREFIX in /usr /usr/local /opt/location; do
  export PREFIX
  # Neighbours in folders that are shared, and one in a folder of our own.
  mkdir -p "$DESTDIR$PREFIX/bin" "$DESTDIR$PREFIX/share/doc/geopublicist" "$DESTDIR/etc/geopublicist/conf.d"
  touch "$DESTDIR$PREFIX/bin/other" "$DESTDIR$PREFIX/share/doc/geopublicist/other" "$DESTDIR/etc/geopublicist/conf.d/own.conf"
  before=$(cd "$DESTDIR" && find . -type f | sort)
  APPARMORDIR=/etc/apparmor.d "$install"
  [ -e "$DESTDIR$PREFIX/share/licenses/geopublicist/LICENSE" ] || fail "The licence is not installed"
  [ "$PREFIX" = /usr ] || ! grep -rq "/usr/libexec/geopublicistd" "$DESTDIR" --include='*.service' ||
    fail "A unit names a program outside of $PREFIX"
  APPARMORDIR=/etc/apparmor.d "$install" --uninstall
  [ "$(cd "$DESTDIR" && find . -type f | sort)" = "$before" ] ||
    fail "PREFIX=$PREFIX leaves or removes: $(cd "$DESTDIR" && find . -type f)"
  rm -r "$DESTDIR$PREFIX" "$DESTDIR/etc"

  APPARMORDIR=/etc/apparmor.d "$install"
  echo "idle-timeout=0" >> "$DESTDIR/etc/geopublicist/geopublicist.conf"
  APPARMORDIR=/etc/apparmor.d "$install" > /dev/null
  grep -qx "idle-timeout=0" "$DESTDIR/etc/geopublicist/geopublicist.conf" || fail "An upgrade replaces the changed file"
  APPARMORDIR=/etc/apparmor.d "$install" --uninstall | grep -q geopublicist.conf || fail "It does not name the changed file"
  left=$(cd "$DESTDIR" && find . -type f; cd "$DESTDIR" && find . -type d -name geopublicist ! -path ./etc/geopublicist)
  [ "$left" = ./etc/geopublicist/geopublicist.conf ] || fail "PREFIX=$PREFIX leaves: $left"
  rm -r "$DESTDIR/etc"
done
echo "make install, make uninstall: nothing else is changed"
