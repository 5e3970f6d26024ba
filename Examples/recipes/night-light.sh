#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A night light with gammastep (or hyprsunset, redshift, …) that never learns the location, only the phase of the day.
#
#   night-light.sh [KELVIN-AT-NIGHT]
set -eu
night=${1:-3500}
lamp='' almanac='' folder=$(mktemp -d)
# Ends the lamp and the command with this script. Without the signals, sh would end without its trap.
trap 'kill $lamp $almanac 2> /dev/null; rm -r "$folder"' EXIT
trap 'exit 143' HUP INT TERM

light() {
  [ -z "$lamp" ] || kill "$lamp" 2> /dev/null || true
  lamp=
  [ -z "$1" ] || { gammastep -P -O "$1" & lamp=$!; }
}

# A named pipe, since a pipeline would run the loop in another shell, whose lamp this one could not end.
mkfifo "$folder/phases"
geopublicist almanac --follow --format '{phase}' > "$folder/phases" & almanac=$!
while read -r phase; do
  case $phase in
    *day) light '' ;;
    twilight-*) light $(((night + 6500) / 2)) ;;
    *night) light "$night" ;;
  esac
done < "$folder/phases"
