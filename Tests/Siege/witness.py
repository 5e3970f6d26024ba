# SPDX-License-Identifier: Apache-2.0
"""A well-behaved user during a siege, whose calls and locations are timed."""

import contextlib
import select
import threading
import time

import wire
from machine import MANAGER, PROPERTIES, SERVICE
from wire import ERROR, REPLY, SIGNAL, Gone, Peer

PAUSE = 0.05
# The report after the bus has ended the connection.
GONE = "gone"
# Made one at a time, alongside calls to the bus itself, to separate the bus's delays from the service's.
CALLS = [
    (MANAGER, PROPERTIES, "Get", "ss", [SERVICE, "State"]), (MANAGER, SERVICE, "ListSubscriptions", "", []),
    (MANAGER, SERVICE, "GetLocation", "a{sv}", [{"maximum-age": ("u", 3_600_000)}]),
    (MANAGER, PROPERTIES, "GetAll", "s", [SERVICE]),
]
# A new connection is opened every second.
NEWCOMER = [
    (MANAGER, SERVICE, "RequestAuthorization", "a{sv}", [{}]), (MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}]),
]


class Witness:
    def __init__(self, address):
        self.address = address
        self.peer = Peer(address)
        self.calls, self.bus, self.newcomers = [], [], []
        self.locations, self.refused, self.closed = [], [], []
        self.pending = {}
        path = self.peer.call(SERVICE, MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}]).arguments()[0]
        self.peer.call(SERVICE, path, SERVICE + ".Subscription", "Start")

    def begin(self, durations, path, interface, member, signature, values, on=SERVICE):
        serial = self.peer.begin(on, path, interface, member, signature, values)
        self.pending[serial] = (time.monotonic(), durations, member)

    def watch(self, end):
        number, due = 0, time.monotonic()
        while not select.select([end], [], [], 0)[0]:
            now = time.monotonic()
            if now >= due:
                due = max(due + PAUSE, now)
                self.begin(self.calls, *CALLS[number % len(CALLS)])
                self.begin(self.bus, "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", "", [],
                           on="org.freedesktop.DBus")
                if number % round(1 / PAUSE) == 0:
                    # In a thread, because the bus may take seconds to admit a connection.
                    threading.Thread(target=self.send_newcomer, daemon=True).start()
                number += 1
            select.select([end, self.peer.socket], [], [], max(0, due - time.monotonic()))
            while (message := self.peer.receive(0)) is not None:
                self.take(message)

    def send_newcomer(self):
        with contextlib.suppress(Gone):
            peer = Peer(self.address)
            for path, interface, member, signature, values in NEWCOMER:
                began = time.monotonic()
                answer = peer.call(SERVICE, path, interface, member, signature, values)
                self.newcomers.append((began, time.monotonic() - began))
                if answer and answer.kind == ERROR:
                    self.refuse(member, answer)
            peer.close()

    def take(self, message):
        now = time.monotonic()
        if message.kind in (REPLY, ERROR):
            began, durations, member = self.pending.pop(message.fields.get(wire.REPLY_SERIAL), (now, [], ""))
            durations.append((began, now - began))
            if message.kind == ERROR:
                self.refuse(member, message)
        elif message.kind != SIGNAL:
            return
        elif message.fields[wire.MEMBER] == "LocationUpdated":
            self.locations.append((message.arguments()[0]["Latitude"], now))
        elif message.fields[wire.MEMBER] in ("Closed", "AuthorizationChanged"):
            self.closed.append(f"{message.fields[wire.MEMBER]} {message.arguments()}")

    def refuse(self, member, answer):
        self.refused.append(f"{member}: {answer.fields[wire.ERROR_NAME]}: {answer.arguments()[:1]}")

    def account(self):
        now = time.monotonic()
        return {"calls": self.calls, "bus": self.bus, "newcomers": self.newcomers, "locations": self.locations,
                "refused": self.refused[:5], "closed": self.closed,
                "unanswered": [(now - began, member) for began, _, member in self.pending.values()]}


def run(address, end):
    """Reports through a pipe that it has a subscription, and its measurements when a message arrives on the pipe."""
    try:
        witness = Witness(address)
        end.send("ready")
        witness.watch(end)
        end.send(witness.account())
    except Gone:
        end.send(GONE)
