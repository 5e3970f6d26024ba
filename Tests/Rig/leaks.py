#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Has consumers come to the daemon and vanish, by the thousand, and asks what is left of them.

    leaks.py DAEMON COUNT

With a DAEMON that is built with the address sanitizer, LeakSanitizer tells at its end what was lost; with any, its
memory may not grow with the consumers, and no descriptor and no subscription may stay.
"""

import os
import subprocess
import sys

RIG = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(RIG, "..", "Fuzz", "Bus"))
from place import Failure, Place  # noqa: E402

# In KiB, whatever the number of consumers: 10,000 that leave 100 bytes each would take more.
ALLOWANCE = 768


def visit(place, count):
    subprocess.run(["/usr/bin/python3", f"{RIG}/come-and-go.py", place.address, str(count)], check=True)
    place.check()
    place.rest()


def main():
    daemon, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    try:
        with Place(daemon, "dbus-daemon", "system", "--system", True) as place:
            visit(place, max(200, count // 10))
            memory, descriptors = place.memory(), place.descriptors()
            visit(place, count)
            grown, kept = place.memory() - memory, place.descriptors() - descriptors
            print(f"{count} consumers: {memory} KiB and {grown:+} KiB, descriptors {kept:+}", flush=True)
            if kept > 0 or grown > ALLOWANCE and not place.is_sanitized():
                raise Failure("something of them is left")
            place.end()
            print("Nothing was lost." if place.is_sanitized() else "It has ended in good order.")
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")


main()
