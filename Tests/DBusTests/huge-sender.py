# SPDX-License-Identifier: Apache-2.0
"""Sends messages of a given size to a connection, as signals and as the reply to whatever it is asked.

    huge-sender.py ADDRESS DESTINATION BYTES

Sends a signal with an `ay` of that size to DESTINATION and one to everybody, prints its unique name, and then answers
each call with a variant of that size, or with an error whose text is that long if the member is `Refuse`.
"""

import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

address, destination, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(address)
content = dbus.ByteArray(b"x" * size)


def answer(_, message):
    if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
    if message.get_member() == "Refuse":
        bus.send_message(dbus.lowlevel.ErrorMessage(message, "a.b.Error", "x" * size))
    else:
        reply = dbus.lowlevel.MethodReturnMessage(message)
        reply.append(content, signature="v")
        bus.send_message(reply)
    return dbus.lowlevel.HANDLER_RESULT_HANDLED


bus.add_message_filter(answer)
for receiver in destination, None:
    signal = dbus.lowlevel.SignalMessage("/a", "a.b", "S")
    signal.append(content, signature="ay")
    if receiver:
        signal.set_destination(receiver)
    bus.send_message(signal)
bus.flush()
print(bus.get_unique_name(), flush=True)
GLib.MainLoop().run()
