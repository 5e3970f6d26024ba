#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A GeoClue that fails on command. Its normal behaviour is in geoclue_objects.py.

    fake-geoclue.py BUS-ADDRESS [IDLE-SECONDS]

It exits IDLE-SECONDS after its last client (0, the default: never). Prints {"owner": ":1.N"} when it owns its name, and
{"called": member, "path", "sender", "arguments"} for each call. Commands are JSON, one per line, each answered with
{"told": word}:

    {"fix": {"Latitude": 52.5, ...}}     a measurement; a value may be a variant of any type (busjson.py)
    {"fix": null}                        the source has no location for new clients
    {"older": {"Latitude": 52.5, ...}}   an earlier measurement by another source, which a new client receives first
    {"fault": {"on": member, "interface": I, "property": P, "do": D, ...}}
                                         from now on, calls of this member (of Properties: for this property) are
        "do": "hang"                     not answered until {"release": member},
        "do": "delay", "seconds": S      answered normally, but later,
        "do": "refuse", "name": N, "text": T
        "do": "reply", "signature": S, "arguments": [...]
        "do": "exit"                     the process exits;
        "times": N                       only N times.
    {"heal": member}                     ends the fault
    {"release": member}                  answers pending calls normally, and ends the fault
    {"available": level}                 AvailableAccuracyLevel
    {"active": bool, "client": path}     a client's Active, without any other reason
    {"forget": "clients"}                removes all clients without a signal
    {"emit": {"destination", "path", "interface", "member", "signature", "arguments"}}
    {"name": "release"|"request"}        releases and acquires the name, on the same connection
    {"flood": "locations"|"properties"|"active"|null}
                                         sends locations, changes of the manager's properties or of its clients' Active
                                         a thousand times a second; null ends it
    {"state": true}                      prints {"state": {"clients": [...], "agents": {uid: level}, "waiting": N}}
"""

import os
import sys
import time

from busjson import say
from busloop import BUS, PROPERTIES, Bus, Refused
from geoclue_objects import AGENT, MANAGER, NAME, ROOT, GeoClue, variant


class Program:
    def __init__(self, address, idle):
        self.bus = Bus(address)
        self.geoclue = GeoClue(self.bus)
        self.faults, self.held, self.flooding = [], [], None
        self.bus.on_call, self.bus.on_signal = self.called, self.signalled
        for rule in (f"type='signal',interface='{PROPERTIES}',path='{ROOT}/Agent'",
                     f"type='signal',sender='{BUS}',member='NameOwnerChanged'"):
            self.bus.match(rule)
        self.request_name()
        if idle:
            self.last_use = time.monotonic()
            self.exit_when_idle(idle)

    def request_name(self):
        self.bus.ask("RequestName", "su", NAME, 4)
        say(owner=self.bus.name)

    def exit_when_idle(self, limit):
        if self.geoclue.clients or not self.geoclue.made:
            self.last_use = time.monotonic()
        self.bus.is_over = time.monotonic() - self.last_use > limit
        self.bus.after(0.05, lambda: self.exit_when_idle(limit))

    # Messages

    def called(self, message):
        say(called=message.member, path=message.path, sender=message.sender, arguments=message.values)
        if fault := self.fault_for(message):
            self.fail(message, **fault)
        else:
            self.geoclue.handle(message)

    def signalled(self, message):
        values = message.values
        if message.member == "NameOwnerChanged" and values[0].startswith(":") and not values[2]:
            self.geoclue.vanished(values[0])
        elif message.member == "PropertiesChanged" and values[0] == AGENT and "MaxAccuracyLevel" in values[1]:
            self.geoclue.agent_changed(message.sender, values[1]["MaxAccuracyLevel"]["v"])

    # Faults

    def fault_for(self, message):
        for fault in self.faults:
            if fault["on"] != message.member:
                continue
            if any(fault.get(word, value) != value for word, value in zip(("interface", "property"), message.values)):
                continue
            if "times" in fault:
                fault["times"] -= 1
                if fault["times"] == 0:
                    self.faults.remove(fault)
            return fault
        return None

    def fail(self, message, do, on, seconds=0, name="", text="", signature="", arguments=(), **_):
        if do == "hang":
            self.held.append((on, message))
        elif do == "delay":
            self.bus.after(seconds, lambda: self.handle(message))
        elif do == "refuse":
            self.bus.refuse(message, name, text)
        elif do == "reply":
            self.bus.reply(message, signature, *arguments)
        elif do == "exit":
            os._exit(1)
        else:
            sys.exit(f"unknown fault {do}")

    def handle(self, message):
        """Answers a call that was kept."""
        try:
            self.geoclue.handle(message)
        except Refused as refusal:
            self.bus.refuse(message, *refusal.args)

    # Commands

    def command(self, command):
        word = next(word for word in command if hasattr(self, "do_" + word))
        getattr(self, "do_" + word)(command[word], command)
        # A call that the test causes next may overtake a command that is still in the pipe.
        say(told=word)

    def do_fix(self, fix, _):
        if fix is None:
            self.geoclue.fix = None
        else:
            self.geoclue.new_fix({name: self.fix_value(value) for name, value in fix.items()})

    def do_older(self, fix, _):
        self.geoclue.older = self.geoclue.measured({name: self.fix_value(value) for name, value in fix.items()})

    @staticmethod
    def fix_value(value):
        if isinstance(value, dict):
            return value
        return variant("s", value) if isinstance(value, str) else variant("d", value)

    def do_fault(self, fault, _):
        self.faults.insert(0, fault)

    def do_heal(self, member, _):
        self.faults = [fault for fault in self.faults if fault["on"] != member]

    def do_release(self, member, _):
        self.do_heal(member, _)
        held, self.held = self.held, []
        for on, message in held:
            self.handle(message) if on == member else self.held.append((on, message))

    def do_available(self, level, _):
        self.geoclue.set_available(level)

    def do_active(self, active, command):
        self.geoclue.set_active(self.geoclue.clients[command["client"]], active)

    def do_forget(self, _, __):
        for path in list(self.geoclue.clients):
            self.geoclue.remove(path)

    def do_emit(self, signal, _):
        self.bus.emit(
            signal["path"], signal["interface"], signal["member"], signal.get("signature", ""), *signal.get("arguments", []),
            to=signal.get("destination") or None)

    def do_name(self, what, _):
        if what == "release":
            self.bus.ask("ReleaseName", "s", NAME)
        else:
            self.request_name()

    def do_flood(self, kind, _):
        self.flooding, self.flooded = kind, 0
        if kind:
            self.flood(kind, time.monotonic())
        else:
            for client in self.geoclue.clients.values():
                self.geoclue.set_active(client, True)

    def flood(self, kind, began):
        while self.flooding == kind and self.flooded < (time.monotonic() - began) * 1000:
            self.flooded += 1
            word = self.flooded % 2
            if kind == "locations":
                self.do_fix({"Latitude": 52 + word / 1000, "Longitude": 13}, None)
            elif kind == "properties":
                self.bus.changed(ROOT + "/Manager", MANAGER, {
                    "InUse": variant("b", bool(word)), "AvailableAccuracyLevel": variant("u", 4 + word)})
            else:
                for client in self.geoclue.clients.values():
                    self.geoclue.set_active(client, bool(word))
        if self.flooding == kind:
            self.bus.after(0.005, lambda: self.flood(kind, began))

    def do_state(self, _, __):
        clients = [{"path": client.path, "sender": client.owner, "active": client.active,
                    **{name: setting["v"] for name, setting in client.settings.items()}}
                   for client in self.geoclue.clients.values()]
        say(state={"clients": clients, "waiting": len(self.geoclue.waiting),
                   "agents": {str(uid): agent.level for uid, agent in self.geoclue.agents.items()}})


program = Program(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0)
program.bus.run(program.command)
