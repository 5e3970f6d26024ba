#!/usr/bin/python3
"""A foreign program on a bus that does what it is told, through python3-dbus.

    bus-client.py BUS-ADDRESS

Commands are JSON, one a line; so are the answers, in which "id" is the command's. The first line out is {"name": ":1.N"}.

    {"id": 1, "call": {"destination": S, "path": S, "interface": S|null, "member": S, "signature": S, "arguments": [...],
                       "interactive": bool, "timeout": seconds}}
        -> {"id": 1, "reply": {"signature": S, "arguments": [...]}} or {"id": 1, "error": {"name": S, "message": S}}
    {"id": 2, "match": RULE}             -> {"id": 2, "reply": {...}}
    {"id": 3, "emit": {"destination": S|null, "path": S, "interface": S, "member": S, "signature": S, "arguments": [...]}}
    {"pause": seconds}                   reads nothing in that time
    {"quit": true}                       leaves the bus in order; so does the end of the input

Every signal that arrives: {"signal": {"sender", "destination", "path", "interface", "member", "signature", "arguments"},
"at": CLOCK_BOOTTIME in seconds}. A variant is {"t": signature, "v": value} both ways; a number that JSON has no word for
is a string.
"""

import json
import math
import os
import sys
import time

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

TYPES = {
    "y": dbus.Byte, "b": dbus.Boolean, "n": dbus.Int16, "q": dbus.UInt16, "i": dbus.Int32, "u": dbus.UInt32,
    "x": dbus.Int64, "t": dbus.UInt64, "d": dbus.Double, "s": dbus.String, "o": dbus.ObjectPath, "g": dbus.Signature,
}


def say(**message):
    print(json.dumps(message, allow_nan=False), flush=True)


def signature_of(value):
    if isinstance(value, dbus.Dictionary):
        return "a{%s}" % value.signature
    if isinstance(value, dbus.Array):
        return "a%s" % value.signature
    if isinstance(value, dbus.Struct):
        return "(%s)" % (value.signature or "".join(map(signature_of, value)))
    return next(code for code, kind in TYPES.items() if isinstance(value, kind))


def to_json(value):
    level = getattr(value, "variant_level", 0)
    if level:
        return {"t": "v" if level > 1 else signature_of(value), "v": plain(value)}
    return plain(value)


def plain(value):
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, str):
        return [to_json(item) for item in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return int(value)
    return str(value)


def from_json(value):
    """What a command says, with the types of variants; python3-dbus makes the others fit the signature."""
    if isinstance(value, dict) and set(value) == {"t", "v"}:
        kind, content = value["t"], value["v"]
        if kind in TYPES:
            return TYPES[kind](float(content) if kind == "d" else content, variant_level=1)
        if kind == "v":
            inner = from_json(content)
            return type(inner)(inner, variant_level=2)
        if kind.startswith("a{"):
            return dbus.Dictionary(from_json(content), signature=kind[2:-1], variant_level=1)
        if kind.startswith("a"):
            return dbus.Array(from_json(content), signature=kind[1:], variant_level=1)
        return dbus.Struct(from_json(content), signature=kind[1:-1], variant_level=1)
    if isinstance(value, dict):
        return {key: from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    return value


def arguments(message):
    return {"signature": str(message.get_signature()), "arguments": [to_json(a) for a in message.get_args_list()]}


class Client:
    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address)
        self.loop = GLib.MainLoop()
        self.input = b""
        self.bus.set_exit_on_disconnect(False)
        self.bus.add_message_filter(self.received)
        GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.readable)
        say(name=str(self.bus.get_unique_name()))

    def received(self, connection, message):
        if isinstance(message, dbus.lowlevel.SignalMessage):
            say(at=time.clock_gettime(time.CLOCK_BOOTTIME), signal={
                "sender": message.get_sender(), "destination": message.get_destination(), "path": message.get_path(),
                "interface": message.get_interface(), "member": message.get_member(), **arguments(message)})
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def readable(self, source, condition):
        # Not readline(): what that keeps in its buffer would wait for the next event.
        piece = os.read(0, 65536)
        *lines, self.input = (self.input + piece).split(b"\n")
        for line in lines:
            self.obey(json.loads(line))
        if not piece:
            self.loop.quit()
        return True

    def obey(self, command):
        if "quit" in command:
            self.loop.quit()
        elif "pause" in command:
            time.sleep(command["pause"])
        elif "call" in command:
            self.call(command["id"], **command["call"])
        elif "match" in command:
            self.call(command["id"], "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
                      "s", [command["match"]])
        elif "emit" in command:
            self.emit(**command["emit"])
            say(id=command["id"], reply={"signature": "", "arguments": []})

    def call(self, number, destination, path, interface, member, signature="", arguments=(), interactive=False,
             timeout=30):
        message = dbus.lowlevel.MethodCallMessage(destination, path, interface, member)
        if interactive:
            message.set_allow_interactive_authorization(True)
        if signature:
            message.append(*from_json(list(arguments)), signature=signature)
        self.bus.send_message_with_reply(message, lambda reply: self.answered(number, reply), timeout)

    def emit(self, destination, path, interface, member, signature="", arguments=()):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        if destination:
            message.set_destination(destination)
        if signature:
            message.append(*from_json(list(arguments)), signature=signature)
        self.bus.send_message(message)

    def answered(self, number, reply):
        if isinstance(reply, dbus.lowlevel.ErrorMessage):
            texts = reply.get_args_list()
            say(id=number, error={"name": reply.get_error_name(), "message": str(texts[0]) if texts else ""})
        else:
            say(id=number, reply=arguments(reply))


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
Client(sys.argv[1]).loop.run()
