#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A program on a bus that executes commands.

    bus-client.py BUS-ADDRESS

Commands are JSON, one per line. So are the answers, which carry the command's "id". The first line of output is
{"name": ":1.N"}.

    {"id": 1, "call": {"destination": S, "path": S, "interface": S|null, "member": S, "signature": S,
                       "arguments": [...], "interactive": bool}}
        -> {"id": 1, "reply": {"signature": S, "arguments": [...]}} or {"id": 1, "error": {"name": S, "message": S}}
    {"id": 2, "match": RULE}             -> {"id": 2, "reply": {...}}
    {"id": 3, "emit": {"destination": S|null, "path": S, "interface": S, "member": S, "signature": S,
                       "arguments": [...]}}
    {"quit": true}                       leaves the bus; so does the end of the input

Every signal that arrives: {"signal": {"sender", "destination", "path", "interface", "member", "signature",
"arguments"}, "at": CLOCK_BOOTTIME in seconds}. Values are encoded as in busjson.py.
"""

import sys
import time

import wire
from busjson import say
from busloop import BUS, BUS_PATH, Bus


class Client:
    def __init__(self, address):
        self.bus = Bus(address)
        self.bus.on_signal = self.received
        say(name=self.bus.name)

    @staticmethod
    def received(message):
        say(at=time.clock_gettime(time.CLOCK_BOOTTIME), signal={
            "sender": message.sender, "destination": message.fields.get(wire.DESTINATION), "path": message.path,
            "interface": message.interface, "member": message.member, "signature": message.signature,
            "arguments": message.values})

    def command(self, command):
        if "quit" in command:
            self.bus.is_over = True
        elif "call" in command:
            self.call(command["id"], **command["call"])
        elif "match" in command:
            self.call(command["id"], BUS, BUS_PATH, BUS, "AddMatch", "s", [command["match"]])
        elif "emit" in command:
            self.emit(**command["emit"])
            say(id=command["id"], reply={"signature": "", "arguments": []})

    def call(self, number, destination, path, interface, member, signature="", arguments=(), interactive=False, **_):
        self.bus.call(
            lambda answer: self.answered(number, answer), destination, path, interface, member, signature, *arguments,
            flags=wire.INTERACTIVE if interactive else 0)

    def emit(self, destination, path, interface, member, signature="", arguments=()):
        self.bus.emit(path, interface, member, signature, *arguments, to=destination or None)

    @staticmethod
    def answered(number, answer):
        if answer.kind == wire.ERROR:
            text = answer.values[0] if answer.signature.startswith("s") else ""
            say(id=number, error={"name": answer.fields[wire.ERROR_NAME], "message": text})
        else:
            say(id=number, reply={"signature": answer.signature, "arguments": answer.values})


client = Client(sys.argv[1])
client.bus.run(client.command, outlives_bus=True)
