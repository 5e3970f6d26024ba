#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A night light with gammastep (or wlsunset, redshift, …) that never learns the location: the command requests the location
# at the level `city`, and this script receives only night, dawn, day and dusk.
#
#   night-light.sh [KELVIN-AT-NIGHT]
set -eu
night=${1:-3500}
lamp=
trap '[ -z "$lamp" ] || kill "$lamp" 2> /dev/null' EXIT

light() {
  [ -z "$lamp" ] || kill "$lamp" 2> /dev/null || true
  lamp=
  [ -z "$1" ] || { gammastep -P -O "$1" & lamp=$!; }
}

geopublicist sun --follow --format '{phase}' | {
  while read -r phase; do
    case $phase in
      day) light '' ;;
      dawn | dusk) light $(((night + 6500) / 2)) ;;
      night) light "$night" ;;
    esac
  done
}
