#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program to which some of the machine's folders look different; to nobody else.
#
#   with-mounts.sh FOLDER=PLACE… -- COMMAND…
#
# FOLDER is seen at PLACE, which has to exist. Needs root. The command is killed when whoever started it ends.
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
