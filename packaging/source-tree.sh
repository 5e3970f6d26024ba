#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Copies the source files: those known to git or, in an unpacked release, everything except build products.
#
#   source-tree.sh FOLDER        existing contents are replaced, except SwiftPM's build folder
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
# Git also lists files that have been deleted but not committed.
list_files | xargs -0 sh -c 'for f do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
  tar --null --files-from=- -cf - | tar -C "$tree" -xf -
