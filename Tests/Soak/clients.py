# SPDX-License-Identifier: Apache-2.0
"""The clients of the soak: some listen, some reconnect often, some stall, and some misbehave."""

import asyncio
import random
import struct
import time

from connection import SUBSCRIPTION, Connection, Refused
from ledger import Session
from machine import MANAGER, PROPERTIES, SERVICE
from wire import SIGNAL, Gone, fields, marshalled, message

AGENT = "org.freedesktop.GeoClue2.Agent"
# Signals whose names could deceive the service.
BELIEVED = [
    ("/org/freedesktop/GeoClue2/Agent", PROPERTIES, "PropertiesChanged"),
    ("/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "Changed"),
]


class Crowd:
    def __init__(self, address, users, ledger):
        self.address, self.users, self.ledger = address, users, ledger
        self.connections = set()
        self.listening = set()
        self.is_over = False

    async def connect(self, user=None):
        connection = Connection(self.address, user if user is not None else random.choice(self.users), self.ledger)
        self.connections.add(connection)
        return await connection.hello()

    def leave(self, connection):
        connection.close()
        self.connections.discard(connection)

    @property
    def open_calls(self):
        return {entry for connection in self.connections for entry, _ in connection.waiting.values()}

    async def live(self, role, number):
        """Plays a role repeatedly, each time with a new connection."""
        await asyncio.sleep(number * 0.02)
        while not self.is_over:
            connection = None
            try:
                connection = await self.connect()
                await role(self, connection, f"{role.__name__} {number}")
            except (Gone, Refused):
                # Refusals count as answers, and the bus may disconnect clients that flood it.
                pass
            finally:
                if connection:
                    self.leave(connection)
            await asyncio.sleep(random.uniform(0.05, 1))

    def check_freshness(self):
        """Checks that every listener has the newest fix of 10 s ago."""
        newest = self.ledger.newest(10)
        for session in self.listening:
            if session.last is not None and session.last < newest:
                self.ledger.violation(f"{session.who} is at fix {session.last}, others at {newest}")
                return


async def listen(crowd, connection, who, seconds):
    """Behaves well for some time."""
    session = Session(who, crowd.ledger)
    crowd.listening.add(session)

    def begin_anew():
        nonlocal session
        crowd.listening.discard(session)
        crowd.ledger.close_session(session)
        session = Session(who, crowd.ledger)
        crowd.listening.add(session)

    def signalled(member, arguments):
        # Access was lost and regained: after the gap, the newest fix comes first.
        if member == "AuthorizationChanged" and session.first is not None:
            begin_anew()

    connection.on_location = lambda sequence, _: session.take(sequence)
    connection.on_signal = signalled
    try:
        await connection.subscribe()
        deadline = time.monotonic() + seconds
        while connection.is_open and not crowd.is_over and time.monotonic() < deadline:
            await asyncio.sleep(0.2)
    finally:
        crowd.listening.discard(session)
        crowd.ledger.close_session(session)


async def listener(crowd, connection, who):
    await listen(crowd, connection, who, random.uniform(60, 300))


async def visitor(crowd, connection, who):
    """Connects, makes a call, listens briefly and leaves, sometimes without closing anything."""
    if random.random() < 0.5:
        await connection.call("GetLocation", "a{sv}", ({"timeout": ("u", 3000)},))
    await listen(crowd, connection, who, random.uniform(0.5, 6))
    if random.random() < 0.5:
        connection.begin("ListSubscriptions")


async def staller(crowd, connection, who):
    """Subscribes and stops reading. Sometimes it recovers."""
    await connection.subscribe()
    connection.pause()
    await asyncio.sleep(random.uniform(2, 20))
    if random.random() < 0.5:
        connection.resume()
        await asyncio.sleep(2)


async def hoarder(crowd, connection, who):
    """Requests long replies and locations and reads none of them."""
    await connection.subscribe()
    connection.pause()
    for _ in range(random.randint(20, 150)):
        connection.begin("ListSubscriptions")
    await asyncio.sleep(random.uniform(2, 20))


async def misbehaver(crowd, connection, who):
    """Makes all kinds of invalid calls, which must be answered as well."""
    for _ in range(random.randint(1, 10)):
        futures = random.choice(MISCHIEF)(connection)
        if futures:
            await asyncio.wait(futures, timeout=30)
        await asyncio.sleep(random.uniform(0, 0.5))


def unknown_members(connection):
    return [connection.begin(member) for member in ("Nonsense", "getlocation", "Start", "A" * 255)]


def unknown_objects(connection):
    return [connection.begin("Close", of=SUBSCRIPTION, at=f"{MANAGER}/subscription/{number}") for number in range(1, 20)]


def wrong_types(connection):
    return [connection.begin("GetLocation", "s", ("where?",)), connection.begin("CreateSubscription"),
            connection.begin("CreateSubscription", "a{sv}", ({"accuracy": ("u", 7)},)),
            connection.begin("CreateSubscription", "a{sv}", ({"distance-threshold": ("d", float("nan"))},)),
            connection.begin("GetLocation", "a{sv}", ({f"key{number}": ("s", "x") for number in range(100)},))]


def too_many_subscriptions(connection):
    return [connection.begin("CreateSubscription", "a{sv}", ({},)) for _ in range(20)]


def too_many_calls(connection):
    return [connection.begin("Get", "ss", (SERVICE, "State"), of=PROPERTIES) for _ in range(300)]


def calls_that_wait(connection):
    return [connection.begin("GetLocation", "a{sv}", ({"timeout": ("u", 1000), "maximum-age": ("u", 0)},))
            for _ in range(20)]


def large_calls(connection):
    return [connection.begin("GetLocation", "a{sv}", ({"desktop-id": ("s", "x" * 100_000)},))]


def costly_calls(connection):
    """Makes the most expensive calls that the limits allow."""
    options = {f"key-{number}": ("s", "x" * 200) for number in range(250)}
    return [connection.begin("CreateSubscription", "a{sv}", (options,)), connection.begin("ListSubscriptions"),
            connection.begin("Introspect", of="org.freedesktop.DBus.Introspectable")]


def strange_properties(connection):
    return [connection.begin("Set", "ssv", (SERVICE, "Version", ("s", "9")), of=PROPERTIES),
            connection.begin("Get", "ss", (SERVICE, "Nonsense"), of=PROPERTIES),
            connection.begin("GetAll", "s", ("org.example.Nonsense",), of=PROPERTIES)]


def huge_signals(connection):
    body = struct.pack("<I", 7_000_000) + bytes(7_000_000)
    for path, interface, name in BELIEVED:
        connection.send(message(7, SIGNAL, fields(path=path, interface=interface, member=name, signature="ay"), body))


def a_fickle_agent(connection):
    for level in random.choices((0, 4, 8), k=50):
        body = marshalled("sa{sv}as", AGENT, {"MaxAccuracyLevel": ("u", level)}, [])
        connection.send(message(8, SIGNAL, fields(
            path="/org/freedesktop/GeoClue2/Agent", interface=PROPERTIES, member="PropertiesChanged",
            signature="sa{sv}as"), body))


def half_a_message(connection):
    connection.send(b"l\1\0\1" + struct.pack("<III", 1000, 77, 100) + b"\0" * 20)
    connection.close()


def garbage(connection):
    connection.send(random.randbytes(200))
    connection.close()


MISCHIEF = [unknown_members, unknown_objects, wrong_types, too_many_subscriptions, too_many_calls, calls_that_wait,
            large_calls, costly_calls, huge_signals, a_fickle_agent, strange_properties, half_a_message, garbage]
