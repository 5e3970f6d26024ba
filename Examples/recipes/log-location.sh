#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Appends one line with time and place to a file; for cron:
#
#   */15 * * * * sh /usr/share/doc/geopublicist/examples/recipes/log-location.sh "$HOME/places.txt"
#
# Without an active session of the user there is no location, which is not treated as an error here. A job that must work
# without a session needs a polkit rule by the administrator: see org.geopublicist.location1.rules.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FILE" >&2; exit 2; }
status=0
place=$(geopublicist locate --accuracy city --maximum-age 1h --format '{time} {latitude:.2} {longitude:.2}' 2> /dev/null) ||
  status=$?
case $status in
  0) printf '%s\n' "$place" >> "$1" ;;
  3 | 4 | 5) ;; # not allowed, not available, or not in time
  *) exit "$status" ;;
esac
