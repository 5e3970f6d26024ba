#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Impersonates GeoClue, polkit, logind and systemd on a bus that allows it, and answers everything with nonsense.

    pretend.py BUS-ADDRESS SECONDS SEED

The names come and go, and their signals are sent at random.
"""

import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Rig"))

import attacks
import chance
from wire import SIGNAL, Gone, Peer

NAMES = [
    "org.freedesktop.GeoClue2", "org.freedesktop.PolicyKit1", "org.freedesktop.login1", "org.freedesktop.systemd1",
]


def signals(target, peer):
    path, interface, member, signature = target.random.choice(attacks.BELIEVED[4:])
    if target.random.random() < 0.2:
        signature = chance.signature(target.random)
    body = target.body(signature, ["Active", "AvailableAccuracyLevel", "org.freedesktop.GeoClue2.Client"])
    peer.send(SIGNAL, body.data, body.order, path=path, interface=interface, member=member, signature=signature or None)


def main():
    address, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    target = attacks.Target.__new__(attacks.Target)
    target.address, target.random = address, random.Random(seed)
    target.objects, target.doubled = {}, []
    peers, end = {}, time.monotonic() + seconds
    while time.monotonic() < end:
        for name in NAMES:
            try:
                if name not in peers:
                    peers[name] = Peer(address)
                    peers[name].ask_bus("RequestName", "su", [name, 4])
                attacks.answer_anything(target, peers[name], 0.02)
                if target.random.random() < 0.5:
                    signals(target, peers[name])
                if target.random.random() < 0.02:
                    peers.pop(name).close()
            except Gone:
                peers.pop(name, None)


main()
