# SPDX-License-Identifier: Apache-2.0
"""The fastest possible service during a siege: a C program that reads and answers the witness, and drops the flood.

Both buses deliver a program's messages in the order in which they arrived. The delays of a program that does nothing
else are therefore due to the bus, and no service can answer faster.
"""

import time

from desktop import SERVICE_USER
from machine import SERVICE, as_user
from release import BUILT, Machine
from wire import ERROR, REPLY, REPLY_SERIAL, Peer
from witness import CALLS, PAUSE


def durations(broker, seconds, start_attack):
    """Returns how long calls to the program take while it is attacked."""
    with Machine(broker, owner=SERVICE_USER, limits="stock") as machine:
        peer = Peer(machine.address)
        reader = machine.start(as_user(SERVICE_USER, [BUILT / "raw", machine.address, "read", peer.name]))
        machine.wait_for_name(SERVICE, reader)
        stop_attack = start_attack(machine.address)
        try:
            return converse(peer, seconds)
        finally:
            stop_attack()


def converse(peer, seconds):
    path, interface, member, signature, values = CALLS[0]
    pending, durations = {}, []
    due = time.monotonic()
    end = due + seconds
    while (now := time.monotonic()) < end or (pending and now < end + 20):
        if due <= now < end:
            due = max(due + PAUSE, now)
            pending[peer.begin(SERVICE, path, interface, member, signature, values)] = now
        message = peer.receive(max(0.001, min(PAUSE, due - time.monotonic())))
        if message and message.kind in (REPLY, ERROR):
            durations.append(time.monotonic() - pending.pop(message.fields[REPLY_SERIAL]))
    return durations + [time.monotonic() - began for began in pending.values()]
