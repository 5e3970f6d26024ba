"""A client of a bus that writes its messages byte by byte, so that it can send what no library would.

    raw-peer.py ADDRESS DESTINATION PATH dbus-daemon|dbus-broker

It sends odd but valid messages to DESTINATION, asks it for a last, plain reply and prints the signature of that.
"""

import array
import os
import socket
import struct
import sys

address, destination, path, broker = sys.argv[1:]
connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
connection.settimeout(20)
connection.connect(address.split("path=")[1].split(",")[0])
connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
assert connection.recv(1024).startswith(b"OK")
connection.sendall(b"NEGOTIATE_UNIX_FD\r\n")
assert connection.recv(1024).startswith(b"AGREE")
connection.sendall(b"BEGIN\r\n")

CALL, REPLY, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, NO_START, INTERACTIVE = 1, 2, 4
serial = 0


def pad(data, to):
    return data + bytes(-len(data) % to)


def field(order, code, kind, value):
    out = bytes([code, 1]) + kind.encode() + b"\0"
    if kind == "u":
        return out + struct.pack(order + "I", value)
    if kind == "g":
        return out + bytes([len(value)]) + value.encode() + b"\0"
    return out + struct.pack(order + "I", len(value.encode())) + value.encode() + b"\0"


def send(kind=CALL, order="<", flags=0, signature="", body=b"", fds=0, **header):
    """Sends one message and returns its serial number."""
    global serial
    serial += 1
    fields = {"destination": destination, "path": path, **header}
    codes = {
        "path": (1, "o"), "interface": (2, "s"), "member": (3, "s"), "error": (4, "s"), "reply": (5, "u"),
        "destination": (6, "s"), "unknown": (200, "s"),
    }
    data = b""
    for name, value in fields.items():
        if value is not None:
            data = pad(data, 8) + field(order, *codes[name], value)
    if signature:
        data = pad(data, 8) + field(order, 8, "g", signature)
    if fds:
        data = pad(data, 8) + field(order, 9, "u", fds)
    start = bytes([ord("l" if order == "<" else "B"), kind, flags, 1])
    head = start + struct.pack(order + "III", len(body), serial, len(data)) + data
    message = pad(head, 8) + body
    ancillary = []
    if fds:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * fds))]
    sent = connection.sendmsg([message], ancillary)
    connection.sendall(message[sent:])
    return serial


received = b""


def receive():
    """The next message: type, serial number that it replies to, and its whole header."""
    global received
    while True:
        if len(received) >= 16:
            order = "<" if received[0] == ord("l") else ">"
            body, _, fields = struct.unpack(order + "III", received[4:16])
            size = 16 + (fields + 7) // 8 * 8 + body
            if len(received) >= size:
                message, received = received[:size], received[size:]
                reply, at = 0, 16
                while at < 16 + fields:
                    at = (at + 7) // 8 * 8
                    code, kind = message[at], message[at + 2:at + 3]
                    at += 4
                    if kind == b"u":
                        value = struct.unpack(order + "I", message[at:at + 4])[0]
                        at += 4
                        reply = value if code == 5 else reply
                    elif kind == b"g":
                        at += 2 + message[at]
                    else:
                        at += 5 + struct.unpack(order + "I", message[at:at + 4])[0]
                return message[1], reply, message
        data = connection.recv(65536)
        if not data:
            raise ConnectionError("the bus has ended the connection")
        received += data


def ask(**arguments):
    """Sends a call and returns the reply's type and text."""
    number = send(**arguments)
    while True:
        kind, reply, message = receive()
        if reply == number:
            return kind, message


def text(order, value):
    return struct.pack(order + "I", len(value)) + value.encode() + b"\0"


sample = {"interface": "org.example.Sample"}
kind, _ = ask(destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
              member="Hello")
assert kind == REPLY

# The other byte order, with every kind of number.
kind, reply = ask(order=">", member="Add", signature="uu", body=struct.pack(">II", 2, 40), **sample)
assert kind == REPLY and reply[-8:] == struct.pack("<Q", 42), reply
inside = b"\1d\0" + bytes(5) + struct.pack(">d", 1.5)
kind, reply = ask(order=">", member="Echo", signature="v", body=inside, **sample)
assert kind == REPLY and reply[-8:] == struct.pack("<d", 1.5), reply

# No interface, unknown header fields, unknown flags, unknown message types.
assert ask(member="Nothing")[0] == REPLY
assert ask(member="Nothing", unknown="field", flags=0xF8, **sample)[0] == REPLY
send(kind=77, member="Nothing", **sample)
send(kind=255, member="Nothing", **sample)

# Replies and errors to calls that nobody made, signals with a reply's serial number, signals of standard interfaces.
for number in range(1, 30):
    send(kind=REPLY, reply=number, path=None)
    send(kind=ERROR, reply=number, error="a.b", path=None)
    send(kind=ERROR, reply=number, error="a.b", path=None, signature="u", body=bytes(4))
    send(kind=SIGNAL, reply=number, interface="a.b", member="S", signature="u", body=bytes(4))
    send(kind=SIGNAL, reply=number, interface="org.freedesktop.DBus.Peer", member="Ping")
    send(kind=SIGNAL, interface="org.freedesktop.DBus.Properties", member="Get")
    send(kind=SIGNAL, interface="org.freedesktop.DBus", member="NameOwnerChanged", signature="u", body=bytes(4))

# Nesting as deep as D-Bus allows: 64 variants.
body = b"\1v\0" * 62 + b"\1y\0\7"
assert ask(member="Echo", signature="v", body=body, **sample)[0] in (REPLY, ERROR)
assert ask(member="Do", signature="v", body=body, **sample)[0] == ERROR
arrays = "a" * 32 + "y"
assert ask(member="Echo", signature="v", body=pad(bytes([len(arrays)]) + arrays.encode() + b"\0", 4) + bytes(4),
           **sample)[0] in (REPLY, ERROR)
structs = "(" * 32 + "y" + ")" * 32
inside = pad(bytes([len(structs)]) + structs.encode() + b"\0", 8) + b"\7"
assert ask(member="Echo", signature="v", body=inside, **sample)[0] in (REPLY, ERROR)

# Long texts and signatures.
for length in 255, 65536, 3_000_000:
    body = b"\1s\0\0" + text("<", "x" * length)
    assert ask(member="Echo", signature="v", body=body, **sample)[0] == REPLY
longest = "y" * 255
assert ask(member="Nothing", signature=longest, body=bytes(255), **sample)[0] == ERROR
assert ask(member="m" * 255, interface="a." + "b" * 253)[0] == ERROR
assert ask(path="/" + "/".join(["x"] * 5000), member="Nothing", **sample)[0] == ERROR

# File descriptors: as an argument, beside other arguments, unmentioned, and many at once.
assert ask(member="Do", signature="h", body=bytes(4), fds=1, **sample)[0] == ERROR
assert ask(member="Nothing", fds=1, **sample)[0] == ERROR
inside = b"\1h\0\0" + bytes(4)
assert ask(member="Echo", signature="v", body=inside, fds=1, **sample)[0] == ERROR
options = pad(text("<", "k") + b"\1h\0", 4) + bytes(4)
assert ask(member="Do", signature="a{sv}", body=pad(struct.pack("<I", len(options)), 8) + options, fds=1,
           **sample)[0] == ERROR
for number in range(100):
    send(kind=SIGNAL, interface="org.example.Sample", member="Happened", fds=16)
    send(member="Later", fds=16, flags=NO_REPLY, **sample)
# dbus-daemon ends the connection of who sends more than 16 in a message.
for number in range(30 if broker == "dbus-broker" else 0):
    send(kind=SIGNAL, interface="org.example.Sample", member="Happened", fds=250)
    send(member="Later", fds=250, **sample)

# Without waiting for the answers: a call of everything with arguments that are none.
for member in "Echo", "Add", "Later", "Nothing", "Refuse", "Forget", "LieAboutTypes", "Do", "Happened", "Title", "_":
    for signature, body in ("", b""), ("s", text("<", "x")), ("y", b"\0"), ("ay", bytes(4)), ("v", b"\1y\0\0"):
        send(member=member, signature=signature, body=body, **sample)
        send(member=member, signature=signature, body=body, flags=NO_REPLY | INTERACTIVE, **sample)
        send(member=member, signature=signature, body=body)

kind, reply = ask(member="Add", signature="uu", body=struct.pack("<II", 40, 2), **sample)
assert kind == REPLY and reply[-8:] == struct.pack("<Q", 42)
print("alive", flush=True)
