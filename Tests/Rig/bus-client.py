#!/usr/bin/python3
"""A foreign program on a bus that does what it is told, through python3-dbus.

    bus-client.py BUS-ADDRESS

Commands are JSON, one a line; so are the answers, in which "id" is the command's. The first line out is
{"name": ":1.N"}.

    {"id": 1, "call": {"destination": S, "path": S, "interface": S|null, "member": S, "signature": S,
                       "arguments": [...], "interactive": bool, "timeout": seconds}}
        -> {"id": 1, "reply": {"signature": S, "arguments": [...]}} or {"id": 1, "error": {"name": S, "message": S}}
    {"id": 2, "match": RULE}             -> {"id": 2, "reply": {...}}
    {"id": 3, "emit": {"destination": S|null, "path": S, "interface": S, "member": S, "signature": S,
                       "arguments": [...]}}
    {"pause": seconds}                   reads nothing in that time
    {"quit": true}                       leaves the bus in order; so does the end of the input

Every signal that arrives: {"signal": {"sender", "destination", "path", "interface", "member", "signature",
"arguments"}, "at": CLOCK_BOOTTIME in seconds}. Values are as busjson.py has them.
"""

import sys
import time

import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

from busjson import append, arguments as arguments_of, obey, say


class Client:
    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address)
        self.loop = GLib.MainLoop()
        self.bus.set_exit_on_disconnect(False)
        self.bus.add_message_filter(self.received)
        obey(self.command, self.loop.quit)
        say(name=str(self.bus.get_unique_name()))

    def received(self, connection, message):
        if isinstance(message, dbus.lowlevel.SignalMessage):
            say(at=time.clock_gettime(time.CLOCK_BOOTTIME), signal={
                "sender": message.get_sender(), "destination": message.get_destination(), "path": message.get_path(),
                "interface": message.get_interface(), "member": message.get_member(), **arguments_of(message)})
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def command(self, command):
        if "quit" in command:
            self.loop.quit()
        elif "pause" in command:
            time.sleep(command["pause"])
        elif "call" in command:
            self.call(command["id"], **command["call"])
        elif "match" in command:
            self.call(command["id"], "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                      "AddMatch", "s", [command["match"]])
        elif "emit" in command:
            self.emit(**command["emit"])
            say(id=command["id"], reply={"signature": "", "arguments": []})

    def call(self, number, destination, path, interface, member, signature="", arguments=(), interactive=False,
             timeout=30):
        message = dbus.lowlevel.MethodCallMessage(destination, path, interface, member)
        if interactive:
            message.set_allow_interactive_authorization(True)
        append(message, signature, arguments)
        self.bus.send_message_with_reply(message, lambda reply: self.answered(number, reply), timeout)

    def emit(self, destination, path, interface, member, signature="", arguments=()):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        if destination:
            message.set_destination(destination)
        append(message, signature, arguments)
        self.bus.send_message(message)

    def answered(self, number, reply):
        if isinstance(reply, dbus.lowlevel.ErrorMessage):
            texts = reply.get_args_list()
            say(id=number, error={"name": reply.get_error_name(), "message": str(texts[0]) if texts else ""})
        else:
            say(id=number, reply=arguments_of(reply))


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
Client(sys.argv[1]).loop.run()
