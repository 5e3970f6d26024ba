#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the recipes for Fedora, Arch and NixOS as far as Debian's tools can: rpmspec and rpmlint, makepkg, nix-instantiate.
# The Fedora package's list of files is compared with what is installed.
#
#   check-recipes.sh [PROGRAMS]     the folder of the built programs (.build/release)
set -eu
cd "$(dirname -- "$0")/.."
Tests/Rig/packages.sh recipes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

# Fedora. Its macros for units are not in Debian.
spec=packaging/fedora/geopublicist.spec
rpmspec --parse --define '_unitdir /usr/lib/systemd/system' --define '_userunitdir /usr/lib/systemd/user' \
  --define '_sysusersdir /usr/lib/sysusers.d' "$spec" > "$scratch/parsed"
rpmlint --strict --config packaging/fedora/rpmlint.toml "$spec" > "$scratch/rpmlint" 2>&1 || fail "$(cat "$scratch/rpmlint")"
po/build.sh .build/share/locale
PROGRAMS=${1:-.build/release} DESTDIR=$scratch/root PREFIX=/usr SYSTEMUNITDIR=/usr/lib/systemd/system APPARMORDIR='' \
  packaging/install.sh
# What is installed, without what %license, %doc and %find_lang name and with compressed manual pages as patterns.
(cd "$scratch/root" && find . -type f ! -path '*/doc/*' ! -path '*/licenses/*' ! -path '*/locale/*' ! -path '*/apparmor.d/*' | sed 's|^\.||') |
  sort > "$scratch/installed"
sed -n '/^%files/,/^%changelog/p' "$scratch/parsed" | sed -n 's/^\(%config(noreplace) \)\?\(\/[^ ]*\)$/\2/p' |
  grep -v '/doc/' > "$scratch/patterns"
while read -r pattern; do
  # shellcheck disable=SC2086
  (cd "$scratch/root" && ls -d .${pattern} 2> /dev/null || ls -d ".${pattern%\*}" 2> /dev/null) | sed 's|^\.||'
done < "$scratch/patterns" | sort > "$scratch/packaged"
diff "$scratch/installed" "$scratch/packaged" >&2 || fail "$spec: its list differs from what is installed"
echo "Fedora: rpmspec, rpmlint, list of files"

# Arch. makepkg does not run as root.
if [ "$(id -u)" -eq 0 ]; then as_user="setpriv --reuid nobody --clear-groups --"; else as_user=; fi
install -D -m 644 packaging/arch/PKGBUILD "$scratch/arch/PKGBUILD"
chmod a+rx "$scratch"
chmod a+rwx "$scratch/arch"
(cd "$scratch/arch" && $as_user makepkg --printsrcinfo) > "$scratch/srcinfo"
grep -q '^pkgname = geopublicist$' "$scratch/srcinfo" || fail "PKGBUILD: no package"
bash -n packaging/arch/PKGBUILD
echo "Arch: makepkg --printsrcinfo"

for file in packaging/nix/*.nix; do nix-instantiate --parse "$file" > /dev/null; done
echo "Nix: syntax"
