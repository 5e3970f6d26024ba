#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Gets one location with busctl and standard tools, without jq.
#
#   once_busctl.sh BUS-ADDRESS|system|session LEVEL
set -eu
[ $# -eq 2 ] || { echo "usage: $0 BUS-ADDRESS|system|session LEVEL" >&2; exit 2; }
case $1 in
  system) bus=--system ;;
  session) bus=--user ;;
  *) bus=--address=$1 ;;
esac
name=org.geopublicist.Location1

busctl "$bus" --json=short --timeout=60 call $name /org/geopublicist/Location1 $name GetLocation 'a{sv}' 1 accuracy s "$2" |
  python3 -c '
import json, sys
location = json.load(sys.stdin)["data"][0]
print("location %.4f %.4f %s" % tuple(location[key]["data"] for key in ("Latitude", "Longitude", "Level")))'
