#!/usr/bin/python3
"""A logind that knows one user, or nobody.

    logind.py BUS-ADDRESS UID STATE       STATE: active, online, …

Says "ready" when it owns its name; the end of its input ends it.
"""

import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.login1"


class Manager(dbus.service.Object):
    @dbus.service.method(NAME + ".Manager", in_signature="u", out_signature="o")
    def GetUser(self, user):
        if user != int(sys.argv[2]):
            raise dbus.DBusException("User ID %d is not logged in or lingering" % user, name=NAME + ".NoSuchUser")
        return "/org/freedesktop/login1/user/one"


class User(dbus.service.Object):
    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return sys.argv[3]


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
loop = GLib.MainLoop()
bus = dbus.bus.BusConnection(sys.argv[1])
objects = Manager(bus, "/org/freedesktop/login1"), User(bus, "/org/freedesktop/login1/user/one")
bus.request_name(NAME)
print("ready", flush=True)
GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, lambda *_: loop.quit())
loop.run()
