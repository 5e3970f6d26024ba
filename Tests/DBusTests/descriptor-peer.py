# SPDX-License-Identifier: Apache-2.0
"""A program on a bus that passes file descriptors: correctly, as logind does, or incorrectly.

    descriptor-peer.py ADDRESS

It prints its unique name, answers calls by their member, and prints "released" when the descriptor that it has passed
on is closed.
"""

import os
import select
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Rig"))

from wire import CALL, MEMBER, REPLY, SENDER, Peer, fields, marshalled, message

peer = Peer(sys.argv[1])
held = None


def send(kind, signature, value, descriptors, **header):
    header = fields(signature=signature, fds=header.pop("count", len(descriptors)), **header)
    serial = peer.next_serial()
    peer.send_bytes(message(serial, kind, header, marshalled(signature, value)), descriptors)
    return serial


def answer(call, signature, value, descriptors, **header):
    send(REPLY, signature, value, descriptors, destination=call.fields[SENDER], reply=call.serial, **header)


print(peer.name, flush=True)
while True:
    if held is not None and peer.socket not in select.select([peer.socket, held], [], [])[0]:
        assert os.read(held, 1) == b""
        held = None
        print("released", flush=True)
        continue
    call = peer.receive(60)
    if call is None or call.kind != CALL:
        continue
    member = call.fields[MEMBER]
    ours, theirs = os.pipe()
    if member == "Inhibit":
        held = os.dup(ours)
        answer(call, "h", 0, [theirs])
    elif member == "Options":
        answer(call, "a{sv}", {"ProcessFD": ("h", 0), "ProcessID": ("u", 7)}, [theirs])
    elif member == "Missing":
        answer(call, "h", 5, [theirs])
    elif member == "Repeated":
        answer(call, "ah", [0] * 300, [theirs])
    elif member == "Many":
        answer(call, "ah", list(range(16)), [theirs] * 16)
    elif member == "Truncated":
        # The bus ends a connection that announces more descriptors than it sends.
        answer(call, "ah", [0, 1], [theirs], count=2)
    elif member == "CallBack":
        send(
            CALL, "h", 0, [theirs], destination=call.fields[SENDER], path="/org/example/Pipes",
            interface="org.example.Pipes", member="Write")
        os.close(theirs)
        theirs = None
        answer(call, "s", os.read(ours, 100).decode(), [], count=None)
    os.close(ours)
    if theirs is not None:
        os.close(theirs)
