#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Gets one location with gdbus and sed.
#
#   once_gdbus.sh BUS-ADDRESS|system|session LEVEL
set -eu
[ $# -eq 2 ] || { echo "usage: $0 BUS-ADDRESS|system|session LEVEL" >&2; exit 2; }
case $1 in
  system | session) bus=--$1 ;;
  *) bus="--address $1" ;;
esac
name=org.geopublicist.Location1

# shellcheck disable=SC2086
location=$(gdbus call $bus --timeout 60 --dest $name --object-path /org/geopublicist/Location1 \
  --method $name.GetLocation "{'accuracy': <'$2'>}")
value() { printf '%s\n' "$location" | sed -n "s/.*'$1': <'\{0,1\}\([^'>]*\)'\{0,1\}>.*/\1/p"; }
LC_ALL=C printf 'location %.4f %.4f %s\n' "$(value Latitude)" "$(value Longitude)" "$(value Level)"
