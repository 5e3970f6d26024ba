#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian package for arm64 and tests it under emulation: the programs are compiled by sid's Swift on this machine
# against a folder with arm64's libraries, the package is made in a minimal arm64 sid, and its test of a replayed track runs
# there.
#
#   arm64.sh [OUTPUT]               OUTPUT: folder for the package (top of the tree)
#
# Run as root, on amd64. The root file systems are created once and kept in .build-deb/containers.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
output=${1:-$source}
[ "$(id -u)" -eq 0 ] || { echo "Containers need root" >&2; exit 1; }
"$source/Tools/packages.sh" deb-arm64
containers=$source/.build-deb/containers
work=$source/.build-deb/arm64
tree=$work/tree
triple=aarch64-unknown-linux-gnu
mkdir -p "$containers" "$work"

# The kernel must start arm64's programs with the emulator, also inside containers, where that is not installed.
formats=/proc/sys/fs/binfmt_misc
[ -e "$formats/register" ] || mount -t binfmt_misc none "$formats"
[ -e "$formats/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf > "$formats/register"

echo "== arm64: containers"
root=$source/packaging/container/root.sh
"$root" --only sid "$containers/build-arm64" swiftlang,lld,gettext,libc6-dev,libdbus-1-dev,libglib2.0-dev,make,python3
# Compiled against, never run.
"$root" --files sid "$containers/sysroot-arm64" \
  swiftlang,libc6-dev,libgcc-14-dev,libstdc++-14-dev,libdbus-1-dev,libglib2.0-dev
ln -sfn usr/lib "$containers/sysroot-arm64/lib"
ln -sfn ../libexec/swift/lib/swift_static "$containers/sysroot-arm64/usr/lib/swift_static"
"$root" --arm64 sid "$containers/arm64" \
  debhelper,dh-apparmor,fakeroot,libdbus-1-dev,libglib2.0-dev,python3,dbus,systemd-standalone-sysusers

echo "== arm64: programs"
"$source/packaging/source-tree.sh" "$tree"
gcc=--gcc-install-dir=/sysroot/usr/lib/gcc/aarch64-linux-gnu/14
include="-I/sysroot/usr/include/dbus-1.0 -I/sysroot/usr/lib/aarch64-linux-gnu/dbus-1.0/include
  -I/sysroot/usr/include/glib-2.0 -I/sysroot/usr/lib/aarch64-linux-gnu/glib-2.0/include"
words() { for word; do printf '%s"%s"' "${separator-}" "$word"; separator=,; done; separator=; }
clang() { for word; do printf ',"-Xcc","%s"' "$word"; done; }
# shellcheck disable=SC2086
cat > "$work/destination.json" <<EOF
{
  "version": 1,
  "sdk": "/sysroot",
  "toolchain-bin-dir": "/usr/bin",
  "target": "$triple",
  "extra-cc-flags": [$(words -fPIC "$gcc" $include)],
  "extra-swiftc-flags": ["-sdk", "/sysroot", "-resource-dir", "/sysroot/usr/lib/swift_static", "-static-stdlib",
    "-Xclang-linker", "$gcc"$(clang $include)],
  "extra-cpp-flags": []
}
EOF
contain() {
  folder=$1
  shift
  systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$folder" --volatile=overlay --pipe "$@"
}
# With this machine's descriptions the linker would search its own folders first.
contain "$containers/build-arm64" --setenv=PKG_CONFIG_PATH=/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig --bind="$tree:/tree" --bind-ro="$containers/sysroot-arm64:/sysroot" \
  --bind-ro="$work/destination.json:/destination.json" --chdir=/tree \
  make build SWIFT=/usr/bin/swift CC="/usr/libexec/swift/bin/clang --target=$triple --sysroot=/sysroot $gcc" \
  SWIFT_FLAGS="--disable-sandbox --destination /destination.json" > "$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log" >&2
  exit 1
}
file -L "$tree/.build/release/geopublicistd" | grep -q aarch64

echo "== arm64: package"
# The programs are there, so nothing is compiled: the compiler is `true`.
contain "$containers/arm64" --bind="$work:/work" --chdir=/work/tree \
  env DEB_BUILD_OPTIONS=terse SWIFT=true \
  dpkg-buildpackage --build=binary --no-sign --no-pre-clean --no-check-builddeps -Ppkg.geopublicist.toolchain
rm -f "$output"/geopublicist_*_arm64.deb
cp "$work"/geopublicist_*_arm64.deb "$output"

echo "== arm64: tests"
contain "$containers/arm64" --bind-ro="$work:/work" --bind-ro="$source/debian/tests:/tests" sh -euc '
  dpkg --force-depends --install /work/geopublicist_*_arm64.deb > /dev/null
  uname -m
  setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/tmp /tests/replay'
echo "== arm64: passed"
