#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the location with GLib's D-Bus (package python3-gi), across restarts of the service.

    watch_gi.py BUS-ADDRESS|system|session LEVEL METRES COUNT
"""

import sys

from gi.repository import Gio, GLib

NAME = "org.geopublicist.Location1"


def connect(bus):
    kinds = {"system": Gio.BusType.SYSTEM, "session": Gio.BusType.SESSION}
    if bus in kinds:
        return Gio.bus_get_sync(kinds[bus])
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(bus, flags)


def appeared(connection, name, owner):
    global path
    options = {
        "accuracy": GLib.Variant("s", level),
        "distance-threshold": GLib.Variant("d", float(metres)),
        "max-updates": GLib.Variant("u", int(count) - shown),
    }
    if path:  # The service keeps it if the bus has closed the service's connection.
        connection.call(NAME, path, NAME + ".Subscription", "Close", None, None, Gio.DBusCallFlags.NONE, -1)
    path, = connection.call_sync(
        NAME, "/org/geopublicist/Location1", NAME, "CreateSubscription", GLib.Variant("(a{sv})", (options,)), None,
        Gio.DBusCallFlags.NONE, -1)
    connection.call_sync(NAME, path, NAME + ".Subscription", "Start", None, None, Gio.DBusCallFlags.NONE, -1)


def vanished(connection, name):
    # The service has exited or was never started: ask the bus to start it.
    connection.call(
        "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName", GLib.Variant("(su)", (NAME, 0)),
        None, Gio.DBusCallFlags.NONE, -1)


def received(connection, sender, path, interface, signal, arguments):
    global shown, authorization
    if signal == "LocationUpdated":
        shown += 1
        location = arguments.unpack()[0]
        print("location %.4f %.4f %s" % (location["Latitude"], location["Longitude"], location["Level"]), flush=True)
    elif signal == "AuthorizationChanged" and arguments.unpack() != authorization:
        authorization = arguments.unpack()
        print("authorization", *filter(None, authorization), flush=True)
    elif signal == "Closed" and arguments.unpack()[0] not in ("shutdown", "by-consumer"):
        print("closed", *arguments.unpack(), flush=True)
        loop.quit()


if len(sys.argv) != 5:
    sys.exit(f"usage: {sys.argv[0]} BUS-ADDRESS|system|session LEVEL METRES COUNT")
bus, level, metres, count = sys.argv[1:]
shown = 0
path = None
authorization = None
connection = connect(bus)
loop = GLib.MainLoop()
# Signals reach only the owner of a subscription, so one match without a path serves every later subscription, too.
connection.signal_subscribe(
    NAME, NAME + ".Subscription", None, None, None, Gio.DBusSignalFlags.NONE, received)
Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE, appeared, vanished)
loop.run()
