#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where this machine is, one line a fix, until Ctrl-C; with python3-dbus.

    watch_dbus.py [--address BUS | --session] [--accuracy LEVEL] [--count FIXES] [--duration SECONDS]
"""

import argparse
import datetime

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.geopublicist.Location1"

options = argparse.ArgumentParser(description="Prints where this machine is.")
options.add_argument("--address", help="of a message bus; the system bus by default")
options.add_argument("--session", action="store_true", help="ask on the session bus")
options.add_argument("--accuracy", default="exact", help="country, city, neighborhood, street or exact")
options.add_argument("--count", type=int, help="end after so many fixes")
options.add_argument("--duration", type=float, help="end after so many seconds")
options = options.parse_args()

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
loop = GLib.MainLoop()
if options.address:
    bus = dbus.bus.BusConnection(options.address)
else:
    bus = dbus.SessionBus() if options.session else dbus.SystemBus()
fixes = 0
authorization = None


def updated(location):
    global fixes
    seconds, microseconds = location["Timestamp"]
    measured = datetime.datetime.fromtimestamp(int(seconds)).strftime("%H:%M:%S")
    accuracy = "±%.0f m" % location["Accuracy"] if "Accuracy" in location else "±?"
    print("%s  %11.7f %12.7f  %s  %s" % (
        measured, location["Latitude"], location["Longitude"], accuracy, location["Level"]), flush=True)
    fixes += 1
    if fixes == options.count:
        loop.quit()


def authorization_changed(*told):
    global authorization
    # Each start of a subscription tells it, whether it has changed or not.
    if told != authorization:
        authorization = told
        print("authorization:", *told, flush=True)


def closed(reason):
    print("closed:", reason, flush=True)
    loop.quit()


manager = dbus.Interface(bus.get_object(NAME, "/org/geopublicist/Location1"), NAME)
path = manager.CreateSubscription({"accuracy": options.accuracy})
for signal, handler in [
        ("LocationUpdated", updated), ("AuthorizationChanged", authorization_changed), ("Closed", closed)]:
    bus.add_signal_receiver(handler, signal, NAME + ".Subscription", NAME, path)
dbus.Interface(bus.get_object(NAME, path), NAME + ".Subscription").Start()

if options.duration:
    GLib.timeout_add(int(options.duration * 1000), loop.quit)
try:
    loop.run()
except KeyboardInterrupt:
    pass
