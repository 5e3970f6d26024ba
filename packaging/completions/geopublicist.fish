# SPDX-License-Identifier: Apache-2.0
# Completion of geopublicist(1) for fish.

set -l commands status locate watch record region list authorize sun monitor doctor agent switch replay place run
set -l levels 'country city neighborhood street exact'

complete -c geopublicist -f
complete -c geopublicist -n "not __fish_seen_subcommand_from $commands help version" -a '
  status\t"Show the state of the service, GeoClue and the access"
  locate\t"Show where this machine is, once"
  watch\t"Show where this machine is, continuously"
  record\t"Record a track for map programs"
  region\t"Report when this machine enters or leaves a circle"
  list\t"Show which programs use the location"
  authorize\t"Show whether this user may have the location"
  sun\t"Show sunrise, sunset and twilight"
  monitor\t"Show each change of the service, GeoClue and the access"
  doctor\t"Check everything that commonly breaks location"
  agent\t"Run the location agent of this user"
  switch\t"Show or set the location switch"
  replay\t"Play a recorded track on the session bus"
  place\t"Add, list or remove named places"
  run\t"Run a command at a place or at a time of the sun"
  help\t"Show the help of a command"
  version\t"Show the version"'
complete -c geopublicist -n '__fish_seen_subcommand_from help' -a "$commands"

complete -c geopublicist -n 'not __fish_seen_subcommand_from replay' -l system -d 'Use the system bus'
complete -c geopublicist -l session -d 'Use the session bus'
complete -c geopublicist -l address -x -d 'Use the bus at this address'
complete -c geopublicist -s j -l json -d 'Print one JSON object per line'
complete -c geopublicist -s h -l help -d 'Show the help'
complete -c geopublicist -n "not __fish_seen_subcommand_from $commands" -s V -l version -d 'Show the version'

set -l seen __fish_seen_subcommand_from
complete -c geopublicist -n "$seen locate watch record region authorize sun" -s a -l accuracy -x -a "$levels" -d 'Accuracy level'
complete -c geopublicist -n "$seen locate watch record region authorize" -l desktop-id -x -d 'Desktop file of the program'
complete -c geopublicist -n "$seen locate watch" -s f -l format -x -a 'plain dms geo osm waybar' -d 'Print this text'
complete -c geopublicist -n "$seen locate" -s t -l timeout -x -d 'Wait no longer than this'
complete -c geopublicist -n "$seen locate" -l maximum-age -x -d 'Accept a cached location up to this old'
complete -c geopublicist -n "$seen watch record" -s d -l distance -x -d 'Minimum distance between locations'
complete -c geopublicist -n "$seen watch record" -s i -l interval -x -d 'Minimum time between locations'
complete -c geopublicist -n "$seen watch record" -l debounce -x -d 'Wait for this long without a newer location'
complete -c geopublicist -n "$seen watch record" -s n -l count -x -d 'Stop after this many locations'
complete -c geopublicist -n "$seen watch record" -l duration -x -d 'Stop after this time'
complete -c geopublicist -n "$seen record" -s f -l format -x -a 'gpx geojson nmea svg' -d 'Format of the file'
complete -c geopublicist -n "$seen record" -l force -d 'Replace an existing file'
complete -c geopublicist -n "$seen locate watch record" -l required-accuracy -x -d 'Only locations at least this accurate'
complete -c geopublicist -n "$seen watch record" -l mode -x -a 'continuous significant' -d 'Which changes to report'
complete -c geopublicist -n "$seen watch record region" -l interactive -d 'Allow a dialog or a password prompt'
complete -c geopublicist -n "$seen locate authorize" -s i -l interactive -d 'Allow a dialog or a password prompt'
complete -c geopublicist -n "$seen record" -l append -d 'Continue an existing recording'
complete -c geopublicist -n "$seen record" -l summary -d 'Print length, duration, speed and climb'
complete -c geopublicist -n "$seen replay" -l speed -x -d 'Play this many times faster'
complete -c geopublicist -n "$seen replay" -l loop -d 'Play from the beginning after the end'
complete -c geopublicist -n "$seen record replay" -F
complete -c geopublicist -n "$seen region" -l confirm -x -d 'How long a change must persist'
complete -c geopublicist -n "$seen region" -l dwell -x -d 'Report a stay of this length'
complete -c geopublicist -n "$seen region" -l unknown-after -x -d 'Report the state as lost after this time'
complete -c geopublicist -n "$seen region" -l assumed -x -a 'inside outside' -d 'The last known state'
complete -c geopublicist -n "$seen region" -l until -x -a 'entered exited' -d 'Stop when this has happened'
complete -c geopublicist -n "$seen region" -s e -l exec -x -d 'Run this at each event'
complete -c geopublicist -n "$seen sun" -s F -l follow -d 'Show the phase now and at each change'
complete -c geopublicist -n "$seen list" -s f -l format -x -d 'Print this text'
complete -c geopublicist -n "$seen sun" -s f -l format -x -d 'Print this text'
complete -c geopublicist -n "$seen sun" -l at -x -d 'Compute for these degrees'
complete -c geopublicist -n "$seen monitor" -s l -l listen -d 'Follow the location as well'
complete -c geopublicist -n "$seen doctor" -l geoclue-config -r -d "Read GeoClue's configuration in this folder"
complete -c geopublicist -n "$seen switch" -a "on off $levels" -d 'Location switch'
complete -c geopublicist -n "$seen place; and not $seen add list remove" -a 'add list remove'
complete -c geopublicist -n "$seen place; and $seen remove" -a '(geopublicist place list 2> /dev/null | tail -n +2 | cut -f 1)'
complete -c geopublicist -n "$seen run" -a '(geopublicist place list 2> /dev/null | tail -n +2 | cut -f 1)' -d Place
complete -c geopublicist -n "$seen place" -l here -d 'The place where this machine is now'
complete -c geopublicist -n "$seen place" -l radius -x -d 'How far the place reaches'
complete -c geopublicist -n "$seen place" -l at -x -d 'The place at these degrees'
complete -c geopublicist -n "$seen run" -l at -x -a 'dawn sunrise noon sunset dusk' -d 'Run every day at this time'
complete -c geopublicist -n "$seen run" -s w -l when -x -a 'entered exited dwelled' -d 'Run when the place is'
complete -c geopublicist -n "$seen run" -l hooks -d 'Run the files in hooks.d'
complete -c geopublicist -n "$seen run" -s 1 -l once -d 'Run once, and exit with the status'
complete -c geopublicist -n "$seen run" -l with-location -d 'Pass the coordinates in the environment'
complete -c geopublicist -n "$seen run" -l confirm -x -d 'How long a change must persist'
complete -c geopublicist -n "$seen run" -l dwell -x -d 'How long a stay must last'
