#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the table of places into the file that the service reads.

    pack.py FILE

All numbers are little-endian. The file has these parts, without gaps:

    8 bytes   "GPPLACE1"
    u32       the number of cities
    u16 u16   the numbers of zones and of countries
    zones     each: u16 clock, u8 length, name
    countries each: two letters
    u32 181   for each degree of latitude from -90, the number of the first city north of it
    u32 181   the same for the byte at which that city's name begins
    cities    each: u16 latitude (180 degrees / 65536 from -90), u16 longitude (360 degrees / 65536 from -180), u16 zone,
              u8 country, u8 length of the name; by degree of latitude
    names     in the order of the cities
"""

import lzma
import os
import pathlib
import struct
import sys

TABLE = pathlib.Path(__file__).resolve().parent / "places.tsv.xz"
BANDS = 180


def main():
    zones, cities = {}, []
    with lzma.open(TABLE, "rt", encoding="utf-8") as table:
        for line in table:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "zone":
                zones[fields[1]] = int(fields[2])
            else:
                latitude, longitude, country, zone, name = fields
                row = min(65535, int((float(latitude) + 90) / 180 * 65536))
                column = int((float(longitude) + 180) / 360 * 65536) % 65536
                cities.append((row, column, zone, country, name.encode()))
    band = lambda city: city[0] * BANDS // 65536
    cities.sort(key=lambda city: (band(city), *city))
    names, countries = list(zones), sorted({city[3] for city in cities})

    firsts, offsets, offset, index = [], [], 0, 0
    for number in range(BANDS):
        firsts.append(index)
        offsets.append(offset)
        while index < len(cities) and band(cities[index]) == number:
            offset += len(cities[index][4])
            index += 1
    parts = [b"GPPLACE1", struct.pack("<IHH", len(cities), len(names), len(countries))]
    parts += [struct.pack("<HB", zones[name], len(name)) + name.encode() for name in names]
    parts += [country.encode("ascii") for country in countries]
    parts.append(struct.pack(f"<{2 * (BANDS + 1)}I", *firsts, len(cities), *offsets, offset))
    parts += [struct.pack("<HHHBB", row, column, names.index(zone), countries.index(country), len(name))
              for row, column, zone, country, name in cities]
    parts += [city[4] for city in cities]

    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(b"".join(parts))
    temporary.rename(target)


main()
