# SPDX-License-Identifier: Apache-2.0
"""Attacks that a program on the bus can make on another one.

An attack is a function of a `Target` that opens its own connections, attacks and disconnects. The bus may end its
connections (`wire.Gone`).
"""

import struct
import time

import chance
import wire
from introspection import objects
from wire import CALL, ERROR, INTERACTIVE, NO_REPLY, NO_START, REPLY, SIGNAL, Peer, Writer

PROPERTIES = "org.freedesktop.DBus.Properties"
# The burst of calls per connection. Further calls would only be refused.
BURST = 150


class Target:
    """The target of the attacks and the random choices."""

    def __init__(self, address, name, random):
        self.address, self.name, self.random = address, name, random
        self.objects = {}
        # Another attacker may just have caused the service's disconnection, in which case the service will return.
        for _ in range(50):
            self.find()
            peer = self.peer()
            self.objects = objects(peer, name)
            peer.close()
            if self.objects:
                break
            time.sleep(0.1)
        # The answers received so far. No call may be answered twice.
        self.doubled = []

    def peer(self):
        return Peer(self.address)

    def find(self):
        """Updates the service's unique name, which changes when the bus disconnects the service."""
        for _ in range(200):
            peer = self.peer()
            owner = peer.ask_bus("GetNameOwner", "s", [self.name])
            peer.close()
            if owner:
                self.unique = owner[0]
                return
            time.sleep(0.05)
        raise SystemExit(f"nobody is {self.name}")

    def manager(self):
        """Returns the path of the service's main object, derived from its name."""
        return "/" + self.name.replace(".", "/")

    def body(self, signature, words=()):
        writer = Writer(self.random.choice("<<<>"))
        for kind in wire.types(signature):
            chance.write(self.random, writer, kind, words)
        return writer

    def member(self, paths):
        """Returns a random member of a random object: path, interface, name, correct signature."""
        path = self.random.choice(list(paths))
        interface = self.random.choice(paths[path] or [None])
        if interface is None or not interface.methods:
            return path, "org.freedesktop.DBus.Peer", "Ping", ""
        name = self.random.choice(list(interface.methods))
        return path, interface.name, name, interface.methods[name]

    def words(self):
        """Returns the names that the service itself uses."""
        return [
            word for interfaces in self.objects.values() for interface in interfaces
            for word in [interface.name, *interface.properties]]

    def call(self, peer, path, interface, member, signature, **more):
        writer = self.body(signature, self.words())
        flags = self.random.choice([0, 0, 0, NO_REPLY, INTERACTIVE, NO_START, 0xF8])
        return peer.send(
            CALL, writer.data, writer.order, flags, path=path, interface=interface, member=member,
            destination=self.random.choice([self.name, self.unique]), signature=signature or None, **more)


def answers_once(target, peer, rest=0.0):
    """Reads pending input and reports calls that were answered twice."""
    seen = set()
    while (message := peer.receive(rest)) is not None:
        if message.kind in (REPLY, ERROR) and message.fields.get(wire.SENDER) == target.unique:
            serial = message.fields.get(wire.REPLY_SERIAL)
            if serial in seen:
                target.doubled.append(serial)
            seen.add(serial)


def calls(target):
    """Calls every method with arguments of correct and arbitrary types."""
    peer, random = target.peer(), target.random
    for _ in range(BURST):
        path, interface, member, signature = target.member(target.objects)
        dice = random.random()
        if dice < 0.3:
            signature = "".join(chance.signature(random) for _ in range(random.randint(0, 4)))[:255]
        elif dice < 0.35:
            interface = random.choice([None, "a.b", PROPERTIES])
        elif dice < 0.4:
            path = random.choice(chance.PATHS)
        elif dice < 0.45:
            member = random.choice(["_", "x" * 255, "Get", "Set", "Introspect", "Nothing"])
        if len(signature) <= 255 and balanced(signature):
            target.call(peer, path, interface, member, signature)
    answers_once(target, peer, 0.05)
    peer.close()


def balanced(signature):
    try:
        wire.types(signature)
    except IndexError:
        return False
    return True


def properties(target):
    """Reads and writes all properties, with values of all types."""
    peer, random = target.peer(), target.random
    for _ in range(BURST):
        path = random.choice(list(target.objects))
        interface = random.choice(target.objects[path])
        name, kind = random.choice(list(interface.properties.items()) or [("None", "s")])
        if random.random() < 0.4:
            kind = chance.signature(random)
        member = random.choice(["Set", "Set", "Get", "GetAll"])
        signature = {"Set": "ssv", "Get": "ss", "GetAll": "s"}[member]
        body = Writer()
        for text in [interface.name, name][:signature.count("s")]:
            body.basic("s", chance.text(random).replace("\0", "") if random.random() < 0.05 else text)
        if member == "Set":
            body.basic("g", kind)
            chance.write(random, body, kind, target.words())
        peer.send(CALL, body.data, path=path, interface=PROPERTIES, member=member, destination=target.name,
                  signature=signature)
    answers_once(target, peer, 0.05)
    peer.close()


def subscriptions(target):
    """Creates subscriptions up to the limit, misuses them, and disconnects in between."""
    peer, random = target.peer(), target.random
    for _ in range(random.choice([1, 4, 20])):
        peer.call(target.name, target.manager(), target.name, "CreateSubscription", "a{sv}", [options(random)])
    mine = objects(peer, target.name, target.manager() + "/subscription")
    for _ in range(BURST - 30):
        path, interface, member, signature = target.member(mine or target.objects)
        if random.random() < 0.3 and mine:
            path = random.choice(list(mine))
            entries = [entry for interface in mine[path] for entry in interface.properties.items()] or [("Active", "b")]
            name, kind = random.choice(entries)
            body = Writer()
            body.basic("s", target.name + ".Subscription")
            body.basic("s", name)
            kind = kind if random.random() < 0.8 else chance.signature(random)
            body.basic("g", kind)
            chance.write(random, body, kind)
            peer.send(CALL, body.data, path=path, interface=PROPERTIES, member="Set", destination=target.name,
                      signature="ssv")
        else:
            target.call(peer, path, interface, member, signature)
    if random.random() < 0.5:
        answers_once(target, peer, 0.05)
    peer.close()


def options(random):
    right = {
        "accuracy": ("s", random.choice(["exact", "city", "country", "none", ""])),
        "distance-threshold": ("d", random.choice(chance.DOUBLES)),
        "time-threshold": ("u", random.choice([0, 1, 2**32 - 1])),
        "debounce": ("u", random.choice([0, 1, 2**32 - 1])),
        "max-updates": ("u", random.choice([0, 1, 2**32 - 1])),
        "duration": ("u", random.choice([0, 1, 50, 2**32 - 1])),
        "desktop-id": ("s", random.choice(["", "firefox", "x" * 255])),
    }
    return {name: value for name, value in right.items() if random.random() < 0.3}


def many_peers(target):
    """Opens many connections with pending calls and disconnects them all."""
    peers = [target.peer() for _ in range(60)]
    for peer in peers:
        target.call(peer, target.manager(), target.name, "CreateSubscription", "a{sv}")
        for _ in range(3):
            options = {"timeout": ("u", target.random.choice([0, 5, 120_000]))}
            peer.begin(target.name, target.manager(), target.name, "GetLocation", "a{sv}", [options])
    target.random.shuffle(peers)
    for peer in peers:
        peer.close()


def nesting(target):
    """Sends containers nested as deeply as D-Bus allows, and deeper."""
    random = target.random
    depth = random.choice([30, 31, 32, 33, 61, 62, 63, 64, 65, 66, 100])
    kind = random.randrange(4)
    body = Writer()
    signature = "v"
    if kind == 0:
        body.data += b"\1v\0" * depth + b"\1y\0\7"
    elif kind == 1:
        arrays = "a" * min(depth, 200) + "y"
        body.basic("g", arrays)
        body.align(4)
        body.data += bytes(4)
    elif kind == 2:
        body.basic("g", "(" * min(depth, 100) + "y" + ")" * min(depth, 100))
        body.align(8)
        body.data += b"\7"
    else:
        # A structure in a variant in a structure and so on, each of which adds two levels.
        for _ in range(depth // 2):
            body.data += b"\3(v)\0"
            body.align(8)
        body.data += b"\1y\0\7"
    peer = target.peer()
    for member in ["GetLocation", "CreateSubscription"]:
        peer.send(CALL, body.data, path=target.manager(), interface=target.name, member=member,
                  destination=target.name, signature=signature)
    inside = wire.marshalled("s", "accuracy") + bytes(body.data)
    data = struct.pack("<I", len(inside)) + bytes(4) + inside
    peer.send(CALL, data, path=target.manager(), interface=target.name, member="GetLocation",
              destination=target.name, signature="a{sv}")
    peer.send(SIGNAL, body.data, path="/", interface="a.b", member="S", destination=target.unique, signature=signature)
    peer.drain()
    peer.close()


def sizes(target):
    """Sends messages of all sizes: a string, bytes, and many options."""
    random, peer = target.random, target.peer()
    size = random.choice([60_000, 65_000, 65_536, 66_000, 1_000_000, 8_000_000, 33_000_000])
    body = Writer()
    signature = random.choice(["s", "ay", "as", "a{sv}"])
    if signature == "s":
        body.basic("s", "x" * size)
    elif signature == "ay":
        body.data += struct.pack("<I", size) + bytes(size)
    elif signature == "as":
        # Empty strings: a length, a NUL and, except for the last one, three bytes of padding.
        body.data += struct.pack("<I", size // 8 * 8 - 3) + bytes(size // 8 * 8 - 3)
    else:
        body.value("a{sv}", {f"{number}": ("y", 0) for number in range(min(size // 16, 200_000))})
    for kind, member in [(CALL, "GetLocation"), (CALL, "Nothing"), (SIGNAL, "LocationUpdated")]:
        peer.send(kind, body.data, path=target.manager(), interface=target.name, member=member,
                  destination=target.unique, signature=signature)
    peer.drain()
    peer.close()


def mutations(target):
    """Sends valid messages with some bytes changed until the bus ends the connection."""
    random = target.random
    for _ in range(60):
        peer = target.peer()
        path, interface, member, signature = target.member(target.objects)
        writer = target.body(signature, target.words())
        kind = random.choice([CALL, CALL, SIGNAL, REPLY, ERROR])
        data = bytearray(wire.message(peer.next_serial(), kind, wire.fields(
            path=path, interface=interface, member=member, destination=target.unique, signature=signature or None,
            reply=random.choice([None, 1, 5]), error=random.choice([None, "a.b"])), writer.data, writer.order))
        for _ in range(random.choice([1, 1, 2, 5])):
            index = random.randrange(len(data)) if random.random() < 0.5 else random.randrange(min(len(data), 200))
            dice = random.random()
            if dice < 0.5:
                data[index] ^= 1 << random.randrange(8)
            elif dice < 0.8:
                data[index] = random.choice([0, 1, 0x7F, 0x80, 0xFF, ord("v"), ord("a"), ord("("), ord("/")])
            elif dice < 0.9:
                del data[index:index + random.choice([1, 4, 8])]
            else:
                data[index:index] = bytes(random.choice([1, 4, 8]))
        try:
            peer.send_bytes(bytes(data))
            peer.send_bytes(wire.message(peer.next_serial(), CALL, wire.fields(
                path="/", interface="org.freedesktop.DBus.Peer", member="Ping", destination=target.unique)))
            peer.drain()
        except wire.Gone:
            pass
        peer.close()


def headers(target):
    """Sends well-formed but invalid headers, each on a new connection, because the bus ends most of them."""
    random = target.random
    # Uses the well-known name, because the unique name changes when one of these attacks succeeds.
    right = dict(path="/", interface="a.b", member="M", destination=target.name)
    local = "org.freedesktop.DBus.Local"
    variants = [
        (SIGNAL, wire.fields(**{**right, "interface": local, "member": "Disconnected"})),
        (SIGNAL, wire.fields(**{**right, "path": "/org/freedesktop/DBus/Local", "interface": local,
                                "member": "Disconnected"})),
        (CALL, wire.fields(**{**right, "path": "/org/freedesktop/DBus/Local"})),
        (CALL, wire.fields(**right, sender=target.unique)),
        (SIGNAL, wire.fields(**right, sender="org.freedesktop.DBus")),
        (CALL, wire.fields(**right, reply=0)),
        (REPLY, wire.fields(destination=target.unique, reply=0)),
        (REPLY, wire.fields(destination=target.unique)),
        (ERROR, wire.fields(destination=target.unique, reply=1)),
        (ERROR, wire.fields(**right, reply=1, error="org.freedesktop.DBus.Error.NoReply")),
        (CALL, wire.fields(**right) + wire.fields(member="Second")),
        (CALL, wire.fields(**right) + wire.fields(path="/second")),
        (CALL, wire.fields(**right) + wire.fields(signature="") + wire.fields(signature="")),
        (CALL, [(code, "v", (kind, value)) for code, kind, value in wire.fields(**right)]),
        (CALL, wire.fields(**right) + [(0, "s", "zero")]),
        (CALL, wire.fields(**right) + [(11, "s", "eleven"), (255, "a{sv}", {}), (200, "(v)", (("u", 1),))]),
        (CALL, wire.fields(**right) + [(100, "s", "x")] * 3000),
        # The container instance field, which libdbus knows and dbus-broker does not.
        (CALL, wire.fields(**right) + [(10, "s", "ten")]), (SIGNAL, wire.fields(**right) + [(10, "o", "/ten")] * 2),
        # An interface that the bus policy allows everyone to call.
        (CALL, wire.fields(**{**right, "interface": "org.freedesktop.DBus.Peer"}) + [(10, "o", "/ten")] * 2),
        (CALL, wire.fields(**right) + [(100, "ay", bytes(60_000))]),
        (CALL, wire.fields(**right) + [(100, "v", ("v", ("v", ("v", ("y", 1)))))]),
        (CALL, wire.fields(**{**right, "member": "m" * 256})),
        (CALL, wire.fields(**{**right, "interface": "a." + "b" * 254})),
        (CALL, wire.fields(**{**right, "interface": "a"})),
        (CALL, wire.fields(**{**right, "member": ""})),
        (CALL, wire.fields(**{**right, "path": "/a/"})),
        (CALL, wire.fields(**{**right, "path": "/\u00e4"})),
        (CALL, wire.fields(**{**right, "path": "/" + "/".join("x" * 20000)})),
        (CALL, wire.fields(**right, fds=1)),
        (CALL, wire.fields(**right, fds=2**32 - 1)),
        (CALL, wire.fields(**right, error="a.b")),
        (CALL, wire.fields(path="/", member="M", destination=target.unique)),
        (CALL, wire.fields(path="/", destination=target.unique)),
        (SIGNAL, wire.fields(path="/", member="M", destination=target.unique)),
        (0, wire.fields(**right)), (5, wire.fields(**right)), (255, wire.fields(**right)),
        (5, wire.fields(destination=target.unique)), (77, wire.fields(destination=target.unique, reply=1)),
    ]
    random.shuffle(variants)
    for kind, header in variants:
        peer = target.peer()
        try:
            order, flags = random.choice("<>"), random.choice([0, 0xFF])
            serial = random.choice([1, 2**32 - 1, 7])
            peer.send_bytes(wire.message(serial, kind, header, b"", order, flags, 1))
            peer.ask_bus("GetId")
            if random.random() < 0.1:
                peer.send_bytes(wire.message(9, kind, header, b"", order, flags, random.choice([0, 2, 255])))
                peer.ask_bus("GetId")
        except wire.Gone:
            pass
        peer.close()


def forged_answers(target):
    """Sends replies and errors to calls that were never made, with every serial number that could be pending."""
    peer, random = target.peer(), target.random
    first = random.choice([1, 1, 50, 500, 2**32 - 200])
    for serial in range(first, first + 150):
        signature = random.choice(["", "u", "o", "v", "a{sv}", "as", "(bba{ss})", "b", "(tt)"])
        body = target.body(signature)
        if random.random() < 0.6:
            peer.send(REPLY, body.data, body.order, destination=target.unique, reply=serial, signature=signature or None)
        else:
            peer.send(ERROR, body.data, body.order, destination=target.unique, reply=serial, signature=signature or None,
                      error=random.choice(["a.b", "org.freedesktop.DBus.Error.NoReply",
                                           "org.freedesktop.DBus.Error.AccessDenied"]))
        peer.send(SIGNAL, body.data, body.order, path="/", interface="a.b", member="S", destination=target.unique,
                  reply=serial, signature=signature or None)
    peer.drain()
    peer.close()


# Signals that could deceive the service: path, interface, member, signature.
BELIEVED = [
    ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", "sss"),
    ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameLost", "s"),
    ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameAcquired", "s"),
    ("/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected", ""),
    ("/org/freedesktop/GeoClue2/Manager", PROPERTIES, "PropertiesChanged", "sa{sv}as"),
    ("/org/freedesktop/GeoClue2/Client/1", "org.freedesktop.GeoClue2.Client", "LocationUpdated", "oo"),
    ("/org/freedesktop/GeoClue2/Client/1", PROPERTIES, "PropertiesChanged", "sa{sv}as"),
    ("/org/freedesktop/GeoClue2/Agent", PROPERTIES, "PropertiesChanged", "sa{sv}as"),
    ("/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "Changed", ""),
    ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", "b"),
    ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "SessionNew", "so"),
    ("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "UserRemoved", "uo"),
    ("/org/freedesktop/login1/user/_0", PROPERTIES, "PropertiesChanged", "sa{sv}as"),
    ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "UnitRemoved", "so"),
]


def forged_signals(target):
    """Forges signals of the services to which the service subscribes."""
    peer, random = target.peer(), target.random
    words = ["MaxAccuracyLevel", "Active", "InUse", "AvailableAccuracyLevel", "State", "org.freedesktop.GeoClue2.Agent",
             "org.freedesktop.GeoClue2.Client", "org.freedesktop.GeoClue2", "org.freedesktop.PolicyKit1", target.unique]
    for _ in range(300):
        path, interface, member, signature = random.choice(BELIEVED)
        if random.random() < 0.3:
            signature = chance.signature(random)
        if path.endswith("/Local"):
            continue
        writer = target.body(signature, words)
        peer.send(SIGNAL, writer.data, writer.order, path=path, interface=interface, member=member, signature=signature or None,
                  destination=random.choice([target.unique, None]))
    peer.drain()
    peer.close()


def matches(target):
    """Adds hundreds of match rules for everything that the service sends."""
    peer, random = target.peer(), target.random
    for number in range(random.choice([10, 400])):
        rule = random.choice([
            f"type='signal',sender='{target.name}',arg0='{number}'", f"path_namespace='/org',arg{number % 64}='x'",
            "eavesdrop='true'", f"destination='{target.unique}'", "",
        ])
        peer.begin("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s", [rule])
    peer.drain()
    peer.close()


def descriptors(target):
    """Attaches file descriptors to all kinds of messages."""
    peer, random = target.peer(), target.random
    for _ in range(40):
        count = random.choice([1, 2, 16])
        signature, *values = random.choice([
            ("",), ("h", random.choice([0, 0, 1, 2**31])), ("ah", [0] * count), ("a{sv}", {"accuracy": ("h", 0)})])
        peer.send(
            random.choice([CALL, SIGNAL]), wire.marshalled(signature, *values), path=target.manager(),
            interface=target.name, member="GetLocation", destination=target.unique, signature=signature or None, fds=count)
    peer.drain()
    peer.close()


def odd_agent(target):
    """Waits for a location while other connections of the same user answer every question with nonsense."""
    random = target.random
    agents, waiting = [target.peer() for _ in range(6)], target.peer()
    for member in ["CreateSubscription", "GetLocation", "RequestAuthorization"]:
        waiting.call(target.name, target.manager(), target.name, member, "a{sv}", [{}]) if member[0] == "C" else \
            target.call(waiting, target.manager(), target.name, member, "a{sv}")
    for _ in range(20):
        for agent in agents:
            answer_anything(target, agent)
        agent = random.choice(agents)
        level = random.choice([("u", 8), ("u", 0), ("s", "x"), ("u", 2**32 - 1)])
        body = wire.marshalled(
            "sa{sv}as", "org.freedesktop.GeoClue2.Agent", {"MaxAccuracyLevel": level} if random.random() < 0.5 else {},
            random.choice([[], ["MaxAccuracyLevel"], ["MaxAccuracyLevel"] * 50]))
        for _ in range(random.choice([1, 100])):
            agent.send(SIGNAL, body, path="/org/freedesktop/GeoClue2/Agent", interface=PROPERTIES,
                       member="PropertiesChanged", signature="sa{sv}as")
    for peer in [*agents, waiting]:
        peer.close()


def answer_anything(target, peer, rest=0.01):
    """Answers each incoming call correctly, incorrectly, twice, or not at all."""
    random = target.random
    while (message := peer.receive(rest)) is not None:
        if message.kind != CALL:
            continue
        for _ in range(random.choice([0, 1, 1, 1, 2])):
            signature = random.choice(["v", "v", "", "u", "o", "a{sv}", "(bba{ss})", "as", "a(sus)", chance.signature(random)])
            body = Writer()
            if signature == "v" and random.random() < 0.7:
                body.value("v", random.choice([("u", 8), ("u", 4), ("u", 0), ("s", "active"), ("b", 1), ("o", "/x")]))
            else:
                for kind in wire.types(signature):
                    chance.write(random, body, kind, target.words())
            named = dict(destination=message.fields[wire.SENDER], reply=message.serial, signature=signature or None)
            if random.random() < 0.2:
                named.update(signature="s", error=random.choice([
                    "a.b", "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.NoReply",
                    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.PolicyKit1.Error.Failed"]))
                peer.send(ERROR, wire.marshalled("s", chance.text(random)[:1000]), **named)
            else:
                peer.send(REPLY, body.data, **named)


def half_said(target):
    """Sends incomplete messages, or nothing at all after connecting."""
    random = target.random
    peer = target.peer()
    data = wire.message(1, CALL, wire.fields(path="/", interface="a.b", member="M", destination=target.unique), bytes(500))
    peer.send_bytes(data[:random.randrange(1, len(data))])
    peer.close()


ALL = [
    calls, calls, calls, properties, properties, subscriptions, subscriptions, many_peers, nesting, sizes, mutations,
    headers, forged_answers, forged_signals, matches, descriptors, odd_agent, half_said,
]
