#!/usr/bin/python3
"""A GeoClue that fails when it is told to; fakegeoclue.py has what it does otherwise.

    fake-geoclue.py BUS-ADDRESS [IDLE-SECONDS]

It exits after IDLE-SECONDS without a client (0, the default: never). Says {"owner": ":1.N"} when it owns its name, and
{"called": member, "path", "sender", "arguments"} for each call. Commands, JSON, one a line:

    {"fix": {"Latitude": 52.5, ...}}     the source measured; a value may be a variant of any type (busjson.py)
    {"fix": null}                        the source has nothing for whom it starts
    {"fault": {"on": member, "interface": I, "do": D, ...}}
                                         from now on, calls of that member (of Properties: for that interface) are
        "do": "hang"                     kept without an answer until {"release": member},
        "do": "delay", "seconds": S      answered as always, but later,
        "do": "refuse", "name": N, "text": T
        "do": "reply", "signature": S, "arguments": [...]
        "do": "exit"                     the end of this process;
        "times": N                       only so often.
    {"heal": member}                     no fault any more
    {"release": member}                  answers what hangs, as always, and heals
    {"available": level}                 AvailableAccuracyLevel
    {"active": bool, "client": path}     a client's Active, without any other reason
    {"disallow": [desktop-id, ...]}      by the configuration
    {"forget": "locations"|"clients"}    the objects are gone, without a word
    {"emit": {"destination", "path", "interface", "member", "signature", "arguments"}}
    {"name": "release"|"request"}        leaves and takes the name, with the connection kept
    {"state": true}                      says {"state": {"clients": [...], "agents": {uid: level}, "waiting": N}}
    {"exit": status}
"""

import os
import sys

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

from busjson import append, from_json, obey, say, to_json
from fakegeoclue import AGENT, NAME, PROPERTIES, ROOT, GeoClue


class Program:
    def __init__(self, address, idle):
        self.bus = dbus.bus.BusConnection(address)
        self.bus.set_exit_on_disconnect(True)
        self.geoclue = GeoClue(self.bus)
        self.faults, self.held = [], []
        self.loop = GLib.MainLoop()
        self.bus.add_message_filter(self.received)
        for rule in (f"type='signal',interface='{PROPERTIES}',path='{ROOT}/Agent'",
                     "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"):
            self.bus.add_match_string(rule)
        self.request_name()
        obey(self.command, self.loop.quit)
        if idle:
            self.last_use = GLib.get_monotonic_time()
            GLib.timeout_add(50, self.exit_when_idle, idle * 1e6)

    def request_name(self):
        self.bus.request_name(NAME, dbus.bus.NAME_FLAG_DO_NOT_QUEUE)
        say(owner=str(self.bus.get_unique_name()))

    def exit_when_idle(self, limit):
        if self.geoclue.clients:
            self.last_use = GLib.get_monotonic_time()
        elif GLib.get_monotonic_time() - self.last_use > limit:
            self.loop.quit()
        return True

    # Messages

    def received(self, connection, message):
        if isinstance(message, dbus.lowlevel.SignalMessage):
            self.signalled(message)
        elif isinstance(message, dbus.lowlevel.MethodCallMessage):
            say(called=message.get_member(), path=message.get_path(), sender=message.get_sender(),
                arguments=[to_json(a) for a in message.get_args_list()])
            fault = self.fault_for(message)
            if fault:
                self.fail(message, **fault)
            else:
                self.geoclue.handle(message)
            return dbus.lowlevel.HANDLER_RESULT_HANDLED
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def signalled(self, message):
        values = message.get_args_list()
        if message.get_member() == "NameOwnerChanged" and values[0].startswith(":") and not values[2]:
            self.geoclue.vanished(values[0])
        elif message.get_member() == "PropertiesChanged" and values[0] == AGENT and "MaxAccuracyLevel" in values[1]:
            self.geoclue.agent_changed(message.get_sender(), int(values[1]["MaxAccuracyLevel"]))

    # Faults

    def fault_for(self, message):
        for fault in self.faults:
            if fault["on"] != message.get_member():
                continue
            if "interface" in fault and message.get_args_list()[:1] != [fault["interface"]]:
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
            GLib.timeout_add(int(seconds * 1000), lambda: self.geoclue.handle(message))
        elif do == "refuse":
            self.geoclue.refuse(message, name, text)
        elif do == "reply":
            answer = dbus.lowlevel.MethodReturnMessage(message)
            append(answer, signature, arguments)
            self.bus.send_message(answer)
        elif do == "exit":
            os._exit(1)
        else:
            sys.exit(f"unknown fault {do}")

    # Commands

    def command(self, command):
        word = next(word for word in command if hasattr(self, "do_" + word))
        getattr(self, "do_" + word)(command[word], command)

    def do_fix(self, fix, _):
        if fix is None:
            self.geoclue.fix = None
        else:
            self.geoclue.new_fix({name: self.fix_value(value) for name, value in fix.items()})

    @staticmethod
    def fix_value(value):
        value = from_json(value)
        return dbus.Double(value) if type(value) in (int, float) else value

    def do_fault(self, fault, _):
        self.faults.insert(0, fault)

    def do_heal(self, member, _):
        self.faults = [fault for fault in self.faults if fault["on"] != member]

    def do_release(self, member, _):
        self.do_heal(member, _)
        held, self.held = self.held, []
        for on, message in held:
            self.geoclue.handle(message) if on == member else self.held.append((on, message))

    def do_available(self, level, _):
        self.geoclue.set_available(level)

    def do_active(self, active, command):
        self.geoclue.set_active(self.geoclue.clients[command["client"]], active)

    def do_disallow(self, desktop_ids, _):
        self.geoclue.disallowed = desktop_ids

    def do_forget(self, what, _):
        if what == "locations":
            self.geoclue.locations = {}
        else:
            for path in list(self.geoclue.clients):
                self.geoclue.remove(path)

    def do_emit(self, signal, _):
        message = dbus.lowlevel.SignalMessage(signal["path"], signal["interface"], signal["member"])
        if signal.get("destination"):
            message.set_destination(signal["destination"])
        append(message, signal.get("signature", ""), signal.get("arguments", []))
        self.bus.send_message(message)

    def do_name(self, what, _):
        if what == "release":
            self.bus.release_name(NAME)
        else:
            self.request_name()

    def do_state(self, _, __):
        clients = [{"path": client.path, "sender": client.owner, "active": client.active,
                    **{name: to_json(value) for name, value in client.settings.items()}}
                   for client in self.geoclue.clients.values()]
        say(state={"clients": clients, "waiting": len(self.geoclue.waiting),
                   "agents": {str(uid): agent.level for uid, agent in self.geoclue.agents.items()}})

    def do_exit(self, status, _):
        os._exit(status)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
Program(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0).loop.run()
