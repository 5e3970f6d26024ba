#!/bin/sh
# Tries the package at the top of the tree in booted containers: lintian, installation, the tests that autopkgtest runs,
# upgrade, removal, purge.
#
#   test.sh [RELEASE...]            bookworm and trixie unless given
#
# As root. The containers' roots are made once and kept in .build-deb/containers; each run works on copies.
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "Containers need root: sudo make deb-test" >&2; exit 1; }
"$source/Tests/Rig/packages.sh" deb-test
. "$source/packaging/container/container.sh"

package=$(ls "$source"/geopublicist_*.deb)
containers=$source/.build-deb/containers
mkdir -p "$containers"
scratch=$(mktemp -d)
name=
clean_up() {
  stop_container
  rm -rf "$scratch" ${name:+"$containers/$name"}
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# The same with a higher version, for the upgrade.
dpkg-deb --raw-extract "$package" "$scratch/next"
sed -i 's/^Version: .*/&+next/' "$scratch/next/DEBIAN/control"
dpkg-deb --root-owner-group -z1 --build "$scratch/next" "$scratch/next.deb" > /dev/null

try() {
  echo "== $release: $1"
  shift
  "$@"
}

for release in ${*:-bookworm trixie}; do
  echo "== $release: container"
  "$source/packaging/container/root.sh" "$release" "$containers/$release"
  name=geopublicist-$release
  folder=$containers/$name
  rm -rf "$folder"
  cp -a --reflink=auto "$containers/$release" "$folder"
  mkdir "$folder/srv/tests"
  cp "$source"/packaging/debian/tests/* "$source/packaging/container/lifecycle.py" "$folder/srv/tests"
  cp "$package" "$folder/srv/package.deb"
  cp "$scratch/next.deb" "$folder/srv/next.deb"
  # The name that lintian wants to see.
  ln -s package.deb "$folder/srv/$(basename "$package")"
  start_container

  # Debian 12's lintian misses an init script; the message bus starts the service, and without systemd it has no sandbox.
  # Debian 13's has given that tag up and takes an override of it for an error.
  [ "$release" != bookworm ] || suppressed="--suppress-tags package-supports-alternative-init-but-no-init.d-script"
  # shellcheck disable=SC2086
  try lintian inside lintian --allow-root --info --display-info --display-experimental --pedantic \
    --fail-on error,warning,info,pedantic,experimental ${suppressed:-} "/srv/$(basename "$package")"
  suppressed=
  try installation serve_inside /srv/tests/lifecycle.py install /srv/package.deb
  for test in activation locations authorization resources; do try "$test" serve_inside "/srv/tests/$test"; done
  try upgrade serve_inside /srv/tests/lifecycle.py upgrade /srv/next.deb
  try removal serve_inside /srv/tests/lifecycle.py remove
  try purge serve_inside /srv/tests/lifecycle.py purge

  stop_container
  rm -rf "$folder"
  name=
  echo "== $release: passed"
done
