#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A logind that knows one user, or nobody.

    logind.py BUS-ADDRESS UID STATE       STATE: active, online, …

Says "ready" when it owns its name; the end of its input ends it.
"""

import sys

from busloop import PROPERTIES, Bus, Refused

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1/user/one"
bus, user, state = Bus(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def called(message):
    if (message.interface, message.member) == (NAME + ".Manager", "GetUser"):
        if message.values != [user]:
            raise Refused(NAME + ".NoSuchUser", f"User ID {message.values[0]} is not logged in or lingering")
        bus.reply(message, "o", PATH)
    elif (message.interface, message.member, message.path) == (PROPERTIES, "Get", PATH):
        bus.reply(message, "v", {"t": "s", "v": state})
    else:
        raise Refused("org.freedesktop.DBus.Error.UnknownMethod", f"No {message.member}")


bus.on_call = called
bus.ask("RequestName", "su", NAME, 4)
print("ready", flush=True)
bus.run(print)
