# SPDX-License-Identifier: Apache-2.0
"""D-Bus byte by byte: a connection that sends valid and invalid messages and reads the answers. For root, it can belong
to any user. It serves all Python programs of the tests and benchmarks that need more than a library allows.
"""

import array
import os
import select
import socket
import struct

CALL, REPLY, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, NO_START, INTERACTIVE = 1, 2, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE, UNIX_FDS = range(1, 10)
TYPES = {
    PATH: "o", INTERFACE: "s", MEMBER: "s", ERROR_NAME: "s", REPLY_SERIAL: "u", DESTINATION: "s", SENDER: "s",
    SIGNATURE: "g", UNIX_FDS: "u",
}
FORMATS = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
ALIGNMENT = {
    "y": 1, "b": 4, "n": 2, "q": 2, "i": 4, "u": 4, "x": 8, "t": 8, "d": 8, "s": 4, "o": 4, "g": 1, "a": 4, "(": 8,
    "{": 8, "v": 1, "h": 4,
}


class Gone(Exception):
    """The bus has ended the connection."""


def single(signature, start=0):
    """Returns the first complete type of a signature, from an index."""
    at = start
    while signature[at] == "a":
        at += 1
    if signature[at] not in "({":
        return signature[start:at + 1]
    depth = 0
    while True:
        depth += (signature[at] in "({") - (signature[at] in ")}")
        at += 1
        if depth == 0:
            return signature[start:at]


def types(signature):
    """Returns the complete types of a signature."""
    at, found = 0, []
    while at < len(signature):
        found.append(single(signature, at))
        at += len(found[-1])
    return found


def inside(container):
    """Returns the types inside a structure or a dictionary entry."""
    return types(container[1:-1])


class Writer:
    """Marshals values; a variant is a pair of its signature and its value."""

    def __init__(self, order="<"):
        self.order = order
        self.data = bytearray()

    def align(self, size):
        self.data += bytes(-len(self.data) % size)

    def basic(self, kind, value):
        self.align(ALIGNMENT[kind])
        if kind in FORMATS:
            self.data += struct.pack(self.order + FORMATS[kind], value)
            return
        text = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        self.data += (bytes([len(text) & 0xFF]) if kind == "g" else struct.pack(self.order + "I", len(text))) + text + b"\0"

    def value(self, kind, value):
        first = kind[0]
        if first == "v":
            self.basic("g", value[0])
            self.value(*value)
        elif first == "(" or first == "{":
            self.align(8)
            for part, field in zip(inside(kind), value):
                self.value(part, field)
        elif first == "a":
            self.align(4)
            place = len(self.data)
            self.data += bytes(4)
            self.align(ALIGNMENT[kind[1]])
            start = len(self.data)
            for element in value.items() if isinstance(value, dict) else value:
                self.value(kind[1:], element)
            struct.pack_into(self.order + "I", self.data, place, len(self.data) - start)
        else:
            self.basic(first, value)


def marshalled(signature, *values, order="<"):
    """Returns the body of a message, one value for each complete type of the signature."""
    writer = Writer(order)
    for kind, value in zip(types(signature), values):
        writer.value(kind, value)
    return bytes(writer.data)


class Reader:
    """Unmarshals messages that the bus has accepted."""

    def __init__(self, data, order, at=0):
        self.data, self.order, self.at = data, order, at

    def value(self, kind):
        self.at += -self.at % ALIGNMENT[kind[0]]
        first = kind[0]
        if first in FORMATS:
            form = self.order + FORMATS[first]
            value = struct.unpack_from(form, self.data, self.at)[0]
            self.at += struct.calcsize(form)
            return value
        if first in "sog":
            size = self.data[self.at] if first == "g" else struct.unpack_from(self.order + "I", self.data, self.at)[0]
            start = self.at + (1 if first == "g" else 4)
            self.at = start + size + 1
            return self.data[start:start + size].decode()
        if first == "v":
            return self.value(self.value("g"))
        if first == "a":
            size = struct.unpack_from(self.order + "I", self.data, self.at)[0]
            self.at += 4
            self.at += -self.at % ALIGNMENT[kind[1]]
            end, values = self.at + size, []
            while self.at < end:
                values.append(self.value(kind[1:]))
            return dict(values) if kind[1] == "{" else values
        return tuple(self.value(part) for part in inside(kind))


class Message:
    """A received message."""

    def __init__(self, data):
        self.data, self.order = data, "<" if data[0] == ord("l") else ">"
        self.kind, self.flags = data[1], data[2]
        self.size, self.serial = struct.unpack_from(self.order + "II", data, 4)
        self.fields = dict(Reader(data, self.order, 12).value("a(yv)"))

    def arguments(self):
        reader = Reader(self.data[len(self.data) - self.size:], self.order)
        return [reader.value(kind) for kind in types(self.fields.get(SIGNATURE, ""))]


def message(serial, kind, fields, body=b"", order="<", flags=0, version=1):
    """Returns the bytes of a message. Fields are triples of code, type and value, in any order and number."""
    header = Writer(order)
    header.data += bytes([ord("l" if order == "<" else "B"), kind, flags, version])
    header.data += struct.pack(order + "II", len(body), serial)
    header.value("a(yv)", [(code, (kind, value)) for code, kind, value in fields])
    header.align(8)
    return bytes(header.data) + bytes(body)


def fields(**named):
    """Returns header fields by name, without those that are None."""
    codes = {
        "path": PATH, "interface": INTERFACE, "member": MEMBER, "error": ERROR_NAME, "reply": REPLY_SERIAL,
        "destination": DESTINATION, "sender": SENDER, "signature": SIGNATURE, "fds": UNIX_FDS,
    }
    return [(codes[name], TYPES[codes[name]], value) for name, value in named.items() if value is not None]


def length(received):
    """Returns the size of the first message in some bytes, or 0 if there are too few to determine it."""
    if len(received) < 16:
        return 0
    body, _, header = struct.unpack_from(("<" if received[0] == ord("l") else ">") + "III", received, 4)
    return 16 + (header + 7) // 8 * 8 + body


def connect(address, user=None, descriptors=True, timeout=20):
    """Returns a socket that the bus has authenticated as this user or, for root only, as another one."""
    own = os.geteuid()
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(timeout)
    try:
        # The bus asks the kernel for the user of the connection.
        if user is not None and user != own:
            os.seteuid(user)
        try:
            stream.connect(address.split("path=")[1].split(",")[0])
        finally:
            if os.geteuid() != own:
                os.seteuid(own)
        stream.sendall(b"\0AUTH EXTERNAL " + str(own if user is None else user).encode().hex().encode() + b"\r\n")
        expect(stream, b"OK")
        if descriptors:
            stream.sendall(b"NEGOTIATE_UNIX_FD\r\n")
            expect(stream, b"AGREE_UNIX_FD")
        stream.sendall(b"BEGIN\r\n")
    except OSError as error:
        stream.close()
        raise Gone from error
    return stream


def expect(stream, start):
    """Reads a line of the authentication."""
    text = b""
    while not text.endswith(b"\r\n"):
        byte = stream.recv(1)
        if not byte:
            raise Gone
        text += byte
    if not text.startswith(start):
        raise Gone(text)


class Peer:
    """A connection to a bus, after Hello."""

    def __init__(self, address, user=None):
        self.socket = connect(address, user)
        self.serial = 0
        self.received = bytearray()
        self.others = []
        self.name = self.ask_bus("Hello")[0]

    def next_serial(self):
        self.serial += 1
        return self.serial

    def send_bytes(self, data, fds=0):
        """Sends bytes unchanged, with the given descriptors or a number of them."""
        fds = [0] * fds if isinstance(fds, int) else fds
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            sent = self.socket.sendmsg([data], ancillary)
            if sent < len(data):
                self.socket.sendall(data[sent:])
        except OSError as error:
            raise Gone from error

    def send(self, kind, body=b"", order="<", flags=0, **named):
        """Sends a valid message and returns its serial number."""
        serial = self.next_serial()
        self.send_bytes(message(serial, kind, fields(**named), body, order, flags), named.get("fds") or 0)
        return serial

    def receive(self, timeout=20.0):
        """Returns the next message, or None if none arrives in time."""
        while True:
            if (size := length(self.received)) and len(self.received) >= size:
                data = bytes(self.received[:size])
                del self.received[:size]
                return Message(data)
            if not select.select([self.socket], [], [], timeout)[0]:
                return None
            try:
                # The kernel closes attached descriptors, because there is no buffer for them.
                data = self.socket.recv(65536)
            except OSError as error:
                raise Gone from error
            if not data:
                raise Gone
            self.received += data

    def answer(self, serial, timeout=20.0):
        """Returns the answer to a call, or None if none arrives in time. Other messages are kept in `others`."""
        while True:
            answer = self.receive(timeout)
            if answer is None:
                return None
            if answer.kind in (REPLY, ERROR) and answer.fields.get(REPLY_SERIAL) == serial:
                return answer
            self.others.append(answer)

    def begin(self, destination, path, interface, member, signature="", values=()):
        """Makes a valid call and returns its serial number."""
        return self.send(
            CALL, marshalled(signature, *values), path=path, interface=interface, member=member, destination=destination,
            signature=signature or None)

    def call(self, *call):
        """Makes a valid call and returns the answer, or None."""
        return self.answer(self.begin(*call))

    def ask_bus(self, member, signature="", values=()):
        """Calls the bus itself and returns its answer, or nothing for an error."""
        name = "org.freedesktop.DBus"
        answer = self.call(name, "/org/freedesktop/DBus", name, member, signature, values)
        if answer is None:
            raise Gone
        return answer.arguments() if answer.kind == REPLY else []

    def drain(self):
        """Reads and drops pending input."""
        self.others.clear()
        while self.receive(0) is not None:
            pass

    def close(self):
        self.socket.close()
