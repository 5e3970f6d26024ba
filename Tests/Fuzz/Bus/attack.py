#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks a service on a bus for a while with the attacks from attacks.py.

    attack.py BUS-ADDRESS NAME SECONDS SEED [ATTACK…]

Runs each of the named attacks, or all, at least once. Prints how often each was made, and exits with status 1 if a call was
answered twice. It does not check the state of the service, because the bus may disconnect the attacker.
"""

import collections
import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Rig"))

import attacks
from wire import Gone


def main():
    address, name, seconds, seed = sys.argv[1:5]
    wanted = [getattr(attacks, attack) for attack in sys.argv[5:]] or attacks.ALL
    chance = random.Random(int(seed))
    target = attacks.Target(address, name, chance)
    if not target.objects:
        sys.exit(f"{name} shows no object")
    done = collections.Counter()
    order, end = chance.sample(wanted, len(wanted)), time.monotonic() + float(seconds)
    while order or time.monotonic() < end:
        if not order:
            order = chance.sample(wanted, len(wanted))
        attack = order.pop()
        target.find()
        try:
            attack(target)
            done[attack.__name__] += 1
        except Gone:
            done[attack.__name__ + " (thrown out)"] += 1
    print(", ".join(f"{what} {count}" for what, count in sorted(done.items())))
    if target.doubled:
        sys.exit(f"answered twice: {target.doubled[:10]}")


main()
