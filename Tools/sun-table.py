#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Prints Tests/LocationModelTests/Almanac/sun.txt with the Python package ephem, a binding of XEphem's ephemeris.
#
#   sun-table.py > Tests/LocationModelTests/Almanac/sun.txt
#
# Each line: latitude, longitude, a time, and the times at which the sun's centre rises and sets through -50', -6, -12
# and -18 degrees on the solar day that contains the time, in seconds since 1970; '-' if it never does. 500 places are
# between 65 degrees south and north, then 100 nearer to the poles.
import datetime
import math
import random

import ephem

EPOCH = datetime.datetime(1970, 1, 1)
LIMITS = (-50 / 60, -6, -12, -18)
HALF_DAY = 43200


def main():
    random.seed(1950)
    first, last = ((datetime.datetime(year, 1, 1) - EPOCH).total_seconds() for year in (1950, 2100))
    for number in range(600):
        observer = ephem.Observer()
        observer.pressure = 0
        latitude, longitude = round(random.uniform(-65, 65), 3), round(random.uniform(-180, 180), 3)
        if number >= 500:
            latitude = round(math.copysign(65 + abs(latitude) * 24 / 65, latitude), 3)
        observer.lat, observer.lon = str(latitude), str(longitude)
        time = int(random.uniform(first, last))
        print(latitude, longitude, time, *crossings(observer, time))


def crossings(observer, time):
    sun = ephem.Sun()

    def altitude(seconds):
        observer.date = ephem.Date(EPOCH + datetime.timedelta(seconds=seconds))
        sun.compute(observer)
        return sun.alt * 180 / ephem.pi

    def best(choose, near):
        """Returns the time of the lowest or highest altitude within two hours."""
        step = 600
        while step >= 1:
            near = choose((near + i * step for i in range(-12, 13)), key=altitude)
            step /= 4
        return near

    def cross(limit, below, above):
        if not altitude(below) <= limit < altitude(above):
            return "-"
        while abs(above - below) > 0.2:
            middle = (below + above) / 2
            below, above = (below, middle) if altitude(middle) > limit else (middle, above)
        return round(above)

    noon = max((time + i * 600 for i in range(-72, 72)), key=altitude)
    noon = best(max, noon)
    before, after = best(min, noon - HALF_DAY), best(min, noon + HALF_DAY)
    if not before <= time < after:
        noon = best(max, noon + 2 * HALF_DAY * (1 if time >= after else -1))
        before, after = best(min, noon - HALF_DAY), best(min, noon + HALF_DAY)
    for limit in LIMITS:
        yield cross(limit, before, noon)
        yield cross(limit, after, noon)


main()
