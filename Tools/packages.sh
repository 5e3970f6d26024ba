#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the packages that are needed besides Swift, if they are missing.
#
#   packages.sh make|build|demo|pictures|fuzz|check|bench|soak|deb|deb-check|deb-test|deb-arm64|recipes
#
# Debian 12 or later. Without root it uses sudo, but only if something is missing. While another program uses apt, as
# unattended upgrades do on a new machine, it waits for up to five minutes.
set -eu

build="gettext libdbus-1-dev libglib2.0-dev pkg-config"
demo="$build dbus geoclue-2.0 python3 util-linux"
pictures="$demo tmux"
check="$demo dbus-broker gir1.2-glib-2.0 libglib2.0-bin libxml2-utils polkitd procps python3-dbus python3-gi systemd"
# For the tests of the command and the examples: readers of its tracks, shells that complete its options, and the
# examples' languages.
check="$check bash-completion fish gcc gjs gpsbabel jq libc6-dev libglib2.0-dev-bin libsystemd-dev man-db mandoc mosquitto mosquitto-clients zsh"
# 75 MB, for the example that uses code generated for Qt.
check="$check g++ qt6-base-dev qt6-base-dev-tools"
fuzz="$demo dbus-broker"
bench="$demo binutils build-essential dbus-broker libsystemd-dev"
soak="$bench polkitd"
deb="$build build-essential debhelper dh-apparmor fakeroot python3"
deb_check="$deb devscripts lintian"
recipes="$build libarchive-tools makepkg nix-bin pacman-package-manager rpm rpmlint"
deb_test="$deb_check git mmdebstrap piuparts procps systemd-container"
deb_arm64="$deb_test arch-test file qemu-user-static"

case ${1:-} in
  make) wanted=make ;;
  build) wanted=$build ;;
  demo) wanted=$demo ;;
  fuzz) wanted=$fuzz ;;
  pictures) wanted=$pictures ;;
  check) wanted=$check ;;
  bench) wanted=$bench ;;
  soak) wanted=$soak ;;
  deb) wanted=$deb ;;
  deb-check) wanted=$deb_check ;;
  deb-test) wanted=$deb_test ;;
  deb-arm64) wanted=$deb_arm64 ;;
  recipes) wanted=$recipes ;;
  *) echo "usage: packages.sh make|build|demo|pictures|fuzz|check|bench|soak|deb|deb-check|deb-test|deb-arm64|recipes" >&2; exit 2 ;;
esac

if ! command -v dpkg-query > /dev/null; then
  echo "This is not Debian. What is needed there: $wanted" >&2
  exit 0
fi

missing=
for package in $wanted; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "As root: apt-get install$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# apt's own option for waiting covers neither the lock of the lists nor that of the downloads.
apt_get() {
  tries=0
  # shellcheck disable=SC2086
  until $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -y -q "$@" > "$log" 2>&1; do
    grep -q -e 'Could not get lock' -e 'Unable to lock' "$log" || return 1
    [ "$tries" -gt 0 ] || echo "Waiting for another program that uses apt …"
    tries=$((tries + 1))
    [ "$tries" -le 150 ] || return 1
    sleep 2
  done
}
# The package lists may be old or missing.
# shellcheck disable=SC2086
apt_get install --no-install-recommends $missing || {
  apt_get update && apt_get install --no-install-recommends $missing
} || {
  cat "$log" >&2
  exit 1
}
