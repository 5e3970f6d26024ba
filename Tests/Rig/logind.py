#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A logind with at most one user.

    logind.py BUS-ADDRESS UID STATE [AGE]       STATE: active, online, …; AGE: seconds since the session began

Prints "ready" when it owns its name, and exits at the end of its input. Commands, one per line: "state STATE" (changes
and announces it), "announce" (announces a change although nothing changed), "hang" and "answer" (stops replying to
calls, then replies to them all).
"""

import sys
import time

from busloop import PROPERTIES, Bus, Refused

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1/user/one"
SESSION, SESSION_PATH = NAME + ".Session", "/org/freedesktop/login1/session/_31"
bus, user, state = Bus(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
begin = max(0, int((time.monotonic() - float(sys.argv[4])) * 1e6)) if len(sys.argv) > 4 else 0
hangs, kept = False, []


def announce():
    bus.changed(SESSION_PATH, SESSION, {"Active": {"t": "b", "v": state == "active"}})


def command(words):
    global state, hangs, kept
    if words[0] == "state":
        state = words[1]
        announce()
    elif words == ["announce"]:
        announce()
    elif words == ["hang"]:
        hangs = True
    elif words == ["answer"]:
        hangs, (messages, kept) = False, (kept, [])
        for message in messages:
            called(message)
    print("done", flush=True)


def called(message):
    if hangs:
        kept.append(message)
    elif (message.interface, message.member) == (NAME + ".Manager", "ListUsers"):
        bus.reply(message, "a(uso)", [[user, "one", PATH]])
    elif (message.interface, message.member) == (NAME + ".Manager", "GetUser"):
        if message.values != [user]:
            raise Refused(NAME + ".NoSuchUser", f"User ID {message.values[0]} is not logged in or lingering")
        bus.reply(message, "o", PATH)
    elif (message.member, message.values[1:], message.path) == ("Get", ["Display"], PATH):
        bus.reply(message, "v", {"t": "(so)", "v": ["1", SESSION_PATH]})
    elif (message.member, message.values[1:], message.path) == ("Get", ["TimestampMonotonic"], SESSION_PATH):
        bus.reply(message, "v", {"t": "t", "v": begin})
    elif (message.interface, message.member, message.path) == (PROPERTIES, "Get", PATH):
        bus.reply(message, "v", {"t": "s", "v": state})
    elif (message.interface, message.member, message.path) == (PROPERTIES, "Get", SESSION_PATH):
        bus.reply(message, "v", {"t": "(uo)", "v": [user, PATH]})
    else:
        raise Refused("org.freedesktop.DBus.Error.UnknownMethod", f"No {message.member}")


bus.on_call = called
bus.ask("RequestName", "su", NAME, 4)
print("ready", flush=True)
bus.run(command, str.split)
