#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a connection as a user in a process that exits, starts another process with the same id, then calls the
service.

    reused-process.py BUS-ADDRESS USER

Needs root. Prints "STATUS REASON IS-TOLD". The last word says whether the bus reports the connection's process to the
service.
"""

import os
import sys
import time

from wire import Peer

SERVICE, PATH, PROPERTIES = "org.geopublicist.Location1", "/org/geopublicist/Location1", "org.freedesktop.DBus.Properties"


def ask(peer, begin):
    os.read(begin, 1)
    is_told = "ProcessFD" in peer.ask_bus("GetConnectionCredentials", "s", [peer.name])[0]
    answers = [peer.call(SERVICE, PATH, PROPERTIES, "Get", "ss", [SERVICE, f"Authorization{name}"]).arguments()[0]
               for name in ("Status", "Reason")]
    print(*answers, is_told)


def main(address, user):
    begin, take = os.pipe()
    over, end = os.pipe()
    opener = os.fork()
    if opener == 0:
        peer = Peer(address, int(user))
        if os.fork() == 0:
            os.close(over)
            ask(peer, begin)
        return
    os.waitpid(opener, 0)
    os.close(end)
    successor = None
    while successor != opener:
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(opener - 1))
        successor = os.fork()
        if successor == 0:
            time.sleep(60)
            return
    os.write(take, b"x")
    # Waits until the caller has exited.
    os.read(over, 1)


main(*sys.argv[1:])
