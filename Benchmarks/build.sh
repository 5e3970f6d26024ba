#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds into .build/bench: the service, as in the package, the driver, and the clients whose calls are measured.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"

Tools/packages.sh bench
built=${BENCH_BUILT:-$top/.build/bench}
mkdir -p "$built"

echo "Building geopublicistd (release, as packaged) …"
make build PROGRAMS="geopublicistd GeopublicistTasksBenchmark" > "$built/build.log" 2>&1 || {
  cat "$built/build.log"
  exit 1
}
strip -o "$built/geopublicistd.new" .build/release/geopublicistd
mv "$built/geopublicistd.new" "$built/geopublicistd"
cp .build/release/GeopublicistTasksBenchmark "$built/tasks"

flags="-std=gnu11 -O2 -Wall -Wextra -Werror $(pkg-config --cflags dbus-1)"
libraries="$(pkg-config --libs dbus-1) -lm"
# shellcheck disable=SC2046,SC2086
cc $flags -o "$built/driver" $(find Benchmarks/driver -name '*.c' ! -name raw.c ! -name sdbus.c | sort) $libraries
# shellcheck disable=SC2086
cc $flags -o "$built/raw" Benchmarks/driver/raw.c $libraries
# shellcheck disable=SC2046
cc -std=gnu11 -O2 -Wall -Wextra -Werror $(pkg-config --cflags libsystemd) -o "$built/sdbus" Benchmarks/driver/sdbus.c \
  $(pkg-config --libs libsystemd)
