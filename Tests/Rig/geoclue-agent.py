#!/usr/bin/python3
"""An agent of GeoClue for the user whom this runs as.

    geoclue-agent.py BUS-ADDRESS [LEVEL]

LEVEL is the most that GeoClue may tell this user: 0 (off), 1, 4, 5, 6 or 8 (exact, the default). Says "registered" when
GeoClue has accepted it, again after GeoClue was restarted. Commands, one a line: "level N", "authorize yes|no" (what a
sandboxed program is answered), "quit". The end of its input ends it too.
"""

import os
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

GEOCLUE = "org.freedesktop.GeoClue2"
AGENT = "org.freedesktop.GeoClue2.Agent"


class Agent(dbus.service.Object):
    def __init__(self, connection, level):
        super().__init__(connection, "/org/freedesktop/GeoClue2/Agent")
        self.level = level
        self.authorizes = True

    @dbus.service.method(AGENT, in_signature="su", out_signature="bu")
    def AuthorizeApp(self, desktop_id, level):
        print("asked", desktop_id, level, flush=True)
        return self.authorizes, min(level, self.level)

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.GetAll(interface)[name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return {"MaxAccuracyLevel": dbus.UInt32(self.level)}

    @dbus.service.signal(dbus.PROPERTIES_IFACE, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    def set_level(self, level):
        self.level = level
        self.PropertiesChanged(AGENT, self.GetAll(AGENT), [])


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    bus = dbus.bus.BusConnection(sys.argv[1])
    agent = Agent(bus, int(sys.argv[2]) if len(sys.argv) > 2 else 8)

    def register(owner):
        if owner:
            # Without waiting: GeoClue asks this very connection for its level before it answers.
            bus.call_async(
                GEOCLUE, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager",
                "AddAgent", "s", ("geoclue-demo-agent",),
                lambda: print("registered", flush=True),
                lambda error: print("refused", error, flush=True))

    def readable(source, condition):
        piece = os.read(0, 4096).decode()
        for words in map(str.split, piece.splitlines()):
            if words == ["quit"]:
                loop.quit()
            elif words[0] == "level":
                agent.set_level(int(words[1]))
            elif words[0] == "authorize":
                agent.authorizes = words[1] == "yes"
            else:
                sys.exit("unknown command " + " ".join(words))
        if not piece:
            loop.quit()
        return True

    bus.watch_name_owner(GEOCLUE, register)
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, readable)
    loop.run()


main()
