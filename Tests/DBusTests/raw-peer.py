# SPDX-License-Identifier: Apache-2.0
"""A bus client that writes its messages byte by byte, so that it can send messages that no library would send.

    raw-peer.py ADDRESS DESTINATION PATH dbus-daemon|dbus-broker

It sends odd but valid messages to DESTINATION, asks it for a last, plain reply and prints that it is alive.
"""

import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Rig"))

from wire import CALL, ERROR, INTERACTIVE, NO_REPLY, REPLY, SIGNAL, Peer, fields, marshalled, message

address, destination, path, broker = sys.argv[1:]
peer = Peer(address)
SAMPLE = {"interface": "org.example.Sample"}


def send(kind=CALL, order="<", flags=0, body=b"", unknown=None, **header):
    """Sends one message and returns its serial number."""
    header = fields(**{"destination": destination, "path": path, **header})
    if unknown:
        header.append((200, "s", unknown))
    serial = peer.next_serial()
    descriptors = next((value for code, _, value in header if code == 9), 0)
    peer.send_bytes(message(serial, kind, header, body, order, flags), descriptors)
    return serial


def ask(**arguments):
    """Sends a call and returns the kind and the bytes of the answer."""
    answer = peer.answer(send(**arguments))
    return answer.kind, answer.data


def variant(signature, inside):
    """A variant with a given signature and bytes, aligned to 8."""
    start = bytes([len(signature)]) + signature.encode() + b"\0"
    return start + bytes(-len(start) % 8) + inside


# The other byte order, with every kind of number.
kind, reply = ask(order=">", member="Add", signature="uu", body=marshalled("uu", 2, 40, order=">"), **SAMPLE)
assert kind == REPLY and reply[-8:] == struct.pack("<Q", 42), reply
kind, reply = ask(order=">", member="Echo", signature="v", body=variant("d", struct.pack(">d", 1.5)), **SAMPLE)
assert kind == REPLY and reply[-8:] == struct.pack("<d", 1.5), reply

# No interface, unknown header fields, unknown flags, unknown message types.
assert ask(member="Nothing")[0] == REPLY
assert ask(member="Nothing", unknown="field", flags=0xF8, **SAMPLE)[0] == REPLY
send(kind=77, member="Nothing", **SAMPLE)
send(kind=255, member="Nothing", **SAMPLE)

# Replies and errors to calls that were never made, signals with a reply's serial number, signals of standard interfaces.
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
assert ask(member="Echo", signature="v", body=body, **SAMPLE)[0] in (REPLY, ERROR)
assert ask(member="Do", signature="v", body=body, **SAMPLE)[0] == ERROR
assert ask(member="Echo", signature="v", body=marshalled("v", ("a" * 32 + "y", [])), **SAMPLE)[0] in (REPLY, ERROR)
assert ask(member="Echo", signature="v", body=variant("(" * 32 + "y" + ")" * 32, b"\7"), **SAMPLE)[0] in (REPLY, ERROR)

# Long texts and signatures.
for length in 255, 65536, 3_000_000:
    assert ask(member="Echo", signature="v", body=marshalled("v", ("s", "x" * length)), **SAMPLE)[0] == REPLY
assert ask(member="Nothing", signature="y" * 255, body=bytes(255), **SAMPLE)[0] == ERROR
assert ask(member="m" * 255, interface="a." + "b" * 253)[0] == ERROR
assert ask(path="/" + "/".join(["x"] * 5000), member="Nothing", **SAMPLE)[0] == ERROR

# File descriptors: as an argument, beside other arguments, unmentioned, and many at once.
assert ask(member="Do", signature="h", body=bytes(4), fds=1, **SAMPLE)[0] == ERROR
assert ask(member="Nothing", fds=1, **SAMPLE)[0] == ERROR
assert ask(member="Echo", signature="v", body=marshalled("v", ("h", 0)), fds=1, **SAMPLE)[0] == ERROR
options = marshalled("a{sv}", {"k": ("h", 0)})
assert ask(member="Do", signature="a{sv}", body=options, fds=1, **SAMPLE)[0] == ERROR
for number in range(100):
    send(kind=SIGNAL, interface="org.example.Sample", member="Happened", fds=16)
    send(member="Later", fds=16, flags=NO_REPLY, **SAMPLE)
# dbus-daemon ends a connection that sends more than 16 descriptors in a message.
for number in range(30 if broker == "dbus-broker" else 0):
    send(kind=SIGNAL, interface="org.example.Sample", member="Happened", fds=250)
    send(member="Later", fds=250, **SAMPLE)

# Calls every member with wrong arguments, without waiting for the answers.
for member in "Echo", "Add", "Later", "Nothing", "Refuse", "Forget", "LieAboutTypes", "Do", "Happened", "Title", "_":
    for signature, body in (None, b""), ("s", marshalled("s", "x")), ("y", b"\0"), ("ay", bytes(4)), ("v", b"\1y\0\0"):
        send(member=member, signature=signature, body=body, **SAMPLE)
        send(member=member, signature=signature, body=body, flags=NO_REPLY | INTERACTIVE, **SAMPLE)
        send(member=member, signature=signature, body=body)

kind, reply = ask(member="Add", signature="uu", body=marshalled("uu", 40, 2), **SAMPLE)
assert kind == REPLY and reply[-8:] == struct.pack("<Q", 42)
print("alive", flush=True)
