#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a program with folders mounted over others, visible only to this program.
#
#   with-mounts.sh FOLDER=PLACE… -- COMMAND…
#
# FOLDER is seen at PLACE, which must exist. Needs root. The command is killed when its parent exits.
set -eu
if [ "${WITH_MOUNTS:-}" != inside ]; then
  WITH_MOUNTS=inside exec unshare --mount --propagation private -- "$0" "$@"
fi
while [ "$1" != -- ]; do
  mount --bind "${1%%=*}" "${1#*=}"
  shift
done
shift
unset WITH_MOUNTS
exec "$@"
