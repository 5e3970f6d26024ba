#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Inspects the package at the top of the tree without installing it: lintian, hardening, dependencies, size.
# container/test.sh installs it.
#
#   check-deb.sh
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
"$source/Tools/packages.sh" deb-check
package=$(ls "$source"/geopublicist_*.deb)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

# Suppressed tags: the first exists only on Debian 12 and is wrong for services started by the bus; the second only means
# that the local lintian is older than the policy version; the third names binary messages, the seeds of a fuzzer.
"$source/packaging/source-package.sh" "$scratch" > /dev/null
lintian --allow-root --info --display-info --display-experimental --pedantic \
  --fail-on error,warning,info,pedantic,experimental \
  --suppress-tags package-supports-alternative-init-but-no-init.d-script,newer-standards-version,very-long-line-length-in-source-file \
  "$package" "$scratch"/*.dsc
echo "lintian: no findings"

dpkg-deb --extract "$package" "$scratch/root"
for program in usr/libexec/geopublicistd usr/bin/geopublicist; do
  # The Swift runtime's libraries were compiled without fortified functions and branch protection.
  hardening-check --nofortify --nocfprotection "$scratch/root/$program" > "$scratch/hardening" ||
    fail "$(cat "$scratch/hardening")"
  readelf --dynamic --program-headers --wide "$scratch/root/$program" > "$scratch/headers"
  ! grep -E 'RPATH|RUNPATH|TEXTREL' "$scratch/headers" || fail "/$program has its own library path or text relocations"
  grep -q 'GNU_STACK .* RW ' "$scratch/headers" || fail "/$program has an executable stack"
done
echo "hardening: PIE, stack protector, RELRO, BIND_NOW, no RPATH, no executable stack"

mkdir "$scratch/programs"
cp "$scratch/root/usr/libexec/geopublicistd" "$scratch/root/usr/bin/geopublicist" "$scratch/programs"
"$source/packaging/check-install.sh" "$scratch/programs"

allowed="libc6 libdbus-1-3 libglib2.0-0 libgcc-s1 default-dbus-system-bus geoclue-2.0 systemd"
# Essential on every Debian system. debhelper adds it because of the user units.
allowed="$allowed init-system-helpers"
for dependency in $(dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/^ *\([^ ]*\).*/\1/'); do
  case " $allowed " in *" $dependency "*) ;; *) fail "Unexpected dependency: $dependency" ;; esac
done
size=$(stat -c %s "$package")
# Half a megabyte of it is the table of places.
[ "$size" -le 5000000 ] || fail "The package exceeds 5 MB: $size bytes"
echo "size: $size bytes; dependencies: $(dpkg-deb --field "$package" Depends)"
