#!/bin/sh
# swift, wherever it is, with a build directory of this user's own.
#
#   swift.sh build|test ARGUMENTS
#
# sudo cuts PATH short, and what root has built an ordinary user cannot build on: so Swift is also looked for where the
# person who called sudo has it, and whoever does not own .build gets .build-USER.
set -eu
package=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)

find_swift() {
  command -v swift && return
  if [ -n "${SUDO_USER:-}" ]; then
    sudo -u "$SUDO_USER" -i sh -c 'command -v swift' 2> /dev/null && return
  fi
  for candidate in /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/local/bin; do
    [ -x "$candidate/swift" ] && echo "$candidate/swift" && return
  done
  echo "Swift 6.3 is needed: https://www.swift.org/install/linux" >&2
  exit 1
}

scratch=$package/.build
owner=$package
[ ! -e "$scratch" ] || owner=$scratch
[ "$(stat -c %u "$owner")" -eq "$(id -u)" ] || scratch=$package/.build-$(id -un)

swift=$(find_swift)
command=$1
shift
# Where git does not trust a tree of somebody else's, SwiftPM still builds it.
exec "$swift" "$command" --package-path "$package" --scratch-path "$scratch" "$@"
