#!/usr/bin/python3
"""Starts the daemon on private buses, has it attacked, and sees whether it has stood that.

    besiege.py DAEMON BROKER SECONDS [SEED]

BROKER is dbus-daemon or dbus-broker. The daemon is attacked for SECONDS in each of three places: on a system bus with
its rules, beside the real GeoClue; on a session bus; and as the system's daemon on a bus without rules, where others
are GeoClue, polkit, logind and systemd. As root and as nobody at once where this runs as root. Afterwards the same
process has to be there and answer, hold nothing of those who have gone, have grown by no more than the allowance, and
end in good order.
"""

import os
import random
import shutil
import sys
import time

from place import HERE, NAME, RIG, Failure, Place, wait

NOBODY = 65534
# What its allocators may keep of the worst moments, in KiB; an address sanitizer keeps much more.
ALLOWANCE = 12 * 1024


def attack(place, seconds, seed, is_pretended):
    """Has the daemon attacked for a while, and says how often with what."""
    # The tree may be where nobody cannot read.
    scripts = f"{place.folder}/scripts"
    shutil.copytree(HERE, scripts, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(f"{RIG}/wire.py", scripts)
    os.chmod(scripts, 0o755)
    attackers = []
    for number, user in enumerate([None, NOBODY] if os.getuid() == 0 else [None]):
        arguments = [f"{scripts}/attack.py", place.address, NAME, str(seconds), str(seed + number)]
        attackers.append((f"attack-{seed}-{number}", arguments, user))
    if is_pretended:
        attackers.append((f"pretend-{seed}", [f"{scripts}/pretend.py", place.address, str(seconds), str(seed)], None))
    running = [(name, place.run(name, ["/usr/bin/python3", *arguments], user)) for name, arguments, user in attackers]
    end = time.monotonic() + seconds + 300
    while any(process.poll() is None for _, process in running):
        place.complain_if_ended()
        if time.monotonic() > end:
            raise Failure("the attackers do not come to an end")
        time.sleep(0.1)
    place.check()
    for name, process in running:
        if said := place.log(name).strip()[-2000:]:
            print(f"  {said}", flush=True)
        if process.returncode != 0:
            raise Failure(f"{name} ended with {process.returncode}")


def besiege(title, seconds, seed, place, is_pretended=False):
    print(f"{title}, {place.broker}, seed {seed}:", flush=True)
    with place:
        # What the first attacks leave behind is warmth; only what comes after that is growth.
        attack(place, seconds / 2, seed, is_pretended)
        place.rest()
        memory, descriptors = place.memory(), place.descriptors()
        attack(place, seconds / 2, seed + 1000, is_pretended)
        place.rest()
        if not place.is_sanitized():
            # A moment after many have gone the daemon gives back what it held for them.
            wait("memory is given back", lambda: place.memory() - memory <= ALLOWANCE)
        grown, kept = place.memory() - memory, place.descriptors() - descriptors
        print(f"  the same process, {memory} KiB and {grown:+} KiB, descriptors {kept:+}", flush=True)
        if kept > 2:
            raise Failure("it keeps descriptors")
        place.end()


def main():
    daemon, broker, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1_000_000)
    try:
        besiege("On the system bus", seconds, seed, Place(daemon, broker, "system", "--system", True))
        besiege("On a session bus", seconds, seed, Place(daemon, broker, "session", "--session", True))
        besiege("Among impostors", seconds, seed, Place(daemon, broker, "session", "--system", False), True)
    except Failure as failure:
        sys.exit(f"FAILED (seed {seed}): {failure}")


main()
