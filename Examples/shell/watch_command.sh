#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Follows the location with the geopublicist command, across restarts of the service.
#
#   watch_command.sh BUS-ADDRESS|system|session LEVEL METRES COUNT
set -eu
[ $# -eq 4 ] || { echo "usage: $0 BUS-ADDRESS|system|session LEVEL METRES COUNT" >&2; exit 2; }
case $1 in
  system | session) bus=--$1 ;;
  *) bus="--address $1" ;;
esac

# shellcheck disable=SC2086
geopublicist watch $bus --accuracy "$2" --distance "$3" --count "$4" |
  while read -r _ latitude longitude _ level; do
    LC_ALL=C printf 'location %.4f %.4f %s\n' "$latitude" "$longitude" "$level"
  done
