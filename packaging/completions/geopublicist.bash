# SPDX-License-Identifier: Apache-2.0
#
# Completion of geopublicist(1) for bash. The program itself knows what may come next.

_geopublicist() {
  local cur prev words cword split index candidates
  _init_completion -s || return

  local before=("${words[@]:1:cword-1}")
  # _init_completion has taken apart a word such as --format=geo.
  [[ $split == false ]] || before+=("$prev")
  mapfile -t candidates < <(geopublicist --complete "${before[@]}" "$cur" 2> /dev/null)
  case ${candidates[0]} in
    :files) _filedir ;;
    :folders) _filedir -d ;;
    :command)
      for ((index = 1; index < cword; index++)); do
        [[ ${words[index]} != -- ]] || { _command_offset $((index + 1)); return; }
      done
      ;;
    *) COMPREPLY=("${candidates[@]%%$'\t'*}") ;;
  esac
} && complete -F _geopublicist geopublicist
