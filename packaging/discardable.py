#!/usr/bin/python3
"""Copies of object files in which the linker may leave out a function that nothing calls.

    discardable.py FOLDER < LIST

Swift marks every public function to be kept (SHF_GNU_RETAIN), for programs that are linked to it later. To a program
that exports nothing there are none: what has no reference to it can never run. Only the mark of code is taken away; what
the runtime finds by walking through a section stays marked. The list has a file name on each line; so has the output, with
the names of the copies in the folder.
"""

import pathlib
import struct
import sys

EXECUTABLE = 0x4
RETAINED = 0x200000
HEADERS_AT, HEADER_SIZE_AT = 0x28, 0x3A
FLAGS_AT, SIZE_AT = 8, 32


def discardable(image):
    """The ELF object, 64 bits and little-endian as both architectures are."""
    image = bytearray(image)
    if image[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("not an ELF object of 64 bits, little-endian")
    headers, = struct.unpack_from("<Q", image, HEADERS_AT)
    size, count = struct.unpack_from("<HH", image, HEADER_SIZE_AT)
    if count == 0:
        # More sections than the field can say: the first header has their number.
        count, = struct.unpack_from("<Q", image, headers + SIZE_AT)
    for header in range(headers, headers + count * size, size):
        flags, = struct.unpack_from("<Q", image, header + FLAGS_AT)
        if flags & EXECUTABLE:
            struct.pack_into("<Q", image, header + FLAGS_AT, flags & ~RETAINED)
    return image


folder = pathlib.Path(sys.argv[1])
for index, name in enumerate(sys.stdin.read().splitlines()):
    copy = folder / f"{index:03}-{pathlib.Path(name).name}"
    copy.write_bytes(discardable(pathlib.Path(name).read_bytes()))
    print(copy)
