#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the location with GLib's D-Bus (package python3-gi).

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


def received(subscription, sender, signal, arguments):
    if signal == "LocationUpdated":
        location = arguments.unpack()[0]
        print("location %.4f %.4f %s" % (location["Latitude"], location["Longitude"], location["Level"]), flush=True)
    elif signal == "AuthorizationChanged":
        print("authorization", *filter(None, arguments.unpack()), flush=True)
    elif signal == "Closed":
        print("closed", *arguments.unpack(), flush=True)
        loop.quit()


bus, level, metres, count = sys.argv[1:]
connection = connect(bus)
loop = GLib.MainLoop()
manager = Gio.DBusProxy.new_sync(
    connection, Gio.DBusProxyFlags.NONE, None, NAME, "/org/geopublicist/Location1", NAME)
path = manager.CreateSubscription("(a{sv})", {
    "accuracy": GLib.Variant("s", level),
    "distance-threshold": GLib.Variant("d", float(metres)),
    "max-updates": GLib.Variant("u", int(count)),
})
subscription = Gio.DBusProxy.new_sync(
    connection, Gio.DBusProxyFlags.NONE, None, NAME, path, NAME + ".Subscription")
subscription.connect("g-signal", received)
subscription.Start()
loop.run()
