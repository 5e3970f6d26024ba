# SPDX-License-Identifier: Apache-2.0
import dbus, dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.geopublicist.Location1"
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
path = None


def show(almanac):
    print(almanac["Phase"], almanac.get("TimeZone", "-"), almanac.get("Place", "-"), flush=True)


def owner_changed(owner):
    global path
    if not owner:  # The service has exited or was never started: ask the bus to start it.
        return bus.call_async("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName",
                              "su", (NAME, 0), None, None)
    if path:  # The service may have kept it.
        bus.call_async(NAME, path, NAME + ".Almanac", "Close", "", (), None, None)
    path = bus.get_object(NAME, "/org/geopublicist/Location1").CreateAlmanac({}, dbus_interface=NAME)
    bus.get_object(NAME, path).Start(dbus_interface=NAME + ".Almanac")


bus.add_signal_receiver(show, "AlmanacChanged", NAME + ".Almanac", NAME)
bus.add_signal_receiver(lambda status, reason: status.startswith("authorized") or print("denied", flush=True),
                        "AuthorizationChanged", NAME + ".Almanac", NAME)
bus.watch_name_owner(NAME, owner_changed)
GLib.MainLoop().run()
