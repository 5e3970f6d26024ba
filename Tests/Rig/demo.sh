#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Shows the almanac, then live locations, on a private bus: a simulated receiver, the real GeoClue, the service, the command.
#
# Runs until q or Ctrl-C. Installs missing packages and builds the programs. Needs no root if the kernel permits users
# to create namespaces. Does not use the machine's own buses, and removes its temporary files. From the environment:
#   COUNT             the number of locations after which it ends
#   RATE, WAIT        locations per second, and seconds to the first one
#   GEOPUBLICIST_BIN  the folder of the programs if they are built already
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

programs=${GEOPUBLICIST_BIN:-}
if [ -z "$programs" ]; then
  "$here/../../Tools/packages.sh" demo
  echo "Building geopublicistd and geopublicist (debug, the quicker ones to build) …"
  "$here/../../Tools/swift.sh" build --product geopublicistd
  "$here/../../Tools/swift.sh" build --product geopublicist
  programs=$("$here/../../Tools/swift.sh" build --show-bin-path)
fi

directory=$(mktemp -d /tmp/geopublicist-demo.XXXXXX)
chmod 755 "$directory"
address=unix:path=$directory/bus
children=

clean_up() {
  trap '' INT TERM HUP
  # The latest first, so that no program complains about a missing bus.
  for child in $children; do
    kill "$child" 2> /dev/null || true
    wait "$child" 2> /dev/null || true
  done
  rm -rf "$directory"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# start NAME COMMAND…: in the background, until this script ends, however it ends.
start() {
  name=$1
  shift
  setpriv --pdeathsig=TERM -- "$@" > "$directory/$name.log" 2>&1 &
  children="$! $children"
  newest=$!
}

# await CONDITION…: for ten seconds at most.
await() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 200 ] || ! kill -0 "$newest" 2> /dev/null; then
      echo "$name does not start:" >&2
      cat "$directory/$name.log" >&2
      exit 1
    fi
    sleep 0.05
  done
}

is_owned() {
  dbus-send --bus="$address" --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \
    org.freedesktop.DBus.NameHasOwner string:"$1" 2> /dev/null | grep -q true
}

start bus "$here/private-bus.sh" system "$directory"
await is_owned org.freedesktop.DBus
start receiver /usr/bin/python3 "$here/nmea.py" "$directory/nmea.sock" \
  52.516275,13.377704,34 52.5167555,13.3829969,35.2 "${RATE:-1}" "${WAIT:-0}"
await test -S "$directory/nmea.sock"
start geoclue "$here/geoclue.sh" "$address" "$directory/nmea.sock"
await is_owned org.freedesktop.GeoClue2
XDG_DATA_DIRS=$programs/../../share:/usr/share
export XDG_DATA_DIRS
start geopublicistd "$programs/geopublicistd" --system --address "$address" --geoclue-address "$address"
await is_owned org.geopublicist.Location1

echo "A walk along Unter den Linden in Berlin: simulated receiver, real GeoClue, service, command. q or Ctrl-C ends it."
echo "To use this bus from another terminal: export DBUS_SYSTEM_BUS_ADDRESS=$address PATH=$programs:\$PATH"
"$programs/geopublicist" almanac --address "$address" || true
# Runs in the background, so that this script handles signals immediately. Its input is the terminal, because sh would
# otherwise replace it.
exec 3<&0
setpriv --pdeathsig=TERM -- "$programs/geopublicist" watch --address "$address" ${COUNT:+--count "$COUNT"} <&3 &
client=$!
children="$client $children"
wait "$client"
