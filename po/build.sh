#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh FOLDER: compiles the translations into a folder of catalogs, such as /usr/share/locale.
set -eu
cd "$(dirname -- "$0")"
for language in *.po; do
  catalogs=$1/${language%.po}/LC_MESSAGES
  case $1 in /*) ;; *) catalogs=../$catalogs ;; esac
  mkdir -p "$catalogs"
  msgfmt --check-format --no-hash -o "$catalogs/geopublicist.mo" "$language"
done
