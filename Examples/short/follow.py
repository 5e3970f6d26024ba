# SPDX-License-Identifier: Apache-2.0
import dbus, dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.geopublicist.Location1"
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()

manager = dbus.Interface(bus.get_object(NAME, "/org/geopublicist/Location1"), NAME)
path = manager.CreateSubscription({"accuracy": "exact", "distance-threshold": 10.0})
bus.add_signal_receiver(
    lambda location: print(location["Latitude"], location["Longitude"], flush=True),
    "LocationUpdated", NAME + ".Subscription", NAME, path)
dbus.Interface(bus.get_object(NAME, path), NAME + ".Subscription").Start()
GLib.MainLoop().run()
