#!/bin/sh
# Builds what is measured into .build/bench: the service as the package has it, and the driver.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"

Tests/Rig/packages.sh bench
built=${BENCH_BUILT:-$top/.build/bench}
mkdir -p "$built"

echo "Building geopublicistd (release, as packaged) …"
# As in packaging/debian/rules, but for what concerns only where it is built.
flags="--configuration release --static-swift-stdlib --disable-local-rpath
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -enable-stack-protector"
for product in geopublicistd geopublicist; do
  # shellcheck disable=SC2086
  Tests/Rig/swift.sh build $flags --product $product > "$built/build.log" 2>&1 || {
    cat "$built/build.log"
    exit 1
  }
done
products=$(Tests/Rig/swift.sh build --configuration release --show-bin-path)
packaging/link.sh "$(Tests/Rig/find-swift.sh)" "$products" "$built/geopublicistd.new" 00
strip "$built/geopublicistd.new"
mv "$built/geopublicistd.new" "$built/geopublicistd"

flags="-std=gnu11 -O2 -Wall -Wextra -Werror $(pkg-config --cflags dbus-1)"
libraries="$(pkg-config --libs dbus-1) -lm"
# shellcheck disable=SC2046,SC2086
cc $flags -o "$built/driver" $(find Benchmarks/driver -name '*.c' ! -name raw.c | sort) $libraries
# shellcheck disable=SC2086
cc $flags -o "$built/raw" Benchmarks/driver/raw.c $libraries
