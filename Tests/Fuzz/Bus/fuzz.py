#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the service on private buses, attacks it, and checks whether it survives.

    fuzz.py [--seed N] PROGRAM BROKER SECONDS [PLACE…]

BROKER is dbus-daemon or dbus-broker. The service is attacked for SECONDS in each PLACE, or in all three: `system`, on a
system bus with its policy and the real GeoClue; `session`, on a session bus; and `impostors`, as the system service on a
bus without a policy, where an attacker impersonates GeoClue, polkit, logind and systemd. If this runs as root, root and
nobody attack at the same time. Afterwards the same process must be running and answering, have released everything of
departed clients, have grown by no more than the allowance, and exit cleanly.
"""

import argparse
import os
import random
import shutil
import sys
import time

# Must come first, because it sets the path of the other modules.
from place import HERE, RIG, SERVICE, Failure, Place, log_of, wait

import attacks

NOBODY = 65534
# Memory that the allocators may keep after the peak, in KiB. The address sanitizer keeps much more.
ALLOWANCE = 12 * 1024


def attack(place, seconds, seed, is_pretended, names=()):
    """Attacks the service for a while with the named attacks, or all, and prints how often each was made."""
    # The user `nobody` may not be able to read the source tree.
    scripts = f"{place.folder}/scripts"
    shutil.copytree(HERE, scripts, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(f"{RIG}/wire.py", scripts)
    os.chmod(scripts, 0o755)
    attackers = []
    for number, user in enumerate([None, NOBODY] if os.getuid() == 0 else [None]):
        attackers.append(([f"{scripts}/attack.py", place.address, SERVICE, str(seconds), str(seed + number), *names], user))
    if is_pretended:
        attackers.append(([f"{scripts}/pretend.py", place.address, str(seconds), str(seed)], None))
    running = [place.run(["/usr/bin/python3", *arguments], user) for arguments, user in attackers]
    end = time.monotonic() + seconds + 300
    while any(process.poll() is None for process in running):
        place.complain_if_ended()
        if time.monotonic() > end:
            raise Failure("the attackers do not come to an end")
        time.sleep(0.1)
    place.check()
    for process in running:
        if said := log_of(process).strip()[-2000:]:
            print(f"  {said}", flush=True)
        if process.returncode != 0:
            raise Failure(f"{' '.join(process.args)} ended with {process.returncode}")


def fuzz(title, seconds, seed, place, is_pretended=False):
    print(f"{title}, {place.broker}, seed {seed}:", flush=True)
    with place:
        # The first attacks are a warm-up. Only later growth counts.
        attack(place, seconds / 2, seed, is_pretended)
        place.rest()
        memory, descriptors = place.memory(), place.descriptors()
        names = [] if seconds > 5 else random.Random(seed).sample([attack.__name__ for attack in attacks.ALL], 6)
        attack(place, seconds / 2, seed + 1000, is_pretended, names)
        place.rest()
        if not place.is_sanitized():
            # The service releases memory shortly after many clients have left.
            wait("memory is released", lambda: place.memory() - memory <= ALLOWANCE)
        grown, kept = place.memory() - memory, place.descriptors() - descriptors
        print(f"  the same process, {memory} KiB and {grown:+} KiB, descriptors {kept:+}", flush=True)
        if kept > 2:
            raise Failure("it keeps descriptors")
        place.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("program")
    parser.add_argument("broker")
    parser.add_argument("seconds", type=float)
    parser.add_argument("places", nargs="*", metavar="PLACE")
    options = parser.parse_args()
    places = {
        "system": ("On the system bus", "system", "--system", True),
        "session": ("On a session bus", "session", "--session", True),
        "impostors": ("Among impostors", "session", "--system", False),
    }
    try:
        for name in options.places or places:
            title, bus, deployment, has_geoclue = places[name]
            place = Place(options.program, options.broker, bus, deployment, has_geoclue)
            fuzz(title, options.seconds, options.seed, place, is_pretended=not has_geoclue)
    except Failure as failure:
        sys.exit(f"FAILED (seed {options.seed}): {failure}")


main()
