"""D-Bus values as JSON, for the rig's programs that are told by tests what to do.

A variant is {"t": signature, "v": value}, both ways; a number that JSON has no word for (NaN, inf) is a string.
"""

import json
import math
import os

import dbus
from gi.repository import GLib

TYPES = {
    "y": dbus.Byte, "b": dbus.Boolean, "n": dbus.Int16, "q": dbus.UInt16, "i": dbus.Int32, "u": dbus.UInt32,
    "x": dbus.Int64, "t": dbus.UInt64, "d": dbus.Double, "s": dbus.String, "o": dbus.ObjectPath, "g": dbus.Signature,
}


def say(**message):
    """Prints a line of JSON."""
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
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return int(value)
    return str(value)


def from_json(value):
    """A value for python3-dbus, with the types of variants; all other types come from the message's signature."""
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


def append(message, signature, values):
    """Puts JSON values into a message, one for each complete type of the signature."""
    if signature:
        values = [float(v) if kind == "d" else from_json(v) for kind, v in zip(dbus.Signature(signature), values)]
        message.append(*values, signature=signature)


def arguments(message):
    """What a message carries, as JSON."""
    return {"signature": str(message.get_signature()), "arguments": [to_json(a) for a in message.get_args_list()]}


def obey(command, end):
    """Calls `command` with each line of JSON on standard input, and `end` at its end."""
    unfinished = b""

    def readable(source, condition):
        nonlocal unfinished
        # Not readline(): what that keeps in its buffer would wait for the next event.
        piece = os.read(0, 65536)
        *lines, unfinished = (unfinished + piece).split(b"\n")
        for line in lines:
            command(json.loads(line))
        if not piece:
            end()
        return bool(piece)

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, readable)
