#!/bin/sh
# Links what SwiftPM has compiled for both programs into the one file that is packaged; see programs.c.
#
#   link.sh SWIFT PRODUCTS FILE BUILD-ID
#
# CC, CPPFLAGS and CFLAGS as usual. SwiftPM's own links are not what is wanted: they export every symbol, which keeps
# code that nothing calls, bind lazily, and leave a build ID that depends on the folder.
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
LC_ALL=C sort -u "$products"/geopublicist.product/Objects.LinkFileList \
  "$products"/geopublicistd.product/Objects.LinkFileList > "$scratch/objects"

"$swiftc" -use-ld=lld -static-stdlib -emit-executable -o "$file" "@$scratch/objects" "$scratch/programs.o" \
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
