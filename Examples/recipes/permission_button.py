#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A button that asks the user for permission (package python3-gi, and gir1.2-gtk-3.0 for the window).

    permission_button.py [--ask]      --ask: ask immediately, print the answer and exit, without a window
"""

import sys

from gi.repository import Gio, GLib

NAME = "org.geopublicist.Location1"


def ask(answered):
    """Calls `answered` with a status and a reason, or an error. The user has 120 s; GDBus alone would wait only 25 s."""
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
    bus.call(
        NAME, "/org/geopublicist/Location1", NAME, "RequestAuthorization",
        GLib.Variant("(a{sv})", ({"accuracy": GLib.Variant("s", "exact")},)), GLib.VariantType("(ss)"),
        Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION, 125_000, None,
        lambda bus, result: answered(*finish(bus, result)))


def finish(bus, result):
    try:
        return bus.call_finish(result).unpack()
    except GLib.Error as error:
        Gio.DBusError.strip_remote_error(error)
        return "error", error.message


def main():
    import gi
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    button = Gtk.Button(label="Use my location")
    window = Gtk.Window(title="Location")
    window.add(button)
    window.connect("destroy", Gtk.main_quit)

    def answered(status, reason):
        allowed = status.startswith("authorized")
        button.set_label("Thank you" if allowed else "Try again (%s)" % reason)
        button.set_sensitive(not allowed)

    def clicked(_):
        button.set_sensitive(False)
        ask(answered)

    button.connect("clicked", clicked)
    window.show_all()
    Gtk.main()


if "--ask" in sys.argv:
    loop = GLib.MainLoop()
    ask(lambda *answer: (print(*filter(None, answer)), loop.quit()))
    loop.run()
else:
    main()
