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
from wire import CALL, SIGNAL, Gone, Peer, Writer
import chance
import wire

NAMES = [
    "org.freedesktop.GeoClue2", "org.freedesktop.PolicyKit1", "org.freedesktop.login1", "org.freedesktop.systemd1",
]


def signals(siege, peer):
    path, interface, member, signature = siege.random.choice(attacks.BELIEVED[4:])
    if siege.random.random() < 0.2:
        signature = chance.signature(siege.random)
    body = siege.body(signature, ["Active", "AvailableAccuracyLevel", "org.freedesktop.GeoClue2.Client"])
    peer.send(SIGNAL, body.data, body.order, path=path, interface=interface, member=member, signature=signature or None)


def main():
    address, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    siege = attacks.Siege.__new__(attacks.Siege)
    siege.address, siege.random = address, random.Random(seed)
    siege.objects, siege.doubled = {}, []
    peers, end = {}, time.monotonic() + seconds
    while time.monotonic() < end:
        for name in NAMES:
            try:
                if name not in peers:
                    peers[name] = Peer(address)
                    peers[name].ask_bus("RequestName", "su", [name, 4])
                attacks.answer_anything(siege, peers[name], 0.02)
                if siege.random.random() < 0.5:
                    signals(siege, peers[name])
                if siege.random.random() < 0.02:
                    peers.pop(name).close()
            except Gone:
                peers.pop(name, None)


main()
