#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A GeoClue agent for the user that it runs as.

    geoclue-agent.py BUS-ADDRESS [LEVEL]

LEVEL is the finest level that GeoClue may report to this user: 0 (off), 1, 4, 5, 6 or 8 (exact, the default). Prints
"registered" when GeoClue has accepted it, and again after each restart of GeoClue. Commands, one per line: "level N",
"silently N" (the same without announcing it, as GNOME does while GeoClue cannot be started; prints "changed"),
"authorize yes|no" (the answer for sandboxed programs), "quit". It exits at the end of its input.
"""

import sys

from busloop import BUS, PROPERTIES, Bus, Refused
from wire import REPLY

GEOCLUE, PATH = "org.freedesktop.GeoClue2", "/org/freedesktop/GeoClue2/Agent"
AGENT = GEOCLUE + ".Agent"


class Agent:
    def __init__(self, address, level):
        self.bus, self.level, self.authorizes = Bus(address), level, True
        self.bus.on_call, self.bus.on_signal = self.called, self.signalled
        self.bus.match(f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{GEOCLUE}'")
        if self.bus.ask("NameHasOwner", "s", GEOCLUE)[0]:
            self.register()

    def register(self):
        # Does not wait for the answer, because GeoClue first asks this connection for its level.
        self.bus.call(
            lambda answer: print("registered" if answer.kind == REPLY else f"refused {answer.values}", flush=True),
            GEOCLUE, "/org/freedesktop/GeoClue2/Manager", GEOCLUE + ".Manager", "AddAgent", "s", "geoclue-demo-agent")

    def signalled(self, message):
        if message.member == "NameOwnerChanged" and message.sender == BUS and message.values[2]:
            self.register()

    def properties(self):
        return {"MaxAccuracyLevel": {"t": "u", "v": self.level}}

    def called(self, message):
        called = message.interface, message.member, message.signature
        if message.path != PATH:
            raise Refused(BUS + ".Error.UnknownObject", "There is only " + PATH)
        if called == (AGENT, "AuthorizeApp", "su"):
            desktop_id, level = message.values
            print("asked", desktop_id, level, flush=True)
            self.bus.reply(message, "bu", self.authorizes, min(level, self.level))
        elif called == (PROPERTIES, "Get", "ss") and message.values[1] in self.properties():
            self.bus.reply(message, "v", self.properties()[message.values[1]])
        elif called == (PROPERTIES, "GetAll", "s"):
            self.bus.reply(message, "a{sv}", self.properties())
        else:
            raise Refused(BUS + ".Error.UnknownMethod", f"No {message.member}")

    def command(self, words):
        if words == ["quit"]:
            self.bus.is_over = True
        elif words[0] == "level":
            self.level = int(words[1])
            self.bus.changed(PATH, AGENT, self.properties())
        elif words[0] == "silently":
            self.level = int(words[1])
            print("changed", flush=True)
        elif words[0] == "authorize":
            self.authorizes = words[1] == "yes"
        else:
            sys.exit("unknown command " + " ".join(words))


agent = Agent(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8)
agent.bus.run(agent.command, str.split)
