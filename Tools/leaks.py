#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Connects and disconnects thousands of clients, and checks what the service keeps of them.

    leaks.py PROGRAM COUNT

If PROGRAM is built with the address sanitizer, LeakSanitizer reports leaks when it exits. In any case, its memory must not
grow with the number of clients, and no descriptor or subscription may remain.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Fuzz", "Bus"))
from place import RIG, Failure, Place  # noqa: E402

# In KiB, for any number of clients: 10,000 clients that leak 100 bytes each exceed it.
ALLOWANCE = 768


def visit(place, count):
    subprocess.run(["/usr/bin/python3", f"{RIG}/many-clients.py", place.address, "come-and-go", str(count)], check=True)
    place.check()
    place.rest()


def main():
    service, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    try:
        with Place(service, "dbus-daemon", "system", "--system", True) as place:
            visit(place, max(200, count // 10))
            memory, descriptors = place.memory(), place.descriptors()
            visit(place, count)
            grown, kept = place.memory() - memory, place.descriptors() - descriptors
            print(f"{count} clients: {memory} KiB and {grown:+} KiB, descriptors {kept:+}", flush=True)
            if kept > 0 or grown > ALLOWANCE and not place.is_sanitized():
                raise Failure("something of them is left")
            place.end()
            print("Nothing was lost." if place.is_sanitized() else "It exited normally.")
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")


main()
