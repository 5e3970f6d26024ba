# SPDX-License-Identifier: Apache-2.0
import dbus, dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.geopublicist.Location1"
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
path = None


def owner_changed(owner):
    global path
    if not owner:  # The service has exited or was never started: ask the bus to start it.
        return bus.call_async("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName",
                              "su", (NAME, 0), None, None)
    manager = dbus.Interface(bus.get_object(NAME, "/org/geopublicist/Location1"), NAME)
    if path:  # The service may have kept it.
        bus.call_async(NAME, path, NAME + ".Subscription", "Close", "", (), None, None)
    path = manager.CreateSubscription({"accuracy": "exact", "distance-threshold": 10})
    dbus.Interface(bus.get_object(NAME, path), NAME + ".Subscription").Start()


bus.add_signal_receiver(
    lambda location: print(location["Latitude"], location["Longitude"], flush=True),
    "LocationUpdated", NAME + ".Subscription", NAME)
bus.watch_name_owner(NAME, owner_changed)
GLib.MainLoop().run()
