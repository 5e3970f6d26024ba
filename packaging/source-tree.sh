#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Copies the files that belong to the source: git knows them, and an unpacked release has no others but what was built.
#
#   source-tree.sh FOLDER        what is in it already is replaced, but for what SwiftPM has built there
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tree=$1

list_files() {
  if [ -e .git ] && git -c safe.directory="$source" ls-files -z --cached --others --exclude-standard 2> /dev/null; then
    return
  fi
  find . \( -name '.build*' -o -name .git -o -name __pycache__ \) -prune -o -type f ! -name '*.deb' -print0
}

mkdir -p "$tree"
tree=$(CDPATH='' cd -- "$tree" && pwd)
find "$tree" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
cd "$source"
# Git also lists what has been deleted and not committed yet.
list_files | xargs -0 sh -c 'for f do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
  tar --null --files-from=- -cf - | tar -C "$tree" -xf -
