#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The packaged GeoClue, offline, until it is killed or idle.
#
#   geoclue.sh BUS-ADDRESS NMEA-SOCKET [IDLE-SECONDS]
#
# It runs in an empty network namespace, so that no query for a position can leave the machine. Its only source is
# NMEA-SOCKET. IDLE-SECONDS as in `geoclue -t`: 0 (the default) never exits.
set -eu
address=$1 socket=$2 idle=${3:-0}
geoclue=/usr/libexec/geoclue
[ -x "$geoclue" ] || geoclue=/usr/lib/geoclue-2.0/geoclue
export DBUS_SYSTEM_BUS_ADDRESS="$address" GSETTINGS_BACKEND=memory G_MESSAGES_DEBUG=Geoclue
# GeoClue 2.8 with libproxy hangs at every second start: docs/distributing.md.
export GIO_USE_PROXY_RESOLVER=dummy

if [ "$(id -u)" -eq 0 ]; then
  # The last setpriv is needed because a change of the user clears the parent-death signal.
  exec unshare --net setpriv --reuid=geoclue --regid=geoclue --clear-groups --pdeathsig=KILL \
    "$geoclue" -t "$idle" -u "$socket"
fi
exec unshare --map-current-user --net "$geoclue" -t "$idle" -u "$socket"
