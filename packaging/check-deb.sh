#!/bin/sh
# Looks at the package at the top of the tree without installing it: lintian, what the linker has hardened, what it
# depends on, its size. For the rest there is container/test.sh.
#
#   check-deb.sh
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
"$source/Tests/Rig/packages.sh" deb-check
package=$(ls "$source"/geopublicist_*.deb)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

# Of the tags that no override explains, the first is only Debian 12's, and wrong for what the bus starts; the second
# says that this machine's lintian is older than the policy.
"$source/packaging/source-package.sh" "$scratch" > /dev/null
lintian --allow-root --info --display-info --display-experimental --pedantic \
  --fail-on error,warning,info,pedantic,experimental \
  --suppress-tags package-supports-alternative-init-but-no-init.d-script,newer-standards-version \
  "$package" "$scratch"/*.dsc
echo "lintian: nothing"

dpkg-deb --extract "$package" "$scratch/root"
program=$scratch/root/usr/libexec/geopublicistd
# The runtime's archives have no code in them that hardening-check would take for fortified, or for a guarded branch.
hardening-check --nofortify --nocfprotection "$program" > "$scratch/hardening" || fail "$(cat "$scratch/hardening")"
readelf --dynamic --program-headers --wide "$program" > "$scratch/headers"
! grep -E 'RPATH|RUNPATH|TEXTREL' "$scratch/headers" || fail "It looks for libraries in a folder of its own"
grep -q 'GNU_STACK .* RW ' "$scratch/headers" || fail "Its stack is executable"
echo "hardening: position-independent, stack protected, relocations read-only, bound at once, no path, no executable stack"

allowed="libc6 libdbus-1-3 libglib2.0-0 libgcc-s1 libstdc++6 default-dbus-system-bus geoclue-2.0 systemd"
for dependency in $(dpkg-deb --field "$package" Depends | tr ',' '\n' | sed 's/^ *\([^ ]*\).*/\1/'); do
  case " $allowed " in *" $dependency "*) ;; *) fail "It depends on $dependency" ;; esac
done
size=$(stat -c %s "$package")
[ "$size" -le 2500000 ] || fail "It is larger than 2.5 MB: $size bytes"
echo "size: $size bytes; dependencies: $(dpkg-deb --field "$package" Depends)"
