"""A connection to the bus that can be anybody's, and behave as badly as one likes.

jeepney makes the calls and reads the answers. Locations come two thousand times a second, so those are only searched for
what is checked.
"""

import asyncio
import os
import socket
import struct

from jeepney import DBusAddress, MessageFlag, MessageType, new_method_call
from jeepney.low_level import HeaderFields, Message

SERVICE, MANAGER = "org.geopublicist.Location1", "/org/geopublicist/Location1"
SUBSCRIPTION = SERVICE + ".Subscription"
SIGNAL = 4


class Refused(Exception):
    """An answer that is an error; its name."""


class Gone(Exception):
    """The connection has ended."""


class Connection:
    """Signals go to `on_location(sequence, latitude)` and `on_signal(member, arguments)`; calls are counted by `ledger`."""

    def __init__(self, address, user, ledger):
        self.ledger = ledger
        self.loop = asyncio.get_running_loop()
        self.serial = 0
        self.waiting = {}
        self.received = bytearray()
        self.on_location = lambda sequence, latitude: None
        self.on_signal = lambda member, arguments: None
        self.socket = connect_as(user, address.removeprefix("unix:path="))
        self.is_open = True
        self.resume()

    async def hello(self):
        self.name = (await self.call("Hello", of="org.freedesktop.DBus", at="/org/freedesktop/DBus",
                                     on="org.freedesktop.DBus"))[0]
        return self

    def pause(self):
        """Stops reading, as a program that hangs does."""
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
        """Sends a call; the future gets what is answered."""
        self.serial += 1
        message = new_method_call(DBusAddress(at, on, of), member, signature or None, tuple(body))
        future = self.loop.create_future()
        # Whoever does not wait for it does not care what it is, only that it comes.
        future.add_done_callback(lambda future: future.cancelled() or future.exception())
        self.waiting[self.serial] = (self.ledger.asked(member, on), future)
        self.send(message.serialise(serial=self.serial))
        return future

    async def call(self, member, signature="", body=(), **where):
        return await self.begin(member, signature, body, **where)

    async def subscribe(self):
        """A started subscription with no thresholds; its path."""
        path = (await self.call("CreateSubscription", "a{sv}", ({},)))[0]
        await self.call("Start", of=SUBSCRIPTION, at=path)
        return path

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
        while (length := message_length(self.received)) and len(self.received) >= length:
            message = bytes(self.received[:length])
            del self.received[:length]
            self.take(message)

    def take(self, message):
        if message[1] == SIGNAL and (fix := location_in(message)):
            return self.on_location(*fix)
        parsed = Message.from_buffer(message)
        fields = parsed.header.fields
        if message[1] == SIGNAL:
            return self.on_signal(fields[HeaderFields.member], parsed.body)
        entry, future = self.waiting.pop(fields.get(HeaderFields.reply_serial), (None, None))
        if future is None:
            return None
        self.ledger.answered(entry)
        if future.done():
            return None
        if parsed.header.message_type == MessageType.error:
            return future.set_exception(Refused(fields[HeaderFields.error_name]))
        return future.set_result(parsed.body)


def connect_as(user, path):
    """A socket that the bus takes for this user's."""
    own = os.geteuid()
    os.seteuid(user)
    try:
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(20)
        stream.connect(path)
        stream.sendall(b"\0AUTH EXTERNAL " + str(user).encode().hex().encode() + b"\r\n")
        answer = stream.recv(512)
        if not answer.startswith(b"OK "):
            raise OSError(f"the bus does not let user {user} in: {answer!r}")
        stream.sendall(b"BEGIN\r\n")
    finally:
        os.seteuid(own)
    stream.setblocking(False)
    return stream


def message_length(received):
    if len(received) < 16:
        return 0
    body, fields = struct.unpack_from("<I", received, 4)[0], struct.unpack_from("<I", received, 12)[0]
    return 16 + (fields + 7 & ~7) + body


def location_in(message):
    """Sequence and latitude, if it is a location."""
    body = 16 + (struct.unpack_from("<I", message, 12)[0] + 7 & ~7)
    sequence, latitude = message.find(b"Sequence\0\1t", body), message.find(b"Latitude\0\1d", body)
    if sequence < 0 or latitude < 0:
        return None

    def value(kind, place):
        return struct.unpack_from(kind, message, body + (place - body + 12 + 7 & ~7))[0]
    return value("<Q", sequence), value("<d", latitude)
