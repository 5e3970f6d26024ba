# SPDX-License-Identifier: Apache-2.0
"""A connection of any user to the bus, on asyncio's loop, that can misbehave on request.

Locations arrive two thousand times per second, so only the values that are checked are extracted from them.
"""

import asyncio
import struct

import wire
from machine import MANAGER, SERVICE
from wire import CALL, ERROR, REPLY, SIGNAL, Gone, Message, fields, message

SUBSCRIPTION = SERVICE + ".Subscription"


class Refused(Exception):
    """An error reply, with the name of the error."""


class Connection:
    """Passes signals to `on_location(sequence, latitude)` and `on_signal(member, arguments)`. `ledger` counts calls."""

    def __init__(self, address, user, ledger):
        self.ledger = ledger
        self.loop = asyncio.get_running_loop()
        self.serial = 0
        self.waiting = {}
        self.received = bytearray()
        self.on_location = lambda sequence, latitude: None
        self.on_signal = lambda member, arguments: None
        self.socket = wire.connect(address, user, descriptors=False)
        self.socket.setblocking(False)
        self.is_open = True
        self.resume()

    async def hello(self):
        self.name = (await self.call("Hello", of="org.freedesktop.DBus", at="/org/freedesktop/DBus",
                                     on="org.freedesktop.DBus"))[0]
        return self

    def pause(self):
        """Stops reading, like a program that hangs."""
        self.loop.remove_reader(self.socket)

    def resume(self):
        self.loop.add_reader(self.socket, self.readable)

    def close(self):
        if not self.is_open:
            return
        self.is_open = False
        self.loop.remove_reader(self.socket)
        self.socket.close()
        for _, future in self.waiting.values():
            if not future.done():
                future.set_exception(Gone())
        self.ledger.given_up(len(self.waiting))
        self.waiting = {}

    def send(self, data):
        if not self.is_open:
            raise Gone
        try:
            self.socket.setblocking(True)
            self.socket.sendall(data)
            self.socket.setblocking(False)
        except OSError as error:
            self.close()
            raise Gone from error

    def begin(self, member, signature="", body=(), of=SERVICE, at=MANAGER, on=SERVICE):
        """Sends a call and returns a future for the answer."""
        self.serial += 1
        header = fields(path=at, interface=of, member=member, destination=on, signature=signature or None)
        future = self.loop.create_future()
        # Some callers only need the answer to arrive and do not wait for it.
        future.add_done_callback(lambda future: future.cancelled() or future.exception())
        self.waiting[self.serial] = (self.ledger.asked(member, on), future)
        self.send(message(self.serial, CALL, header, wire.marshalled(signature, *body)))
        return future

    async def call(self, member, signature="", body=(), **where):
        return await self.begin(member, signature, body, **where)

    async def subscribe(self):
        """Creates and starts a subscription without thresholds, and returns its path."""
        path = (await self.call("CreateSubscription", "a{sv}", ({},)))[0]
        await self.call("Start", of=SUBSCRIPTION, at=path)
        return path

    def answer(self, call):
        """Answers the service's Ping, which shows that this program reads."""
        self.serial += 1
        self.send(message(self.serial, REPLY, fields(reply=call.serial, destination=call.fields[wire.SENDER])))

    def readable(self):
        try:
            piece = self.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self.ledger.thrown_out(self)
            return self.close()
        self.received += piece
        while (length := wire.length(self.received)) and len(self.received) >= length:
            data = bytes(self.received[:length])
            del self.received[:length]
            self.take(data)

    def take(self, data):
        if data[1] == SIGNAL and (fix := location_in(data)):
            return self.on_location(*fix)
        parsed = Message(data)
        if parsed.kind == SIGNAL:
            return self.on_signal(parsed.fields[wire.MEMBER], parsed.arguments())
        if parsed.kind == CALL:
            return self.answer(parsed)
        entry, future = self.waiting.pop(parsed.fields.get(wire.REPLY_SERIAL), (None, None))
        if future is None:
            return None
        self.ledger.answered(entry)
        if future.done():
            return None
        if parsed.kind == ERROR:
            return future.set_exception(Refused(parsed.fields[wire.ERROR_NAME]))
        return future.set_result(parsed.arguments())


def location_in(message):
    """Returns sequence and latitude if it is a location."""
    body = 16 + (struct.unpack_from("<I", message, 12)[0] + 7 & ~7)
    sequence, latitude = message.find(b"Sequence\0\1t", body), message.find(b"Latitude\0\1d", body)
    if sequence < 0 or latitude < 0:
        return None

    def value(kind, place):
        return struct.unpack_from(kind, message, body + (place - body + 12 + 7 & ~7))[0]
    return value("<Q", sequence), value("<d", latitude)
