#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Floods the service with events of one source.

    flood.py BUS-ADDRESS names|network|logind [USER]

Names: connections that open and close. Network: a NetworkManager whose network keeps changing. Logind: one that keeps
reporting changes of the USER's session, and answers each question differently. Prints "ready" when it has begun, and
for each line on standard input how many bytes it has sent.
"""

import contextlib
import select
import sys

import wire
from wire import CALL, ERROR, REPLY, SIGNAL, Peer

BUS, LOGIND, NETWORK = "org.freedesktop.DBus", "org.freedesktop.login1", "org.freedesktop.NetworkManager"
USER_PATH, SESSION_PATH = "/org/freedesktop/login1/user/one", "/org/freedesktop/login1/session/_31"
address, source, user = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
sent = count = 0


def announce(peer, path, interface, name, value):
    global sent
    body = wire.marshalled("sa{sv}as", interface, {name: value}, [])
    sent += len(body)
    peer.send(SIGNAL, body, path=path, interface=BUS + ".Properties", member="PropertiesChanged", signature="sa{sv}as")


def answer(peer, message):
    """Logind's answer; its user is active every other time."""
    global sent
    asked = message.arguments()
    if message.fields[wire.MEMBER] == "GetUser" and asked == [user]:
        signature, values = "o", [USER_PATH]
    elif message.fields[wire.MEMBER] == "Get" and asked[1] in ("State", "User"):
        value = ("s", "active" if count % 2 else "online") if asked[1] == "State" else ("(uo)", (user, USER_PATH))
        signature, values = "v", [value]
    else:
        peer.send(ERROR, error=LOGIND + ".NoSuchUser", reply=message.serial, destination=message.fields[wire.SENDER])
        return
    body = wire.marshalled(signature, *values)
    sent += len(body)
    peer.send(REPLY, body, reply=message.serial, destination=message.fields[wire.SENDER], signature=signature)


def step(peer):
    global count, sent
    count += 1
    if source == "names":
        with contextlib.closing(Peer(address)) as other:
            sent += 2 * len(other.name) + 2 * len("org.freedesktop.DBus.NameOwnerChanged")
    elif source == "network":
        path = f"/org/freedesktop/NetworkManager/ActiveConnection/{count % 2 + 1}"
        announce(peer, "/org/freedesktop/NetworkManager", NETWORK, "PrimaryConnection", ("o", path))
    else:
        announce(peer, SESSION_PATH, LOGIND + ".Session", "Active", ("b", count % 2 == 1))
        while (message := peer.receive(0)) is not None:
            if message.kind == CALL:
                answer(peer, message)


one = Peer(address)
if source != "names":
    one.ask_bus("RequestName", "su", [LOGIND if source == "logind" else NETWORK, 4])
print("ready", flush=True)
while True:
    step(one)
    # At most a thousand events a second: a higher rate would measure the machine, not the service.
    if select.select([sys.stdin], [], [], 0.001)[0]:
        if not sys.stdin.readline():
            break
        print(sent, flush=True)
