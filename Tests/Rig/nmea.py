#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A GPS receiver that moves back and forth between two places at 1.4 m/s, separately for each program that connects to
a Unix socket.

    nmea.py SOCKET FROM TO [FIXES-PER-SECOND [SECONDS-TO-FIRST-FIX]]

A place is LATITUDE,LONGITUDE,ALTITUDE, in degrees and metres.
"""

import contextlib
import datetime
import itertools
import math
import os
import select
import socket
import sys
import time


def angle(degrees, digits, signs):
    # Rounds to whole steps first, so that the minutes are never 60.
    whole, minutes = divmod(round(abs(degrees) * 600_000_000), 600_000_000)
    return f"{whole:0{digits}}{minutes / 1e7:010.7f},{signs[degrees < 0]}"


def sentence(latitude, longitude, altitude):
    now = datetime.datetime.now(datetime.timezone.utc)
    body = (f"GPGGA,{now:%H%M%S}.{now.microsecond // 10000:02},{angle(latitude, 2, 'NS')},{angle(longitude, 3, 'EW')}"
            f",1,08,1.4,{altitude:.1f},M,46.9,M,,")
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n".encode()


def walk(begin, end):
    """Returns a place for each second of the way there and back, again and again."""
    north, east = (begin[0] - end[0]) * 111_195, (begin[1] - end[1]) * 111_195 * math.cos(math.radians(begin[0]))
    steps = max(1, round(math.hypot(north, east) / 1.4))
    there = [tuple(a + (b - a) * step / steps for a, b in zip(begin, end)) for step in range(steps + 1)]
    return itertools.cycle(there + there[-2:0:-1])


def main():
    path, *places = sys.argv[1:4]
    rate = float(sys.argv[4]) if len(sys.argv) > 4 else 1.0
    wait = float(sys.argv[5]) if len(sys.argv) > 5 else 0.0
    way = walk(*(tuple(map(float, place.split(","))) for place in places))

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o777)
    listener.listen()
    while True:
        reader, _ = listener.accept()
        due = time.monotonic() + wait
        try:
            # The reader has left before the first fix.
            if wait and select.select([reader], [], [], wait)[0]:
                reader.close()
                continue
            while True:
                reader.sendall(sentence(*next(way)))
                due += 1 / rate
                time.sleep(max(0, due - time.monotonic()))
        except OSError:
            reader.close()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
