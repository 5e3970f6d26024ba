#!/bin/sh
# Links what SwiftPM has compiled for both programs into the one file that is packaged; see programs.c.
#
#   link.sh SWIFT PRODUCTS FILE BUILD-ID
#
# CC, CXX, CPPFLAGS and CFLAGS as usual. SwiftPM's own links are not what is wanted: they export every symbol, which keeps
# code that nothing calls, bind lazily, leave a build ID that depends on the folder, and scatter the code that runs.
set -eu
swiftc=$(dirname -- "$(command -v "$1")")/swiftc
products=$2
file=$3
build_id=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck disable=SC2086
${CC:-cc} ${CPPFLAGS:-} ${CFLAGS:--O2} -fPIE -c packaging/programs.c -o "$scratch/programs.o"
printf '{ local: *; };\n' > "$scratch/nothing-exported"

# Ours, and of the standard library what is written in Swift; without what nothing calls. An object comes before the
# archive that it is from.
runtime=$("$swiftc" -static-stdlib -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux
(cd "$scratch" && ar x "$runtime/libswiftCore.a" Swift.o && ar x "$runtime/libswift_Concurrency.a" _Concurrency.o)
mkdir "$scratch/objects"
{
  LC_ALL=C sort -u "$products"/geopublicist.product/Objects.LinkFileList \
    "$products"/geopublicistd.product/Objects.LinkFileList
  printf '%s\n' "$scratch/Swift.o" "$scratch/_Concurrency.o"
} | packaging/discardable.py "$scratch/objects" > "$scratch/list"

# The runtime's C++ takes little of libstdc++ and libgcc. As libraries of their own they would be a tenth of the memory that
# the daemon uses, most of it tables that the dynamic linker reads.
mkdir "$scratch/libraries"
ln -s "$(${CXX:-c++} -print-file-name=libstdc++.a)" "$scratch/libraries/"

# Memory comes in windows of 64 kB: the kernel maps what is around the page that is wanted. So what runs is put together,
# and functions without a name, which no list can have, beside it.
echo 'SECTIONS { .text.unnamed : { *(.text..L__unnamed_*) } } INSERT AFTER .text;' > "$scratch/unnamed.ld"

"$swiftc" -use-ld=lld -static-stdlib -emit-executable -o "$file" "@$scratch/list" "$scratch/programs.o" \
  -L "$scratch/libraries" -Xclang-linker -static-libgcc \
  -Xlinker --symbol-ordering-file=packaging/functions-in-use -Xlinker --no-warn-symbol-ordering \
  -Xlinker --script="$scratch/unnamed.ld" \
  -Xlinker --version-script="$scratch/nothing-exported" -Xlinker --gc-sections -Xlinker --as-needed \
  -Xlinker -z -Xlinker now -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker noexecstack \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --build-id="0x$build_id" \
  $(pkg-config --libs dbus-1 glib-2.0)

# Hashes of what each module was compiled from, folder and all. Nothing reads them; in place, since taking a section out
# of a finished program takes more with it.
readelf --sections --wide "$file" | sed 's/\[ */[/' | awk '$2 == ".swift_modhash" { print $5, $6 }' |
  while read -r offset size; do
    dd if=/dev/zero of="$file" bs=1 seek="$((0x$offset))" count="$((0x$size))" conv=notrunc status=none
  done
