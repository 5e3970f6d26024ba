#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs darkman's hooks by day and by night, with or without darkman, which then needs neither coordinates nor GeoClue: leave
# lat and lng out of its config.yaml, and set usegeoclue to false.
set -eu
last=
geopublicist almanac --follow --format '{phase}' | while read -r phase; do
  case $phase in *day) mode=light ;; *) mode=dark ;; esac
  [ "$mode" != "$last" ] || continue
  last=$mode
  ! command -v darkman > /dev/null || { darkman set "$mode" || true; continue; }
  # The folders of darkman 2.1 and earlier, then the folder of later versions, whose hooks receive the mode.
  for hook in "${XDG_DATA_HOME:-$HOME/.local/share}/$mode-mode.d"/* "${XDG_DATA_HOME:-$HOME/.local/share}/darkman"/*; do
    [ ! -f "$hook" ] || [ ! -x "$hook" ] || "$hook" "$mode" < /dev/null || echo "$hook failed" >&2
  done
done
