#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many connections of one program that use the service and then read nothing more.

    never-read.py BUS-ADDRESS CONNECTIONS SUBSCRIPTIONS [CALLS]

Each connection starts its subscriptions, as far as it may, then makes its CALLS of ListSubscriptions at once. Says "ready" when all of that
has been done, and stays until it is killed.
"""

import sys
import time

import wire
from wire import CALL, Gone, Peer

NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"


def insist(peer, *call):
    """Calls until the answer is not that a limit is reached."""
    while True:
        answer = peer.call(NAME, *call)
        if answer.fields.get(wire.ERROR_NAME, "").endswith(".LimitsExceeded"):
            time.sleep(0.05)
        else:
            return answer.arguments()


def main():
    address, connections, subscriptions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    calls = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    peers = [Peer(address) for _ in range(connections)]
    for peer in peers:
        paths = [insist(peer, PATH, NAME, "CreateSubscription", "a{sv}", [{}])[0] for _ in range(subscriptions)]
        for path in paths:
            insist(peer, path, NAME + ".Subscription", "Start")
    for peer in peers:
        for _ in range(calls):
            try:
                peer.send(CALL, path=PATH, interface=NAME, member="ListSubscriptions", destination=NAME)
            except Gone:
                break
    print("ready", flush=True)
    time.sleep(3600)


main()
