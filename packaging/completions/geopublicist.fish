# SPDX-License-Identifier: Apache-2.0
# Completion of geopublicist(1) for fish.

set -l commands status locate watch record region list authorize sun monitor doctor agent switch replay place run
set -l levels 'country city neighborhood street exact'

complete -c geopublicist -f
complete -c geopublicist -n "not __fish_seen_subcommand_from $commands help version" -a '
  status\t"Show the service and what this user may have"
  locate\t"Show where this machine is, once"
  watch\t"Show where this machine is, all the time"
  record\t"Record a track for maps programs"
  region\t"Tell when this machine enters or leaves a circle"
  list\t"Show who uses the location"
  authorize\t"Decide whether this user may have the location"
  sun\t"Show sunrise, sunset and twilight"
  monitor\t"Show what changes"
  doctor\t"Check everything that commonly breaks location"
  agent\t"Decide about locations for this user"
  switch\t"Show or set the location switch"
  replay\t"Play a recorded track on the session bus"
  place\t"Add, list or remove places"
  run\t"Run a command at a place or at a time of the sun"
  help\t"Show the help of a command"
  version\t"Show the version"'
complete -c geopublicist -n '__fish_seen_subcommand_from help' -a "$commands"

complete -c geopublicist -l system -d 'Ask on the system bus'
complete -c geopublicist -l session -d 'Ask on the session bus'
complete -c geopublicist -l address -x -d 'Ask on the bus at this address'
complete -c geopublicist -s j -l json -d 'Print one JSON object a line'
complete -c geopublicist -s h -l help -d 'Show the help'
complete -c geopublicist -s V -l version -d 'Show the version'

set -l seen __fish_seen_subcommand_from
complete -c geopublicist -n "$seen locate watch record region authorize sun" -s a -l accuracy -x -a "$levels" -d 'Accuracy level'
complete -c geopublicist -n "$seen locate watch record region authorize" -l desktop-id -x -d 'The program that asks'
complete -c geopublicist -n "$seen locate watch" -s f -l format -x -a 'plain dms geo osm waybar' -d 'A text with fields'
complete -c geopublicist -n "$seen locate" -s t -l timeout -x -d 'Wait no longer than this'
complete -c geopublicist -n "$seen locate" -l maximum-age -x -d 'Accept a cached location up to this old'
complete -c geopublicist -n "$seen watch record" -s d -l distance -x -d 'Metres between two locations'
complete -c geopublicist -n "$seen watch record" -s i -l interval -x -d 'Time between two locations'
complete -c geopublicist -n "$seen watch record" -l debounce -x -d 'Time without another location'
complete -c geopublicist -n "$seen watch record" -s n -l count -x -d 'Stop after this many locations'
complete -c geopublicist -n "$seen watch record" -l duration -x -d 'Stop after this time'
complete -c geopublicist -n "$seen record" -s f -l format -x -a 'gpx geojson nmea svg' -d 'Format of the file'
complete -c geopublicist -n "$seen record" -l force -d 'Replace a file that exists'
complete -c geopublicist -n "$seen locate watch record" -l required-accuracy -x -d 'Metres of accuracy at most'
complete -c geopublicist -n "$seen watch record" -l mode -x -a 'continuous significant' -d 'Which changes are told'
complete -c geopublicist -n "$seen watch record region" -l interactive -d 'A dialog may be shown'
complete -c geopublicist -n "$seen locate authorize" -s i -l interactive -d 'A dialog may be shown'
complete -c geopublicist -n "$seen record" -l append -d 'Continue a recording that exists'
complete -c geopublicist -n "$seen record" -l summary -d 'Print what is in the file'
complete -c geopublicist -n "$seen replay" -l speed -x -d 'Play this many times faster'
complete -c geopublicist -n "$seen replay" -l loop -d 'Play from the beginning after the end'
complete -c geopublicist -n "$seen record replay" -F
complete -c geopublicist -n "$seen region" -l confirm -x -d 'How long a change must persist'
complete -c geopublicist -n "$seen region" -l dwell -x -d 'Report a stay of this length'
complete -c geopublicist -n "$seen region" -l unknown-after -x -d 'Report the state as lost after this time'
complete -c geopublicist -n "$seen region" -l assumed -x -a 'inside outside unknown' -d 'The state known from before'
complete -c geopublicist -n "$seen region" -l until -x -a 'entered exited' -d 'End when this is the case'
complete -c geopublicist -n "$seen region" -s e -l exec -x -d 'Run this at each event'
complete -c geopublicist -n "$seen sun" -s F -l follow -d 'Show the phase now and at each change'
complete -c geopublicist -n "$seen list" -s f -l format -x -d 'A text with fields'
complete -c geopublicist -n "$seen sun" -s f -l format -x -d 'A text with fields'
complete -c geopublicist -n "$seen sun" -l at -x -d 'Compute for this place'
complete -c geopublicist -n "$seen monitor" -s l -l listen -d 'Use the location meanwhile'
complete -c geopublicist -n "$seen doctor" -l geoclue-config -r -d "Read GeoClue's settings in this folder"
complete -c geopublicist -n "$seen switch" -a "on off $levels" -d 'Location switch'
complete -c geopublicist -n "$seen place" -a 'add list remove'
complete -c geopublicist -n "$seen place" -l here -d 'Where this machine is now'
complete -c geopublicist -n "$seen place" -l radius -x -d 'How far around it'
complete -c geopublicist -n "$seen place run" -l at -x -d 'This place, or this time of the sun'
complete -c geopublicist -n "$seen run" -s w -l when -x -a 'entered exited dwelled' -d 'When a place is'
complete -c geopublicist -n "$seen run" -l hooks -d 'Run the files in hooks.d'
complete -c geopublicist -n "$seen run" -s 1 -l once -d 'End after the first time'
complete -c geopublicist -n "$seen run" -l with-location -d 'Put the coordinates into the environment'
complete -c geopublicist -n "$seen run" -l confirm -x -d 'How long a change must persist'
complete -c geopublicist -n "$seen run" -l dwell -x -d 'How long a stay is'
