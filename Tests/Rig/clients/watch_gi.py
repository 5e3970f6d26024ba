#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where this machine is, one line a fix, until Ctrl-C; with GLib's D-Bus (python3-gi).

    watch_gi.py [BUS-ADDRESS]
"""

import sys

from gi.repository import Gio, GLib

NAME = "org.geopublicist.Location1"

if len(sys.argv) > 1:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
else:
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
loop = GLib.MainLoop()


def proxy(path, interface):
    return Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, NAME, path, interface)


def received(proxy, sender, signal, arguments):
    if signal == "LocationUpdated":
        (location,) = arguments
        accuracy = "±%.0f m" % location["Accuracy"] if "Accuracy" in location else "±?"
        print("%11.7f %12.7f  %s  %s" % (
            location["Latitude"], location["Longitude"], accuracy, location["Level"]), flush=True)
    elif signal == "AuthorizationChanged":
        print("authorization:", *arguments, flush=True)
    elif signal == "Closed":
        print("closed:", *arguments, flush=True)
        loop.quit()


manager = proxy("/org/geopublicist/Location1", NAME)
print("version:", manager.get_cached_property("Version").unpack(), flush=True)
path = manager.CreateSubscription("(a{sv})", {"accuracy": GLib.Variant("s", "exact")})
subscription = proxy(path, NAME + ".Subscription")
subscription.connect("g-signal", received)
subscription.Start()
try:
    loop.run()
except KeyboardInterrupt:
    pass
