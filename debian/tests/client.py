#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client that follows the location, like a desktop program. Prints events, one JSON object per line.

It subscribes again whenever the service has a new owner. If the service exits, it is called after a second, so that the
bus starts it.
"""

import json
import sys

from gi.repository import Gio, GLib

NAME = "org.geopublicist.Location1"
PATH = "/org/geopublicist/Location1"

bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
subscription = None


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def call(path, interface, method, parameters, then):
    def done(bus, result):
        try:
            then(bus.call_finish(result).unpack())
        except GLib.Error as error:
            say("error", name=Gio.DBusError.get_remote_error(error) or "", message=error.message)

    bus.call(NAME, path, interface, method, parameters, None, Gio.DBusCallFlags.NONE, 20_000, None, done)


def subscribe():
    # The first signal may arrive before the reply, so subscribe to signals first.
    call(PATH, NAME, "CreateSubscription", GLib.Variant("(a{sv})", ({},)), start)


def start(reply):
    global subscription
    (subscription,) = reply
    say("subscribed", path=subscription)
    call(subscription, NAME + ".Subscription", "Start", None, lambda _: say("started"))


def received(_bus, _sender, path, _interface, signal, arguments):
    if path == subscription:
        say(signal, arguments=arguments.unpack())


def owner_changed(_bus, _sender, _path, _interface, _signal, arguments):
    global subscription
    _, old, new = arguments.unpack()
    say("owner", old=old, new=new)
    if subscription is None:
        return
    if new:
        subscribe()
    else:
        subscription = None
        GLib.timeout_add_seconds(1, lambda: subscription is None and subscribe())


bus.signal_subscribe(NAME, NAME + ".Subscription", None, None, None, Gio.DBusSignalFlags.NONE, received)
bus.signal_subscribe(
    "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", None, NAME, Gio.DBusSignalFlags.NONE,
    owner_changed)
subscribe()
try:
    GLib.MainLoop().run()
except KeyboardInterrupt:
    sys.exit(0)
