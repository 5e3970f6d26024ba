# SPDX-License-Identifier: Apache-2.0
#
# Completion of geopublicist(1) for bash.

# The names of the user's places.
_geopublicist_places() {
  geopublicist place list 2> /dev/null | tail -n +2 | cut -f 1
}

_geopublicist() {
  local cur prev words cword
  _init_completion -s || return

  local commands="status locate watch record region list authorize sun monitor doctor agent switch replay place run help version"
  local options="--system --session --address --json --help"
  local command= word index
  for ((index = 1; index < cword; index++)); do
    word=${words[index]}
    if [[ $word == --address ]]; then
      ((index++))
    elif [[ " $commands " == *" $word "* ]]; then
      command=$word
      break
    fi
  done

  if [[ $command == @(run|replay) ]]; then
    for ((index = 1; index < cword; index++)); do
      [[ ${words[index]} != -- ]] || { _command_offset $((index + 1)); return; }
    done
  fi

  case $prev in
    --accuracy | -a)
      COMPREPLY=($(compgen -W "country city neighborhood street exact" -- "$cur"))
      return
      ;;
    --mode)
      COMPREPLY=($(compgen -W "continuous significant" -- "$cur"))
      return
      ;;
    --format | -f)
      case $command in
        record) COMPREPLY=($(compgen -W "gpx geojson nmea svg" -- "$cur")) ;;
        locate | watch) COMPREPLY=($(compgen -W "plain dms geo osm waybar" -- "$cur")) ;;
      esac
      return
      ;;
    --when | -w)
      COMPREPLY=($(compgen -W "entered exited dwelled" -- "$cur"))
      return
      ;;
    help)
      COMPREPLY=($(compgen -W "$commands" -- "$cur"))
      return
      ;;
    --at)
      [[ $command != run ]] || COMPREPLY=($(compgen -W "dawn sunrise noon sunset dusk" -- "$cur"))
      return
      ;;
    --until)
      COMPREPLY=($(compgen -W "entered exited" -- "$cur"))
      return
      ;;
    --assumed)
      COMPREPLY=($(compgen -W "inside outside" -- "$cur"))
      return
      ;;
    --geoclue-config)
      _filedir -d
      return
      ;;
    --address | --timeout | --maximum-age | --required-accuracy | --distance | --interval | --debounce | --count | --duration | --desktop-id | \
      --speed | --radius | --confirm | --dwell | --unknown-after | --exec | -e | -t | -d | -n)
      return
      ;;
  esac

  case $command in
    "") options+=" --version $commands" ;;
    locate) options+=" --accuracy --timeout --maximum-age --required-accuracy --interactive --format --desktop-id" ;;
    watch | record)
      options+=" --accuracy --distance --interval --debounce --required-accuracy --mode --desktop-id --count"
      options+=" --duration --interactive --format"
      [[ $command == watch ]] || options+=" --append --force --summary"
      ;;
    region)
      options+=" --accuracy --confirm --dwell --unknown-after --assumed --desktop-id --until --exec --interactive"
      ;;
    authorize) options+=" --interactive --accuracy --desktop-id" ;;
    sun) options+=" --follow --format --at --accuracy" ;;
    place) options+=" --here --at --radius" ;;
    run) options+=" --when --confirm --dwell --at --hooks --once --with-location" ;;
    replay) options="${options/--system /} --speed --loop" ;;
    list) options+=" --format" ;;
    monitor) options+=" --listen" ;;
    doctor) options+=" --geoclue-config" ;;
  esac
  if [[ $command == @(record|replay) && $cur != -* ]]; then
    _filedir
  elif [[ $command == place && $cur != -* ]]; then
    local actions="add list remove"
    [[ $prev != remove ]] || actions=$(_geopublicist_places)
    [[ " add list " == *" $prev "* ]] || COMPREPLY=($(compgen -W "$actions" -- "$cur"))
  elif [[ $command == run && $cur != -* ]]; then
    COMPREPLY=($(compgen -W "$(_geopublicist_places)" -- "$cur"))
  elif [[ $command == switch && $cur != -* ]]; then
    COMPREPLY=($(compgen -W "on off country city neighborhood street exact" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  fi
} && complete -F _geopublicist geopublicist
