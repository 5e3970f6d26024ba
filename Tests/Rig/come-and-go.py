#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Consumers that connect, subscribe, start and vanish, one after the other.

    come-and-go.py BUS-ADDRESS COUNT
"""

import os
import socket
import sys
import time

import dbus
import dbus.bus

NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"


def insist(call):
    """Calls again as long as the limit for one user's calls is reached."""
    while True:
        try:
            return call()
        except dbus.DBusException as error:
            if "calls-per-second-per-user" not in str(error):
                raise
            time.sleep(0.02)


def cycle(address, step):
    bus = dbus.bus.BusConnection(address)
    bus.set_exit_on_disconnect(False)
    manager = bus.get_object(NAME, PATH, introspect=False)
    if step == 0:
        bus.call_async(NAME, PATH, NAME, "GetLocation", "a{sv}", ({},), None, None)
    else:
        path = insist(lambda: manager.CreateSubscription({}, dbus_interface=NAME, signature="a{sv}"))
        if step > 1:
            subscription = bus.get_object(NAME, path, introspect=False)
            insist(lambda: subscription.Start(dbus_interface=NAME + ".Subscription"))
    bus.flush()
    # As when the process is killed: the socket is shut, nothing is said.
    with socket.socket(fileno=os.dup(bus.get_unix_fd())) as connection:
        connection.shutdown(socket.SHUT_RDWR)
    bus.close()


for number in range(int(sys.argv[2])):
    cycle(sys.argv[1], number % 4)
