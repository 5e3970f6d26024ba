#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A timedated that does not set the clock.

    timedated.py BUS-ADDRESS ZONE

Prints "ready" when it owns its name, and the zone of each SetTimezone. Exits at the end of its input. Commands, one per
line: "zone ZONE" (changes it without a call), "refuse ERROR" (answers SetTimezone with it), "hang" (does not answer),
"accept".
"""

import sys

from busloop import PROPERTIES, Bus, Refused

NAME, PATH = "org.freedesktop.timedate1", "/org/freedesktop/timedate1"
bus, zone, manner = Bus(sys.argv[1]), sys.argv[2], ["accept"]


def command(words):
    global zone, manner
    if words[0] == "zone":
        zone = words[1]
    else:
        manner = words
    print("done", flush=True)


def called(message):
    global zone
    if (message.interface, message.member, message.path) == (PROPERTIES, "Get", PATH):
        bus.reply(message, "v", {"t": "s", "v": zone})
    elif (message.interface, message.member, message.path) == (NAME, "SetTimezone", PATH):
        print(*message.values, flush=True)
        if manner[0] == "refuse":
            raise Refused("org.freedesktop.DBus.Error." + manner[1], "No")
        if manner[0] == "accept":
            zone = message.values[0]
            bus.reply(message)
    else:
        raise Refused("org.freedesktop.DBus.Error.UnknownMethod", f"No {message.member}")


bus.on_call = called
bus.ask("RequestName", "su", NAME, 4)
print("ready", flush=True)
bus.run(command, str.split)
