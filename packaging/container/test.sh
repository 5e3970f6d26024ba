#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests the package at the top of the tree in booted containers: lintian, piuparts, installation, the autopkgtest tests,
# upgrade, removal, purge; then everything that depends on the message bus again with dbus-broker.
#
#   test.sh [RELEASE...]            default: bookworm, trixie and sid
#
# In sid the package is built from its source package with Debian's own Swift, and tested with GeoClue 2.8 on dbus-daemon.
#
# Run as root. The root file systems are created once and kept in .build-deb/containers; each run uses copies.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "Containers need root: sudo make deb-test" >&2; exit 1; }
"$source/Tools/packages.sh" deb-test
. "$source/packaging/container/container.sh"

containers=$source/.build-deb/containers
mkdir -p "$containers"
scratch=$(mktemp -d)
name= bus=
clean_up() {
  stop_container
  rm -rf "$scratch" ${name:+"$containers/$name"}
}
trap clean_up EXIT
trap 'exit 1' INT TERM

"$source/packaging/source-package.sh" "$scratch/source" > /dev/null

# Chooses the package to test, and makes the same with a higher version, for the upgrade.
choose() {
  package=$(ls "$1"/geopublicist_*.deb)
  rm -rf "$scratch/next"
  dpkg-deb --raw-extract "$package" "$scratch/next"
  sed -i 's/^Version: .*/&+next/' "$scratch/next/DEBIAN/control"
  dpkg-deb --root-owner-group -z1 --build "$scratch/next" "$scratch/next.deb" > /dev/null
}

try() {
  echo "== $release${bus:+, $bus}: $1"
  begun=$(date +%s)
  shift
  "$@"
  echo "   $(($(date +%s) - begun)) s"
}

# Boots a new copy of the release's root file system with this program as the system and user message bus.
boot() {
  bus=$1
  name=geopublicist-$release-$$
  folder=$containers/$name
  rm -rf "$folder"
  cp -a --reflink=auto "$containers/$release" "$folder"
  if [ "$bus" = dbus-broker ]; then change=enable; else change=disable; fi
  systemctl --root="$folder" --quiet "$change" dbus-broker.service
  systemctl --root="$folder" --quiet --global "$change" dbus-broker.service
  # systemd 262 tries to mount it in a container and fails.
  systemctl --root="$folder" --quiet mask dev-hugepages.mount
  if [ "$release" = sid ]; then
    # With libproxy, GeoClue 2.8.2 hangs in every second start: one thread holds GLib's lock for modules while libproxy waits
    # for the default GVfs, which the main thread creates while it waits for that lock.
    printf '[Service]\nEnvironment=GIO_USE_PROXY_RESOLVER=dummy\n' |
      install -D -m 644 /dev/stdin "$folder/etc/systemd/system/geoclue.service.d/proxy.conf"
  fi
  # Without a network, apt must not wait for one.
  rm -rf "$folder/etc/apt/sources.list" "$folder"/etc/apt/sources.list.d/*
  mkdir "$folder/srv/tests"
  find "$source/debian/tests" "$source/packaging/container/lifecycle.py" -name __pycache__ -prune -o -type f \
    -exec cp -t "$folder/srv/tests" {} +
  cp "$package" "$folder/srv/package.deb"
  cp "$scratch/next.deb" "$folder/srv/next.deb"
  # With the file names that lintian and autopkgtest expect.
  ln -s package.deb "$folder/srv/$(basename "$package")"
  cp "$scratch"/source/* "$folder/srv"
  start_container
  inside pgrep -x "$bus" > /dev/null || { echo "$bus is not the message bus" >&2; exit 1; }
}

leave() {
  stop_container
  rm -rf "$folder"
  name= bus=
}

check() {
  # The first tags are in check-deb.sh as well; the others complain about what Debian 12 needs.
  suppressed=newer-standards-version,very-long-line-length-in-source-file,older-debian-watch-file-standard
  suppressed=$suppressed,package-uses-old-debhelper-compat-version,redundant-priority-optional-field
  suppressed=$suppressed,redundant-rules-requires-root-no-field
  # Each release knows some of the tags.
  known=$(inside lintian-explain-tags --list-tags | grep -Fx "$(echo "$suppressed" | tr , '\n')" | paste -s -d ,)
  inside lintian --allow-root --info --display-info --display-experimental --pedantic \
    --fail-on error,warning,info,pedantic,experimental --suppress-tags "$known" "$@"
}

# Runs the named tests, or all, like Debian's machines do. The container may be changed.
run_tests() {
  tests=
  for test; do tests="$tests --test-name=$test"; done
  # shellcheck disable=SC2086
  serve_inside autopkgtest --quiet --no-built-binaries --ignore-restrictions=isolation-container,breaks-testbed \
    $tests "/srv/$(basename "$scratch"/source/*.dsc)" "/srv/$(basename "$package")" -- null
}

for release in ${*:-bookworm trixie sid}; do
  echo "== $release: container"
  # check-deb.sh has run this machine's lintian. Newer releases run their own as well.
  if [ "$release" = bookworm ]; then lintian=; else lintian=lintian; fi
  "$source/packaging/container/root.sh" "$release" "$containers/$release" $lintian
  if [ "$release" = sid ]; then
    try "build with Debian's Swift" "$source/packaging/container/build.sh" sid "$scratch/source" "$containers/sid-packages" \
      "$containers"
    choose "$containers/sid-packages"
  else
    choose "$source"
  fi
  boot dbus-daemon
  [ -z "$lintian" ] || try lintian check "/srv/$(basename "$package")" "/srv/$(basename "$scratch"/source/*.dsc)"
  try installation serve_inside /srv/tests/lifecycle.py install /srv/package.deb
  try "AppArmor profile" inside apparmor_parser --skip-kernel-load --skip-cache /etc/apparmor.d/usr.libexec.geopublicistd
  try tests run_tests
  try upgrade serve_inside /srv/tests/lifecycle.py upgrade /srv/next.deb
  try removal serve_inside /srv/tests/lifecycle.py remove
  try purge serve_inside /srv/tests/lifecycle.py purge
  leave
  if [ "$release" = sid ]; then
    echo "== $release: passed"
    continue
  fi

  boot dbus-broker
  try installation serve_inside /srv/tests/lifecycle.py install /srv/package.deb
  try tests run_tests activation locations authorization session command
  try upgrade serve_inside /srv/tests/lifecycle.py upgrade /srv/next.deb
  try removal serve_inside /srv/tests/lifecycle.py remove
  leave

  try piuparts "$source/packaging/container/piuparts.sh" "$release" "$package" "$containers"
  echo "== $release: passed"
done
