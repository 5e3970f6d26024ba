#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds into .build/bench: the service, as in the package, and the driver.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"

Tools/packages.sh bench
built=${BENCH_BUILT:-$top/.build/bench}
mkdir -p "$built"

echo "Building geopublicistd (release, as packaged) …"
make build > "$built/build.log" 2>&1 || {
  cat "$built/build.log"
  exit 1
}
strip -o "$built/geopublicistd.new" .build/release/geopublicistd
mv "$built/geopublicistd.new" "$built/geopublicistd"

flags="-std=gnu11 -O2 -Wall -Wextra -Werror $(pkg-config --cflags dbus-1)"
libraries="$(pkg-config --libs dbus-1) -lm"
# shellcheck disable=SC2046,SC2086
cc $flags -o "$built/driver" $(find Benchmarks/driver -name '*.c' ! -name raw.c | sort) $libraries
# shellcheck disable=SC2086
cc $flags -o "$built/raw" Benchmarks/driver/raw.c $libraries
