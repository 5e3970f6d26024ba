#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A polkit authentication agent for one process, like a desktop's password dialog. Run it as root.

    polkit-agent.py BUS-ADDRESS PID UID

Prints "registered", then "text TEXT" and "asked ACTION" for each dialog that polkit requests, and "cancelled" when
polkit withdraws it. Commands, one per line: "yes" (the user has authenticated), "no" (the user cancelled), "quit".
"""

import os
import sys

from busloop import Bus
from wire import REPLY

POLKIT, AUTHORITY = "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority"
PATH = "/org/example/AuthenticationAgent"


class Agent:
    dialog = None

    def __init__(self, address, process, user):
        self.bus = Bus(address)
        self.bus.on_call = self.called
        self.ask("RegisterAuthenticationAgent", "(sa{sv})ss", subject(process, user), "C", PATH,
                 done=lambda answer: print("registered" if answer.kind == REPLY else answer.values, flush=True))

    def ask(self, member, signature, *values, done=lambda _: None):
        self.bus.call(done, POLKIT, AUTHORITY, POLKIT + ".Authority", member, signature, *values)

    def called(self, message):
        if message.member == "BeginAuthentication":
            action, text, _, _, cookie, identities = message.values
            self.dialog = cookie, identities[0], message
            print("text", text, flush=True)
            print("asked", action, flush=True)
        elif message.member == "CancelAuthentication":
            print("cancelled", flush=True)
            self.end()
            self.bus.reply(message)

    def command(self, words):
        if words == ["quit"]:
            self.bus.is_over = True
        elif words == ["yes"] and self.dialog:
            (cookie, identity, message), self.dialog = self.dialog, None
            self.ask("AuthenticationAgentResponse2", "us(sa{sv})", os.getuid(), cookie, identity,
                     done=lambda _: self.bus.reply(message))
        else:
            self.end()

    def end(self):
        if self.dialog:
            self.bus.refuse(self.dialog[2], POLKIT + ".Error.Cancelled", "no")
            self.dialog = None


def subject(process, user):
    with open(f"/proc/{process}/stat") as stat:
        started = int(stat.read().rpartition(")")[2].split()[19])
    return ["unix-process", {"pid": {"t": "u", "v": process}, "start-time": {"t": "t", "v": started},
                             "uid": {"t": "i", "v": user}}]


agent = Agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
agent.bus.run(agent.command, str.split)
