# SPDX-License-Identifier: Apache-2.0
"""D-Bus values as JSON, for the rig's programs that execute commands from tests.

A variant is {"t": signature, "v": value} in both directions. A number that JSON cannot represent (NaN, inf) is a
string.
"""

import json
import math
import os

from wire import FORMATS, Reader, Writer, inside, types


def say(**message):
    """Prints a line of JSON."""
    print(json.dumps(message, allow_nan=False), flush=True)


class Decoder(Reader):
    """Reads values as JSON."""

    def value(self, kind):
        if kind == "v":
            kind = super().value("g")
            return {"t": kind, "v": self.value(kind)}
        if kind == "b":
            return super().value("b") != 0
        value = super().value(kind)
        if kind == "d":
            return value if math.isfinite(value) else str(value)
        if kind.startswith("a{"):
            return {str(key): item for key, item in value.items()}
        return list(value) if kind.startswith("(") else value


class Encoder(Writer):
    """Converts JSON to values of D-Bus."""

    def value(self, kind, value):
        if kind == "v":
            if not isinstance(value, dict) or set(value) != {"t", "v"}:
                raise ValueError(f"no variant: {value}")
            self.basic("g", value["t"])
            self.value(value["t"], value["v"])
        elif kind == "d":
            self.basic("d", float(value))
        elif kind in FORMATS:
            self.basic(kind, int(value))
        elif kind.startswith("a{") and isinstance(value, dict):
            key, item = inside(kind[1:])
            super().value(kind, {(int(name) if key in FORMATS else name): content for name, content in value.items()})
        else:
            super().value(kind, value)


def encode(signature, values):
    """The body of a message, one value for each complete type of the signature."""
    writer = Encoder()
    for kind, value in zip(types(signature), values):
        writer.value(kind, value)
    return writer.data


def decode(signature, data, order="<"):
    """Returns the values in a body of this signature."""
    reader = Decoder(data, order)
    return [reader.value(kind) for kind in types(signature)]


class Commands:
    """Commands on standard input, one per line."""

    def __init__(self, parse=json.loads):
        self.parse, self.unfinished, self.is_over = parse, b"", False

    def read(self):
        """Returns the commands that have arrived, when the input is readable."""
        # This does not use readline(), because lines left in its buffer would wait for the next event.
        piece = os.read(0, 65536)
        *lines, self.unfinished = (self.unfinished + piece).split(b"\n")
        self.is_over = not piece
        return [self.parse(line.decode()) for line in lines]
