#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the location with python3-dbus, across restarts of the service.

    watch_dbus.py BUS-ADDRESS|system|session LEVEL METRES COUNT
"""

import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.geopublicist.Location1"


def connect(bus):
    if bus == "system":
        return dbus.SystemBus()
    return dbus.SessionBus() if bus == "session" else dbus.bus.BusConnection(bus)


def owner_changed(owner):
    global path
    if not owner:  # The service has exited or was never started: ask the bus to start it.
        connection.call_async("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName", "su",
                              (NAME, 0), None, None)
        return
    manager = dbus.Interface(connection.get_object(NAME, "/org/geopublicist/Location1"), NAME)
    if path:  # The service keeps it if the bus has closed the service's connection.
        connection.call_async(NAME, path, NAME + ".Subscription", "Close", "", (), None, None)
    path = manager.CreateSubscription({
        "accuracy": level, "distance-threshold": float(metres), "max-updates": int(count) - shown})
    dbus.Interface(connection.get_object(NAME, path), NAME + ".Subscription").Start()


def updated(location):
    global shown
    shown += 1
    print("location %.4f %.4f %s" % (location["Latitude"], location["Longitude"], location["Level"]), flush=True)


def authorization_changed(*told):
    global authorization
    if told != authorization:  # Each subscription reports it once.
        authorization = told
        print("authorization", *filter(None, told), flush=True)


def closed(reason):
    if reason not in ("shutdown", "by-consumer"):
        print("closed", reason, flush=True)
        loop.quit()


if len(sys.argv) != 5:
    sys.exit(f"usage: {sys.argv[0]} BUS-ADDRESS|system|session LEVEL METRES COUNT")
bus, level, metres, count = sys.argv[1:]
shown = 0
path = None
authorization = None
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = connect(bus)
loop = GLib.MainLoop()
# Signals reach only the owner of a subscription, so one receiver without a path serves every later subscription, too.
for signal, handler in [
        ("LocationUpdated", updated), ("AuthorizationChanged", authorization_changed), ("Closed", closed)]:
    connection.add_signal_receiver(handler, signal, NAME + ".Subscription", NAME)
connection.watch_name_owner(NAME, owner_changed)
loop.run()
