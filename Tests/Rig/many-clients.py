#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many clients of the service in one program.

    many-clients.py BUS-ADDRESS never-read CONNECTIONS SUBSCRIPTIONS [CALLS]
    many-clients.py BUS-ADDRESS flood CONNECTIONS SUBSCRIPTIONS PATH INTERFACE MEMBER [ARGUMENT…]
    many-clients.py BUS-ADDRESS come-and-go COUNT
    many-clients.py BUS-ADDRESS start-together COUNT
    many-clients.py BUS-ADDRESS hoard KIND USERS EACH
    many-clients.py BUS-ADDRESS flap CONNECTIONS SUBSCRIPTIONS READING PER-SECOND LEVELS [USER]

never-read: starts subscriptions up to the limits, makes CALLS of ListSubscriptions without waiting, then reads nothing.
flood: creates its subscriptions, then makes the call with these strings without a pause, and reads every answer. Both
print "ready" when they have begun, and continue until they are killed. come-and-go: clients connect, subscribe, start
and disconnect, one after the other. start-together: each client creates and starts a subscription and reads its
properties. When all calls are answered, and none is refused by a limit, prints the seconds. hoard: that many USERS,
from id 100000 on, each create EACH objects of the KIND (subscription or region), unless a limit refuses them, and start
one. Prints "ready", then the number of objects. flap: starts subscriptions and prints "ready". Another connection is
their user's agent and announces the LEVELS, such as 0,8, in turn, PER-SECOND times a second (0: without a pause). With
READING 1 the clients read. For each line on standard input, prints how many announcements were made and how many
signals and bytes were read.
"""

import contextlib
import select
import sys
import threading
import time

import wire
from machine import MANAGER, SERVICE
from wire import CALL, Gone, Peer


def insist(peer, *call):
    """Repeats a call until it is not refused by a limit."""
    while (answer := peer.call(SERVICE, *call)).fields.get(wire.ERROR_NAME, "").endswith(".LimitsExceeded"):
        time.sleep(0.05)
    return answer.arguments()


def create(peer):
    return insist(peer, MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}])[0]


def start(peer, path):
    return insist(peer, path, SERVICE + ".Subscription", "Start")


def never_read(address, connections, subscriptions, calls=0):
    peers = [Peer(address) for _ in range(int(connections))]
    for peer in peers:
        for path in [create(peer) for _ in range(int(subscriptions))]:
            start(peer, path)
    for peer in peers:
        with contextlib.suppress(Gone):
            for _ in range(int(calls)):
                peer.begin(SERVICE, MANAGER, SERVICE, "ListSubscriptions")
    print("ready", flush=True)
    time.sleep(3600)


def flood(address, connections, subscriptions, path, interface, member, *arguments):
    peers = [Peer(address) for _ in range(int(connections))]
    for peer in peers:
        for _ in range(int(subscriptions)):
            create(peer)
    signature = "s" * len(arguments)
    header = wire.fields(
        path=path, interface=interface, member=member, destination=SERVICE, signature=signature or None)
    data = wire.message(7, CALL, header, wire.marshalled(signature, *arguments))
    print("ready", flush=True)
    by_socket = {peer.socket: peer for peer in peers}
    for peer in peers:
        peer.send_bytes(data)
    while by_socket:
        readable, _, _ = select.select(list(by_socket), [], [], 1)
        for one in readable:
            try:
                answers = by_socket[one].socket.recv(65536)
                if not answers:
                    raise Gone
                # Makes as many further calls as answers of the usual size have arrived.
                by_socket[one].send_bytes(data * max(1, len(answers) // 300))
            except (Gone, OSError):
                del by_socket[one]


def come_and_go(address, count):
    for number in range(int(count)):
        # Closes the socket without any message, as when the process is killed.
        with contextlib.closing(Peer(address)) as peer:
            if number % 4 == 0:
                peer.begin(SERVICE, MANAGER, SERVICE, "GetLocation", "a{sv}", [{}])
            else:
                path = create(peer)
                if number % 4 > 1:
                    start(peer, path)


def start_together(address, count):
    peers = [Peer(address) for _ in range(int(count))]
    began = time.monotonic()
    calls = {peer: peer.begin(SERVICE, MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}]) for peer in peers}
    paths = {peer: peer.answer(serial).arguments()[0] for peer, serial in calls.items()}
    for call in [(SERVICE + ".Subscription", "Start"),
                 ("org.freedesktop.DBus.Properties", "GetAll", "s", [SERVICE + ".Subscription"])]:
        calls = {peer: peer.begin(SERVICE, paths[peer], *call) for peer in peers}
        for peer, serial in calls.items():
            error = peer.answer(serial).fields.get(wire.ERROR_NAME, "")
            if error.endswith(".LimitsExceeded"):
                sys.exit(error)
    print(time.monotonic() - began)


def hoard(address, kind, users, each):
    member, options = {
        "subscription": ("CreateSubscription", {}),
        "region": ("CreateRegion", {"latitude": ("d", 52.0), "longitude": ("d", 13.0), "radius": ("d", 500.0)}),
    }[kind]
    peers, count = [], 0
    for user in range(100000, 100000 + int(users)):
        mine = 0
        peers.append(Peer(address, user=user))
        while mine < int(each):
            answer = peers[-1].call(SERVICE, MANAGER, SERVICE, member, "a{sv}", [options])
            if "per-connection" in "".join(map(str, answer.arguments())):
                peers.append(Peer(address, user=user))
            elif answer.fields.get(wire.ERROR_NAME, "").endswith(".LimitsExceeded"):
                break
            else:
                path = answer.arguments()[0]
                if mine == 0:
                    # The call is answered when the search for an agent has ended.
                    peers[-1].begin(SERVICE, path, f"{SERVICE}.{kind.title()}", "Start")
                mine += 1
        count += mine
    print(f"ready\n{count}", flush=True)
    time.sleep(3600)


def answer_as_agent(agent):
    while (question := agent.receive(0)) is not None:
        if question.kind == CALL:
            agent.send(wire.REPLY, wire.marshalled("v", ("u", 8)), destination=question.fields[wire.SENDER],
                       reply=question.serial, signature="v")


def flap(address, connections, subscriptions, reading, rate, levels, user=None):
    def peer():
        return Peer(address, user=int(user) if user else None)

    agent, peers = peer(), [peer() for _ in range(int(connections))]
    created = threading.Event()

    def begin():
        for one in peers:
            for path in [create(one) for _ in range(int(subscriptions))]:
                start(one, path)
        created.set()

    threading.Thread(target=begin, daemon=True).start()
    while not created.is_set():
        answer_as_agent(agent)
        time.sleep(0.01)
    print("ready", flush=True)
    bodies = [wire.marshalled("sa{sv}as", "org.freedesktop.GeoClue2.Agent", {"MaxAccuracyLevel": ("u", int(level))}, [])
              for level in levels.split(",")]
    made = signals = size = 0
    began = time.monotonic()
    sockets = {one.socket: b"" for one in peers} if int(reading) else {}
    while True:
        if not int(rate) or made < (time.monotonic() - began) * int(rate):
            agent.send(wire.SIGNAL, bodies[made % 2], path="/org/freedesktop/GeoClue2/Agent",
                       interface="org.freedesktop.DBus.Properties", member="PropertiesChanged", signature="sa{sv}as")
            made += 1
        answer_as_agent(agent)
        readable, _, _ = select.select([sys.stdin, *sockets], [], [], 0 if not int(rate) else 0.002)
        for one in readable:
            if one is sys.stdin:
                if not sys.stdin.readline():
                    return
                print(made, signals, size, flush=True)
                continue
            sockets[one] += one.recv(65536)
            while (whole := wire.length(sockets[one])) and len(sockets[one]) >= whole:
                signals += sockets[one][1] == wire.SIGNAL
                size += whole
                sockets[one] = sockets[one][whole:]


{"start-together": start_together, "flap": flap, "hoard": hoard, "never-read": never_read, "flood": flood, "come-and-go": come_and_go}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
