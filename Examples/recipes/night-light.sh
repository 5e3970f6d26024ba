#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A night light that never learns the location, only the phase of the day: wlsunset, hyprsunset or gammastep, the first that
# is installed.
#
#   night-light.sh [PROGRAM] [KELVIN-AT-NIGHT]
set -eu
program=${1:-$(command -v wlsunset || command -v hyprsunset || command -v gammastep)}
night=${2:-3500}
lamp='' almanac='' folder=$(mktemp -d)
# The lamp and the command end with this script. The signals are trapped, because sh would otherwise skip the trap of EXIT.
trap 'kill $lamp $almanac 2> /dev/null; rm -r "$folder"' EXIT
trap 'exit 143' HUP INT TERM

# The colour lasts until the program ends.
light() {
  [ -z "$lamp" ] || { kill "$lamp" 2> /dev/null; wait "$lamp" || true; }
  lamp=
  [ -n "$1" ] || return 0
  case $program in
    # wlsunset requires two temperatures, of which the first must be the lower one.
    *wlsunset) "$program" -t "$1" -T $(($1 + 1)) -S 06:00 -s 18:00 & ;;
    *hyprsunset) "$program" -t "$1" & ;;
    *) "$program" -P -O "$1" & ;;
  esac
  lamp=$!
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
