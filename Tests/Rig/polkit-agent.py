#!/usr/bin/python3
"""An authentication agent of polkit for one process, as a desktop's password dialog is one. Run it as root.

    polkit-agent.py BUS-ADDRESS PID UID

Says "registered", then "asked ACTION" for each dialog that it is to show; "cancelled" when polkit takes it back. Commands,
one a line: "yes" (the person has authenticated), "no" (gave up), "quit".
"""

import os
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

POLKIT = "org.freedesktop.PolicyKit1"
AGENT = "org.freedesktop.PolicyKit1.AuthenticationAgent"
PATH = "/org/example/AuthenticationAgent"


class Agent(dbus.service.Object):
    dialog = None

    @dbus.service.method(AGENT, in_signature="sssa{ss}sa(sa{sv})", out_signature="", async_callbacks=("done", "failed"))
    def BeginAuthentication(self, action, message, icon, details, cookie, identities, done, failed):
        self.dialog = cookie, identities[0], done, failed
        print("asked", action, flush=True)

    @dbus.service.method(AGENT, in_signature="s", out_signature="")
    def CancelAuthentication(self, cookie):
        print("cancelled", flush=True)
        self.end("Cancelled")

    def answer(self, yes):
        if not self.dialog:
            return
        cookie, identity, done, failed = self.dialog
        if yes:
            authority().AuthenticationAgentResponse2(dbus.UInt32(os.getuid()), cookie, identity)
            self.dialog = None
            done()
        else:
            self.end("Cancelled")

    def end(self, error):
        if self.dialog:
            failed = self.dialog[3]
            self.dialog = None
            failed(dbus.DBusException("no", name=POLKIT + ".Error." + error))


def authority():
    return dbus.Interface(bus.get_object(POLKIT, "/org/freedesktop/PolicyKit1/Authority", introspect=False),
                          POLKIT + ".Authority")


def subject(process, user):
    with open("/proc/%d/stat" % process) as stat:
        started = int(stat.read().rpartition(")")[2].split()[19])
    return dbus.Struct(("unix-process", dbus.Dictionary({
        "pid": dbus.UInt32(process, variant_level=1), "start-time": dbus.UInt64(started, variant_level=1),
        "uid": dbus.Int32(user, variant_level=1)}, signature="sv")), signature="sa{sv}")


def readable(source, condition):
    piece = os.read(0, 4096).decode()
    for command in piece.split():
        if command == "quit":
            loop.quit()
        else:
            agent.answer(command == "yes")
    if not piece:
        loop.quit()
    return True


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
loop = GLib.MainLoop()
bus = dbus.bus.BusConnection(sys.argv[1])
agent = Agent(bus, PATH)
authority().RegisterAuthenticationAgent(subject(int(sys.argv[2]), int(sys.argv[3])), "C", PATH)
print("registered", flush=True)
GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, readable)
loop.run()
