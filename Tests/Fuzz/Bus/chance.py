# SPDX-License-Identifier: Apache-2.0
"""Random types and values, with a preference for those that break programs."""

import struct

from wire import ALIGNMENT, inside

NUMBERS = [0, 1, 2, -1, 7, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1]
SIZES = {"y": (0, 8), "n": (1, 16), "q": (0, 16), "i": (1, 32), "u": (0, 32), "x": (1, 64), "t": (0, 64)}
DOUBLES = [
    0.0, -0.0, 1.0, -1.0, 0.1, 90.0, -90.0, 180.0, 360.0, 1e-320, 1e15, 1.7976931348623157e308, -1.7976931348623157e308,
    float("nan"), float("inf"), float("-inf"), 9.3e18, -9.3e18, 1.9e19,
]
TEXTS = [
    "", "x", " ", "\n", "%s%n%x%p", "%99999999d", "../../../etc/passwd", "'; DROP TABLE", "\x01\x1b[2J\x7f", "\u202e",
    "\ufeff", "\ufffd", "\uffff", "\U0010ffff", "e\u0301" * 40, "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 10, "null",
    "NaN", "-1", "0x10", "1e400", "true", "/", "//", ":1.1", "org.freedesktop.DBus", "a{sv}", "' or '1'='1", "\\", "'", '"',
]
WORDS = [
    "accuracy", "distance-threshold", "time-threshold", "debounce", "max-updates", "duration", "desktop-id", "timeout",
    "maximum-age", "country", "city", "neighborhood", "street", "exact", "none", "unknown", "debug", "info", "journal",
    "firefox", "org.geopublicist.Location1",
]
PATHS = [
    "/", "/a", "/org", "/org/geopublicist", "/org/geopublicist/Location1", "/org/geopublicist/Location1/subscription",
    "/org/geopublicist/Location1/subscription/0", "/org/geopublicist/Location1/subscription/1",
    "/org/geopublicist/Location1/subscription/18446744073709551615", "/org/freedesktop/LogControl1",
    "/org/freedesktop/DBus", "/org/freedesktop/GeoClue2/Agent", "/" + "/".join(["x"] * 200), "/" + "_" * 60000,
]


def number(random, kind):
    signed, bits = SIZES[kind]
    value = random.choice(NUMBERS) if random.random() < 0.7 else random.getrandbits(bits)
    value &= 2**bits - 1
    return value - 2**bits if signed and value >= 2**(bits - 1) else value


def text(random, words=()):
    dice = random.random()
    if dice < 0.45:
        return random.choice([*WORDS, *words])
    if dice < 0.85:
        return random.choice(TEXTS)
    if dice < 0.97:
        letters = "".join(chr(random.choice([random.randrange(1, 128), random.randrange(0xA0, 0xD7FF)])) for _ in range(12))
        return letters * random.choice([1, 1, 3, 20])
    return random.choice("xä\x01") * random.choice([255, 256, 4096, 65536, 1_000_000])


def signature(random, depth=0):
    """Returns a random complete type."""
    if depth > 5 or random.random() < 0.55:
        return random.choice("ybnqiuxtdsogvss")
    dice = random.random()
    if dice < 0.4:
        return "a" + signature(random, depth + 1)
    if dice < 0.7:
        return "a{" + random.choice("ybnqiuxtdsog") + signature(random, depth + 1) + "}"
    return "(" + "".join(signature(random, depth + 1) for _ in range(random.randint(1, 4))) + ")"


def write(random, writer, kind, words=(), depth=0):
    """Writes a random value of a type."""
    first = kind[0]
    if first in SIZES:
        writer.basic(first, number(random, first))
    elif first == "b":
        writer.basic("b", random.getrandbits(1))
    elif first == "d":
        writer.basic("d", random.choice(DOUBLES) if random.random() < 0.8 else odd_double(random))
    elif first == "s":
        writer.basic("s", text(random, words).replace("\0", ""))
    elif first == "o":
        writer.basic("o", random.choice(PATHS))
    elif first == "g":
        writer.basic("g", signature(random))
    elif first == "h":
        writer.basic("h", 0)
    elif first == "v":
        inner = random.choice("sudbosy") if depth > 3 or random.random() < 0.6 else signature(random, depth)
        writer.basic("g", inner)
        write(random, writer, inner, words, depth + 1)
    elif first == "a":
        array(random, writer, kind, words, depth)
    else:
        writer.align(8)
        for part in inside(kind):
            write(random, writer, part, words, depth + 1)


def array(random, writer, kind, words, depth):
    writer.align(4)
    place = len(writer.data)
    writer.data += bytes(4)
    writer.align(ALIGNMENT[kind[1]])
    start = len(writer.data)
    count = random.choice([0, 1, 1, 2, 3]) if depth else random.choice([0, 1, 2, 3, 8, 33])
    if kind == "ay" and random.random() < 0.1:
        writer.data += bytes(random.getrandbits(8) for _ in range(random.choice([100, 5000])))
        count = 0
    for _ in range(count):
        write(random, writer, kind[1:], words, depth + 1)
    struct.pack_into(writer.order + "I", writer.data, place, len(writer.data) - start)


def odd_double(random):
    return struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0]

