#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the location with python3-dbus.

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


def updated(location):
    print("location %.4f %.4f %s" % (location["Latitude"], location["Longitude"], location["Level"]), flush=True)


def authorization_changed(*status_and_reason):
    print("authorization", *filter(None, status_and_reason), flush=True)


def closed(reason):
    print("closed", reason, flush=True)
    loop.quit()


bus, level, metres, count = sys.argv[1:]
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = connect(bus)
loop = GLib.MainLoop()
manager = dbus.Interface(connection.get_object(NAME, "/org/geopublicist/Location1"), NAME)
path = manager.CreateSubscription({
    "accuracy": level, "distance-threshold": float(metres), "max-updates": dbus.UInt32(count)})
subscription = dbus.Interface(connection.get_object(NAME, path), NAME + ".Subscription")
subscription.connect_to_signal("LocationUpdated", updated)
subscription.connect_to_signal("AuthorizationChanged", authorization_changed)
subscription.connect_to_signal("Closed", closed)
subscription.Start()
loop.run()
