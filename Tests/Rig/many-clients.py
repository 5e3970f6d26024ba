#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients of the service in one program.

    many-clients.py BUS-ADDRESS never-read CONNECTIONS SUBSCRIPTIONS [CALLS]
    many-clients.py BUS-ADDRESS flood CONNECTIONS SUBSCRIPTIONS PATH INTERFACE MEMBER [ARGUMENT…]
    many-clients.py BUS-ADDRESS come-and-go COUNT

Those that never read start their subscriptions, as far as they may, make their CALLS of ListSubscriptions at once, and read
nothing more. A flood makes its subscriptions, then the call with these strings without a pause, and reads every answer. Both
say "ready" when they have begun, and go on until they are killed. Those that come and go connect, subscribe, start and
vanish, one after the other.
"""

import contextlib
import select
import sys
import time

import wire
from machine import MANAGER, SERVICE
from wire import CALL, Gone, Peer


def insist(peer, *call):
    """Calls until the answer is not that a limit is reached."""
    while (answer := peer.call(SERVICE, *call)).fields.get(wire.ERROR_NAME, "").endswith(".LimitsExceeded"):
        time.sleep(0.05)
    return answer.arguments()


def create(peer):
    return insist(peer, MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}])[0]


def start(peer, path):
    return insist(peer, path, SERVICE + ".Subscription", "Start")


def never_read(address, connections, subscriptions, calls=0):
    peers = [Peer(address) for _ in range(int(connections))]
    for peer in peers:
        for path in [create(peer) for _ in range(int(subscriptions))]:
            start(peer, path)
    for peer in peers:
        with contextlib.suppress(Gone):
            for _ in range(int(calls)):
                peer.begin(SERVICE, MANAGER, SERVICE, "ListSubscriptions")
    print("ready", flush=True)
    time.sleep(3600)


def flood(address, connections, subscriptions, path, interface, member, *arguments):
    peers = [Peer(address) for _ in range(int(connections))]
    for peer in peers:
        for _ in range(int(subscriptions)):
            create(peer)
    signature = "s" * len(arguments)
    header = wire.fields(
        path=path, interface=interface, member=member, destination=SERVICE, signature=signature or None)
    data = wire.message(7, CALL, header, wire.marshalled(signature, *arguments))
    print("ready", flush=True)
    by_socket = {peer.socket: peer for peer in peers}
    for peer in peers:
        peer.send_bytes(data)
    while by_socket:
        readable, _, _ = select.select(list(by_socket), [], [], 1)
        for one in readable:
            try:
                answers = by_socket[one].socket.recv(65536)
                if not answers:
                    raise Gone
                # As many more calls as answers of the usual size have come.
                by_socket[one].send_bytes(data * max(1, len(answers) // 300))
            except (Gone, OSError):
                del by_socket[one]


def come_and_go(address, count):
    for number in range(int(count)):
        # As when the process is killed: the socket is closed, nothing is said.
        with contextlib.closing(Peer(address)) as peer:
            if number % 4 == 0:
                peer.begin(SERVICE, MANAGER, SERVICE, "GetLocation", "a{sv}", [{}])
            else:
                path = create(peer)
                if number % 4 > 1:
                    start(peer, path)


{"never-read": never_read, "flood": flood, "come-and-go": come_and_go}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
