# SPDX-License-Identifier: Apache-2.0
"""A loop around one connection to a bus, for the rig's programs: calls, timers, and commands on standard input.

Values are JSON, encoded as in busjson.py.
"""

import heapq
import itertools
import json
import select
import time

import wire
from busjson import Commands, decode, encode
from wire import CALL, ERROR, NO_REPLY, REPLY, SIGNAL, Gone, Peer

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
NO_ANSWER = BUS + ".Error.NoReply"
INTROSPECTABLE, PEER, PROPERTIES = (f"{BUS}.{name}" for name in ("Introspectable", "Peer", "Properties"))


class Refused(Exception):
    """The error reply to a call: its name and its text."""


class Bus:
    def __init__(self, address):
        self.peer = Peer(address)
        self.name = self.peer.name
        self.is_over = self.is_gone = False
        self.waiting, self.timers, self.order = {}, [], itertools.count()
        self.users = {}
        self.on_call = lambda message: self.refuse(message, BUS + ".Error.UnknownMethod", "There is no such method")
        self.on_signal = lambda message: None

    # Out

    def send(self, kind, signature="", values=(), flags=0, **header):
        return self.peer.send(kind, encode(signature, values), flags=flags, signature=signature or None, **header)

    def call(self, done, destination, path, interface, member, signature="", *values, flags=0):
        """Makes a call. `done` receives the answer, or an ERROR without a body if the connection ends first."""
        try:
            serial = self.send(
                CALL, signature, values, flags, destination=destination, path=path, interface=interface, member=member)
            self.waiting[serial] = done
        except Gone:
            done(Lost())

    def ask(self, member, signature="", *values):
        """Calls the bus itself and returns its answer."""
        return self.peer.ask_bus(member, signature, values)

    def match(self, rule):
        self.ask("AddMatch", "s", rule)

    def user(self, name):
        """Returns the user that owns a connection."""
        if name not in self.users:
            self.users[name] = self.ask("GetConnectionUnixUser", "s", name)[0]
        return self.users[name]

    def reply(self, message, signature="", *values):
        if not message.flags & NO_REPLY:
            self.send(REPLY, signature, values, NO_REPLY, destination=message.sender, reply=message.serial)

    def refuse(self, message, name, text):
        if not message.flags & NO_REPLY:
            self.send(ERROR, "s", [text], NO_REPLY, destination=message.sender, reply=message.serial, error=name)

    def emit(self, path, interface, member, signature="", *values, to=None):
        self.send(SIGNAL, signature, values, NO_REPLY, path=path, interface=interface, member=member, destination=to)

    def changed(self, path, interface, values):
        """Broadcasts PropertiesChanged."""
        self.emit(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", interface, values, [])

    # In

    def after(self, seconds, action):
        heapq.heappush(self.timers, (time.monotonic() + seconds, next(self.order), action))

    def run(self, on_command, parse=json.loads, outlives_bus=False):
        """Handles messages and commands until the input ends, `is_over`, or the bus ends."""
        commands = Commands(parse)
        while not self.is_over and not commands.is_over and (outlives_bus or not self.is_gone):
            self.take_all()
            inputs = [0] if self.is_gone else [0, self.peer.socket]
            wait = max(0, self.timers[0][0] - time.monotonic()) if self.timers else None
            readable, _, _ = select.select(inputs, [], [], wait)
            while self.timers and self.timers[0][0] <= time.monotonic():
                heapq.heappop(self.timers)[2]()
            if 0 in readable:
                for command in commands.read():
                    on_command(command)

    def take_all(self):
        try:
            while not self.is_gone and not self.is_over:
                message = self.peer.others.pop(0) if self.peer.others else self.peer.receive(0)
                if message is None:
                    return
                self.take(message)
        except Gone:
            self.is_gone = True
            waiting, self.waiting = self.waiting, {}
            for done in waiting.values():
                done(Lost())

    def take(self, message):
        message.sender = message.fields.get(wire.SENDER)
        message.path, message.member = message.fields.get(wire.PATH), message.fields.get(wire.MEMBER)
        message.interface = message.fields.get(wire.INTERFACE)
        message.signature = message.fields.get(wire.SIGNATURE, "")
        message.values = decode(message.signature, message.data[len(message.data) - message.size:], message.order)
        if message.kind in (REPLY, ERROR):
            self.waiting.pop(message.fields.get(wire.REPLY_SERIAL), lambda _: None)(message)
        elif message.kind == SIGNAL:
            self.on_signal(message)
        elif message.kind == CALL and message.interface == PEER and message.member == "Ping":
            self.reply(message)
        elif message.kind == CALL:
            try:
                self.on_call(message)
            except Refused as refusal:
                self.refuse(message, *refusal.args)


class Lost:
    """The answer to a call if the connection ends."""

    kind, signature, values = ERROR, "s", ["The connection has ended"]
    fields = {wire.ERROR_NAME: NO_ANSWER}

