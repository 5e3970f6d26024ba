#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of swift.
#
# sudo shortens PATH, so this also searches the PATH of the user who called sudo, and the usual places.
set -eu

command -v swift && exit
if [ -n "${SUDO_USER:-}" ]; then
  sudo -u "$SUDO_USER" -i sh -c 'command -v swift' 2> /dev/null && exit
fi
for candidate in /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/local/bin; do
  [ -x "$candidate/swift" ] && echo "$candidate/swift" && exit
done
echo "Swift 6.2 or later is needed: https://www.swift.org/install/linux" >&2
exit 1
