#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many connections of one program that call the service without a pause and read every answer.

    flood.py BUS-ADDRESS CONNECTIONS SUBSCRIPTIONS PATH INTERFACE MEMBER [ARGUMENT…]

The arguments are strings. Makes the subscriptions first; says "ready", and goes on until it is killed.
"""

import select
import sys
import time

import wire
from wire import CALL, Gone, Peer

NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"


def main():
    address, connections, subscriptions, path, interface, member, *arguments = sys.argv[1:]
    peers = [Peer(address) for _ in range(int(connections))]
    for peer in peers:
        made = 0
        while made < int(subscriptions):
            answer = peer.call(NAME, PATH, NAME, "CreateSubscription", "a{sv}", [{}])
            made += answer is not None and answer.kind == wire.REPLY
            if answer is None or answer.kind != wire.REPLY:
                time.sleep(0.05)
    signature = "s" * len(arguments)
    header = wire.fields(
        path=path, interface=interface, member=member, destination=NAME, signature=signature or None)
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


main()
