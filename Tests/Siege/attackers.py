# SPDX-License-Identifier: Apache-2.0
"""Attacks that one user can make on the service on a bus with stock limits, without violating the rules of the bus.

An attack is a function of a `Besieger`, which runs as the attacking user until `is_over()`. If the bus ends a connection
(`Gone`), the attack continues with others. ALL lists the attacks; each docstring states the target.
"""

import contextlib
import select
import struct
import time

import wire
from machine import MANAGER, PROPERTIES, SERVICE
from wire import CALL, ERROR, NO_REPLY, REPLY, SIGNAL, Gone, Peer, fields, marshalled, message

SUBSCRIPTION = SERVICE + ".Subscription"
# Below the 256 connections that the bus allows a user.
MANY = 200
# Signals that would deceive a service that checks only path, interface and member.
BELIEVED = [
    ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged"),
    ("/org/freedesktop/GeoClue2/Agent", PROPERTIES, "PropertiesChanged"),
    ("/org/freedesktop/GeoClue2/Client/1", "org.freedesktop.GeoClue2.Client", "LocationUpdated"),
    ("/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "Changed"),
    ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep"),
    ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "JobRemoved"),
]


class Besieger:
    def __init__(self, address, broker, seconds, random):
        self.address, self.broker, self.random = address, broker, random
        self.end = time.monotonic() + seconds
        self.peers = []

    def is_over(self):
        return time.monotonic() > self.end

    def peer(self):
        peer = Peer(self.address)
        peer.socket.settimeout(2)
        self.peers.append(peer)
        return peer

    @contextlib.contextmanager
    def visitor(self):
        """Provides a connection that ends with the attack, unless the bus closes it earlier."""
        peer = self.peer()
        with contextlib.suppress(Gone):
            yield peer
        self.peers.remove(peer)
        peer.close()

    def crowd(self, count):
        return [self.peer() for _ in range(count)]

    def subscribe(self, peer, count=1, is_started=True):
        """Creates subscriptions and returns the paths of the successful ones."""
        paths = []
        for _ in range(count):
            answer = peer.call(SERVICE, MANAGER, SERVICE, "CreateSubscription", "a{sv}", [{}])
            if answer and answer.kind == REPLY:
                paths += answer.arguments()
        for path in paths if is_started else []:
            peer.call(SERVICE, path, SUBSCRIPTION, "Start")
        return paths

    def owner(self):
        return self.peer().ask_bus("GetNameOwner", "s", [SERVICE])[0]

    def unread(self, said):
        """Sends each peer's messages repeatedly and reads no answers. Peers whose socket is full are left alone."""
        for peer in said:
            peer.socket.setblocking(False)
        rest = {peer: b"" for peer in said}
        while not self.is_over() and rest:
            _, writable, _ = select.select([], [peer.socket for peer in rest], [], 0.1)
            for peer in [peer for peer in rest if peer.socket in writable]:
                data = rest[peer] or b"".join(renumbered(peer, data) for data in said[peer])
                try:
                    rest[peer] = data[peer.socket.send(data):]
                except BlockingIOError:
                    pass
                except OSError:
                    del rest[peer]
        while not self.is_over():
            time.sleep(0.1)

    def converse(self, peers, *messages, window=1):
        """Sends messages and reads the answers as fast as possible, with `window` messages outstanding."""
        for peer in peers:
            peer.number = 0
            for _ in range(window):
                self.next_message(peer, messages)
        while not self.is_over() and peers:
            readable, _, _ = select.select([peer.socket for peer in peers], [], [], 0.1)
            for peer in [peer for peer in peers if peer.socket in readable]:
                try:
                    while (answer := peer.receive(0)) is not None:
                        if answer.kind in (REPLY, ERROR):
                            self.next_message(peer, messages)
                except (Gone, OSError):
                    peers.remove(peer)

    @staticmethod
    def next_message(peer, messages):
        peer.number += 1
        peer.send_bytes(renumbered(peer, messages[peer.number % len(messages)]))


def renumbered(peer, data):
    """Returns the message with the connection's next serial number."""
    return data[:8] + struct.pack("<I", peer.next_serial()) + data[12:]


def call(member, signature="", *values, of=SERVICE, at=MANAGER, on=SERVICE, flags=0):
    header = fields(path=at, interface=of, member=member, destination=on, signature=signature or None)
    return message(1, CALL, header, marshalled(signature, *values), flags=flags)


def agent_change(level):
    """Returns the body of a signal with which an agent announces its level."""
    return marshalled("sa{sv}as", "org.freedesktop.GeoClue2.Agent", {"MaxAccuracyLevel": ("u", level)}, [])


def byte_array(size):
    return struct.pack("<I", size) + bytes(size)


LIST = call("ListSubscriptions")
GET_ALL = call("GetAll", "s", SERVICE, of=PROPERTIES)


# Clients that do not read

def replies_never_read(siege):
    """Unbounded queues of large replies: eight connections request long lists and read none."""
    for peer in siege.crowd(31):
        siege.subscribe(peer, 16, is_started=False)
    siege.unread({peer: [LIST] for peer in siege.crowd(8)})


def locations_never_read(siege):
    """The 127 MiB of unread messages that the bus permits a sender: hundreds of running subscriptions of stopped
    programs."""
    for peer in siege.crowd(31):
        siege.subscribe(peer, 16)
    while not siege.is_over():
        time.sleep(0.1)


def signals_of_properties_never_read(siege):
    """The same with property changes that the clients cause themselves and never read."""
    said = {}
    for peer in siege.crowd(20):
        for path in siege.subscribe(peer):
            said[peer] = [call("Set", "ssv", SUBSCRIPTION, "DistanceThreshold", ("d", float(step)), of=PROPERTIES, at=path)
                          for step in (1, 2)]
    siege.unread(said)


def errors_never_read(siege):
    """Unread errors: calls far beyond the limits."""
    messages = [call("Nonsense"), call("Ping", of="org.freedesktop.DBus.Peer"), LIST]
    siege.unread({peer: messages for peer in siege.crowd(MANY)})


def one_byte_at_a_time(siege):
    """Clients that read, but extremely slowly."""
    peers = siege.crowd(31)
    for peer in peers:
        siege.subscribe(peer, 16)
    while not siege.is_over():
        for peer in peers:
            peer.send_bytes(renumbered(peer, LIST))
            peer.socket.recv(1)
        time.sleep(0.05)


# Huge messages

def huge_signals(siege):
    """Many bytes of memory for each byte received: signals of 7 and 31 MB to all and to the service."""
    unique = siege.owner()
    bodies = [byte_array(size) for size in (7_000_000, 31_000_000)]
    while not siege.is_over():
        with siege.visitor() as peer:
            for path, interface, member in BELIEVED:
                for body in bodies:
                    for destination in (unique, None):
                        peer.send(SIGNAL, body, path=path, interface=interface, member=member, destination=destination,
                                  signature="ay")
                    if siege.is_over():
                        return


def huge_elements(siege):
    """As many values as fit: arrays of structures, of variants and of entries, megabytes each."""
    unique = siege.owner()
    bodies = [(signature, marshalled(signature, value)) for signature, value in [
        ("as", [""] * 800_000), ("a(yv)", [(0, ("y", 0))] * 400_000),
        ("a{sv}", {str(number): ("u", number) for number in range(200_000)})]]
    while not siege.is_over():
        with siege.visitor() as peer:
            for (path, interface, member), (signature, body) in zip(BELIEVED, bodies * 2):
                for destination in (unique, None):
                    peer.send(SIGNAL, body, path=path, interface=interface, member=member, destination=destination,
                              signature=signature)
                peer.send(CALL, body, path=MANAGER, interface=SERVICE, member="GetLocation", destination=SERVICE,
                          signature=signature)
                peer.drain()


def huge_answers(siege):
    """Answers the service's question to possible agents with 31 MB, as a reply or as an error."""
    answers = [(REPLY, b"\2ay\0" + byte_array(31_000_000), {"signature": "v"}),
               (REPLY, marshalled("v", ("as", [""] * 1_000_000)), {"signature": "v"}),
               (ERROR, marshalled("s", "x" * 31_000_000), {"signature": "s", "error": "a.b"})]
    outsiders, asking = siege.crowd(4), siege.peer()
    number = 0
    while not siege.is_over():
        asking.send_bytes(renumbered(asking, call("RequestAuthorization", "a{sv}", {}, flags=NO_REPLY)))
        siege.subscribe(asking)
        for index, outsider in enumerate(outsiders):
            try:
                while (question := outsider.receive(0.05)) is not None:
                    if question.kind == CALL:
                        kind, body, named = answers[number % len(answers)]
                        number += 1
                        outsider.send(kind, body, destination=question.fields[wire.SENDER], reply=question.serial, **named)
            except Gone:
                outsiders[index] = siege.peer()


def huge_calls(siege):
    """Calls as large as the bus lets pass: 31 MB on dbus-daemon, up to 120 MB on dbus-broker."""
    sizes = [31_000_000] if siege.broker == "dbus-daemon" else [60_000_000, 100_000_000, 120_000_000]
    while not siege.is_over():
        for size in sizes:
            with siege.visitor() as peer:
                body = b"\2ay\0" + byte_array(min(size, 60_000_000)) if size <= 64_000_000 else \
                    byte_array(60_000_000) + bytes(-60_000_000 % 4) + byte_array(size - 60_000_000)
                signature = "v" if size <= 64_000_000 else "ayay"
                peer.send(CALL, body, path=MANAGER, interface=SERVICE, member="GetLocation", destination=SERVICE,
                          signature=signature)
                peer.receive(2)


def array_beyond_the_limit(siege):
    """Arrays eight bytes above the limit, which dbus-broker forwards and over which libdbus leaves the bus."""
    body = byte_array(64 * 1024 * 1024 + 8)
    while not siege.is_over():
        with siege.visitor() as peer:
            peer.send(CALL, body, path="/", interface="org.freedesktop.DBus.Peer", member="Ping", destination=SERVICE,
                      signature="ay")
            peer.ask_bus("GetId")
        time.sleep(0.5)


# Calls within the limits

def long_lists(siege):
    """The most expensive call, repeated by twenty connections that do read: 496 rows each."""
    for peer in siege.crowd(31):
        siege.subscribe(peer, 16, is_started=False)
    siege.converse(siege.crowd(20), LIST)


def many_connections(siege):
    """Two hundred connections that always have calls waiting, against a service that serves in order of arrival."""
    siege.converse(siege.crowd(MANY), GET_ALL, window=16)


def many_kinds_of_calls(siege):
    """The same with every kind of call, including those answered by the libraries below the service."""
    siege.converse(
        siege.crowd(MANY), call("Ping", of="org.freedesktop.DBus.Peer"), call("Nonsense"), GET_ALL,
        call("Introspect", of="org.freedesktop.DBus.Introspectable"), call("GetMachineId", of="org.freedesktop.DBus.Peer"),
        call("GetAll", "s", "a.b", of=PROPERTIES), call("Introspect", of="org.freedesktop.DBus.Introspectable", at="/"),
        window=8)


def costly_options(siege):
    """64 KiB of options in each call, of which only the last is invalid."""
    options = {f"key-{number}": ("s", "x" * 200) for number in range(280)}
    nested = {"accuracy": ("aas", [["x"] * 500] * 20)}
    siege.converse(siege.crowd(60), call("CreateSubscription", "a{sv}", options), call("GetLocation", "a{sv}", nested),
                   window=4)


def short_waits(siege):
    """One-shot calls that time out before a location can arrive, each of which may create a GeoClue client."""
    siege.converse(siege.crowd(30), call("GetLocation", "a{sv}", {"timeout": ("u", 10), "maximum-age": ("u", 0)}), window=4)


def pending_locations(siege):
    """One location that answers 3,200 pending calls."""
    siege.converse(siege.crowd(MANY), call("GetLocation", "a{sv}", {"timeout": ("u", 60_000), "maximum-age": ("u", 0)}),
                   window=16)


def all_subscriptions(siege):
    """As many subscriptions as the limits allow."""
    while not siege.is_over():
        try:
            siege.subscribe(siege.peer(), 16, is_started=False)
        except Gone:
            time.sleep(0.1)
        if len(siege.peers) >= MANY:
            time.sleep(0.1)


def come_and_go(siege):
    """Connections that subscribe and disconnect as fast as possible."""
    while not siege.is_over():
        peers = siege.crowd(10)
        for peer in peers:
            peer.send_bytes(renumbered(peer, call("CreateSubscription", "a{sv}", {})))
            peer.send_bytes(renumbered(peer, call("GetLocation", "a{sv}", {"maximum-age": ("u", 0)})))
        for peer in peers:
            peer.close()
        siege.peers.clear()


def small_signals(siege):
    """Floods of signals whose names could concern the service."""
    unique = siege.owner()
    signals = [message(1, SIGNAL, fields(
        path=path, interface=interface, member=member, destination=unique, signature="sa{sv}as"), agent_change(8))
        for path, interface, member in BELIEVED]
    siege.unread({peer: signals for peer in siege.crowd(20)})


def descriptors(siege):
    """File descriptors with signals and calls, as many as the bus forwards."""
    unique, count = siege.owner(), 16 if siege.broker == "dbus-daemon" else 64
    while not siege.is_over():
        with siege.visitor() as peer:
            for _ in range(200):
                peer.send(SIGNAL, path="/", interface="a.b", member="S", destination=unique, fds=count)
                peer.send(CALL, flags=NO_REPLY, path=MANAGER, interface=SERVICE, member="ListSubscriptions",
                          destination=unique, fds=count)


# Authorization

def silent_strangers(siege):
    """A new connection every 100 ms that never answers whether it is an agent, while other clients wait."""
    while not siege.is_over():
        peer = siege.peer()
        peer.send_bytes(renumbered(peer, call("RequestAuthorization", "a{sv}", {})))
        peer.send_bytes(renumbered(peer, call("GetLocation", "a{sv}", {"maximum-age": ("u", 0)})))
        if len(siege.peers) > 150:
            siege.peers.pop(0).close()
        time.sleep(0.1)


def fickle_agents(siege):
    """Agents that appear, change their level a thousand times per second, and leave while they are being asked."""
    bodies = [agent_change(level) for level in (0, 4, 8)]
    subscriber = siege.peer()
    siege.subscribe(subscriber, 16)
    while not siege.is_over():
        agents = siege.crowd(5)
        try:
            for _ in range(60):
                for agent in agents:
                    agent.send(SIGNAL, siege.random.choice(bodies), path="/org/freedesktop/GeoClue2/Agent",
                               interface=PROPERTIES, member="PropertiesChanged", signature="sa{sv}as")
                    while (question := agent.receive(0)) is not None:
                        if question.kind == CALL and siege.random.random() < 0.7:
                            answer = marshalled("v", ("u", siege.random.choice([0, 4, 8])))
                            agent.send(REPLY, answer, destination=question.fields[wire.SENDER],
                                       reply=question.serial, signature="v")
                time.sleep(0.005)
        except Gone:
            pass
        for agent in agents:
            siege.peers.remove(agent)
            agent.close()


def strangers_to_polkit(siege):
    """A new connection for each call, because polkit must be asked about each connection."""
    while not siege.is_over():
        for peer in siege.crowd(20):
            peer.send_bytes(renumbered(peer, call("RequestAuthorization", "a{sv}", {})))
        time.sleep(0.05)
        while len(siege.peers) > 150:
            siege.peers.pop(0).close()


ALL = [
    replies_never_read, locations_never_read, signals_of_properties_never_read, errors_never_read, one_byte_at_a_time,
    huge_signals, huge_elements, huge_answers, huge_calls, array_beyond_the_limit, long_lists, many_connections,
    many_kinds_of_calls, costly_options, short_waits, pending_locations, all_subscriptions,
    come_and_go, small_signals, descriptors, silent_strangers, fickle_agents, strangers_to_polkit,
]
# Fixes per second from the receiver. One unless an attack needs more.
RATE = {locations_never_read: 20, one_byte_at_a_time: 20}
# libdbus needs twice the size of a message to receive it.
RESIDENT_MAX_KIB = dict.fromkeys((huge_signals, huge_answers, huge_calls), 80 << 10)
# Only dbus-broker forwards these.
ON_BROKER_ONLY = {array_beyond_the_limit}
# The number of attacking users, one by default.
USERS = {all_subscriptions: 8}
