#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the recipes for Fedora, Arch and NixOS as far as Debian's tools can.
#
#   check-recipes.sh [PROGRAMS]     without compiling: syntax, and Fedora's list of files compared with what is installed;
#                                   PROGRAMS: the folder of the built programs (.build/release)
#   check-recipes.sh --build        builds them from the source archive with this machine's Swift and without the recipes'
#                                   dependencies: rpmbuild, makepkg, the phases of the Nix expression
#   check-recipes.sh --build-check  the same with their tests, which `make check` also runs
#
# The recipes share one tree in .build-recipes, so that Swift compiles it once. As root it is built by `nobody`.
set -eu
cd "$(dirname -- "$0")/.."
Tools/packages.sh recipes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
work=$PWD/.build-recipes
SWIFT=$(Tools/find-swift.sh)
PATH=$(dirname -- "$SWIFT"):$PATH
# Users other than root may run the results.
chmod a+rx "$scratch"
export HOME="$work/home" LC_ALL=C.UTF-8 PATH

fail() {
  echo "$1" >&2
  exit 1
}

# Neither rpmbuild nor makepkg should run as root, and makepkg refuses it.
if [ "$(id -u)" -eq 0 ]; then as_user="setpriv --reuid nobody --regid nogroup --clear-groups --"; else as_user=; fi

# What a failed command has written is shown.
logged() {
  log=$1
  shift
  "$@" > "$log" 2>&1 || { tail -n 40 "$log" >&2; fail "$log"; }
}

# Lists the installed files below a folder, except what rpm names with %license, %doc and %find_lang.
installed() {
  (cd "$1" && find . \( -type f -o -type l \) ! -path '*/doc/*' ! -path '*/licenses/*' ! -path '*/locale/*' \
    ! -path '*/.build-id/*' |
    sed 's|^\.||; s|\(/man/.*\)\.gz$|\1|') | sort
}

# Fedora. Its macros for units are not in Debian.
spec=packaging/fedora/geopublicist.spec
set -- "$@" --macros --define '_unitdir /usr/lib/systemd/system' --define '_userunitdir /usr/lib/systemd/user' \
  --define '_sysusersdir /usr/lib/sysusers.d' --define '_libexecdir /usr/libexec'
programs=.build/release is_building='' nocheck=--nocheck
while [ "$1" != --macros ]; do
  case $1 in
    --build) is_building=yes ;;
    --build-check) is_building=yes nocheck='' ;;
    *) programs=$1 ;;
  esac
  shift
done
shift
rpmspec --parse "$@" "$spec" > "$scratch/parsed"
logged "$scratch/rpmlint" rpmlint --strict --config packaging/fedora/rpmlint.toml "$spec"
# Arch.
install -D -m 644 packaging/arch/PKGBUILD "$scratch/arch/PKGBUILD"
chmod a+rwx "$scratch/arch"
bash -n packaging/arch/PKGBUILD
(cd "$scratch/arch" && $as_user makepkg --printsrcinfo) > "$scratch/srcinfo"
grep -q '^pkgname = geopublicist$' "$scratch/srcinfo" || fail "PKGBUILD: no package"
# NixOS. The functions of nixpkgs that the recipes call are replaced by ones that show their arguments.
nix() {
  nix-instantiate --eval --option store dummy:// --strict --json --expr "let
    lib = {
      cleanSource = toString; licenses.asl20 = {}; types = { package = {}; }; literalExpression = text: text;
      mkEnableOption = text: {}; mkOption = option: option; mkIf = is: value: if is then value else {};
      mkDefault = value: value;
    };
    pkgs = { callPackage = path: arguments: path; formats.ini = arguments: { type = {}; generate = name: value: value; }; };
    package = import $PWD/packaging/nix/package.nix {
      inherit lib; stdenv.mkDerivation = derivation: derivation; swiftpm = \"${SWIFT%/bin/swift}\";
      swift = {}; lld = {}; dbus = {}; gettext = {}; glib = {}; pkg-config = {}; polkit = {}; python3 = {}; systemd = {};
      coreutils = \"/coreutils\";
    };
    module = settings: import $PWD/packaging/nix/module.nix { inherit lib pkgs; config.services.geopublicist = settings; };
  in $1"
}
nix package > /dev/null
nix '(module { enable = true; package = 1; settings.Service.idle-timeout = 0; }).config' > "$scratch/module"
nix '(module { enable = false; }).config' | grep -qx '{}' || fail "module.nix: it changes a system on which it is not enabled"
python3 - "$scratch/module" << 'END'
import json, sys
config = json.load(open(sys.argv[1]))
assert config["services"]["dbus"]["packages"] == config["systemd"]["packages"] == [1], config
assert config["environment"]["etc"]["geopublicist/geopublicist.conf"]["source"] == {"Service": {"idle-timeout": 0}}, config
assert "geoclue-demo-agent" in config["services"]["geoclue2"]["whitelistedAgents"], config
assert config["users"]["users"]["geopublicist"]["group"] in config["users"]["groups"], config
END
echo "Fedora: rpmspec, rpmlint; Arch: makepkg --printsrcinfo; NixOS: package and module, evaluated"

if [ -n "$is_building" ]; then
  rm -rf "$work"
  mkdir -p "$work/home" "$work/rpm/SOURCES" "$work/arch/src"
  archive=$(packaging/source-archive.sh "$work/rpm/SOURCES")
  cp packaging/arch/PKGBUILD "$archive" "$work/arch"
  cp "$archive" "$scratch/arch"
  cp "$spec" "$work"
  [ -z "$as_user" ] || chown -R nobody:nogroup "$work"
  tests() { [ -n "$nocheck" ] || grep -h -E '^[0-9]+ tests run' "$1" || fail "$1: no tests"; }

  logged "$work/rpm.log" $as_user rpmbuild -bb --noclean --nodeps $nocheck --define "_topdir $work/rpm" \
    --define "_builddir $work/arch/src" "$@" "$work/geopublicist.spec"
  package=$(ls "$work"/rpm/RPMS/*/geopublicist-[0-9]*.rpm)
  mkdir "$scratch/rpm"
  (cd "$scratch/rpm" && rpm2cpio "$package" | cpio --extract --make-directories --quiet)
  logged "$work/rpmlint.log" rpmlint --config packaging/fedora/rpmlint.toml "$package"
  echo "Fedora: rpmbuild -bb, rpmlint; $(stat -c %s "$package") bytes; $(tests "$work/rpm.log")"

  # Unpacks the archive elsewhere, then continues with the tree that is built already.
  logged "$work/makepkg.log" $as_user sh -euc "cd $scratch/arch && makepkg --nodeps --nobuild
    cd $work/arch && makepkg --nodeps --noextract $nocheck"
  package=$(ls "$work"/arch/geopublicist-*.pkg.tar.*)
  mkdir "$scratch/pacman"
  bsdtar -xf "$package" -C "$scratch/pacman"
  rm "$scratch"/pacman/.[A-Z]*
  installed "$scratch/rpm" > "$scratch/installed-rpm"
  installed "$scratch/pacman" | diff "$scratch/installed-rpm" - >&2 || fail "Arch and Fedora install different files"
  echo "Arch: makepkg; $(stat -c %s "$package") bytes; $(tests "$work/makepkg.log")"

  for phase in build install; do
    nix "package.${phase}Phase" | python3 -c 'import json, sys; print(json.load(sys.stdin))'
  done > "$work/phases"
  logged "$work/nix.log" $as_user env --chdir="$work/arch/src/$(basename "$archive" .tar.xz)" \
    DESTDIR="$work/nix" out=/nix/store/geopublicist bash -euc "runHook() { :; }; . $work/phases"
  outside=$(cd "$work/nix" && find . -type f ! -path './nix/store/geopublicist/*')
  [ -z "$outside" ] || fail "package.nix installs outside of its folder: $outside"
  ! grep -rE '=/usr/(bin|libexec)' "$work/nix" --include='*.service' || fail "package.nix: a unit names a program in /usr"
  echo "NixOS: the phases of package.nix"
  exit
fi

po/build.sh .build/share/locale
PROGRAMS=$programs DESTDIR=$scratch/root PREFIX=/usr SYSTEMUNITDIR=/usr/lib/systemd/system APPARMORDIR='' \
  packaging/install.sh
installed "$scratch/root" > "$scratch/installed"
sed -n '/^%files/,/^%changelog/p' "$scratch/parsed" | sed -n 's/^\(%config(noreplace) \)\?\(\/[^ ]*\)$/\2/p' |
  grep -v '/doc/' > "$scratch/patterns"
while read -r pattern; do
  # shellcheck disable=SC2086
  (cd "$scratch/root" && ls -d .${pattern} 2> /dev/null || ls -d ".${pattern%\*}" 2> /dev/null) | sed 's|^\.||'
done < "$scratch/patterns" | sort > "$scratch/packaged"
diff "$scratch/installed" "$scratch/packaged" >&2 || fail "$spec: its list differs from what is installed"
echo "Fedora: list of files"
