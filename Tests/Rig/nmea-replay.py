#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A GPS receiver that walks along a track, there and back, for whoever connects to a unix socket.

    nmea-replay.py SOCKET TRACK [FIXES-PER-SECOND]

TRACK has a line for each second of the walk: latitude, longitude (degrees), altitude (metres).
"""

import csv
import datetime
import itertools
import os
import socket
import sys
import time


def angle(degrees, digits, signs):
    # In whole steps, so that no rounding makes 60 minutes.
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


def main():
    path, track, rate = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    with open(track, newline="") as lines:
        there = [tuple(map(float, row)) for row in csv.reader(lines) if row and not row[0].startswith("#")]
    walk = itertools.cycle(there + there[-2:0:-1])

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o777)
    listener.listen()
    while True:
        reader, _ = listener.accept()
        due = time.monotonic()
        try:
            while True:
                reader.sendall(sentence(*next(walk)))
                due += 1 / rate
                time.sleep(max(0, due - time.monotonic()))
        except OSError:
            reader.close()


try:
    main()
except KeyboardInterrupt:
    pass
