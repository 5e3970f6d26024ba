#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs dbus-broker without systemd: provides a listening socket and a journal, and starts the launcher, which reads a
bus.conf.

    unshare --mount dbus-broker.py system|session DIR

Listens at DIR/bus, configured by DIR/bus.conf. The launcher's journal messages are written to standard error. It needs
a private mount namespace, because the path of the journal's socket is fixed.
"""

import os
import signal
import socket
import subprocess
import sys

kind, directory = sys.argv[1:]

subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
os.makedirs("/run/systemd/journal")
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/run/systemd/journal/socket")

os.umask(0)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(directory + "/bus")
listener.listen(512)


address = f"unix:path={directory}/bus"
scope = "user" if kind == "session" else "system"
launcher = subprocess.Popen(
    # Socket activation as systemd does it: the socket is descriptor 3, and LISTEN_PID is the process that it is for.
    ["setpriv", "--pdeathsig=KILL", "sh", "-c", 'LISTEN_PID=$$ exec dbus-broker-launch "$@"', "sh",
     "--scope", scope, "--config-file", directory + "/bus.conf"],
    preexec_fn=lambda: os.dup2(listener.fileno(), 3), pass_fds=[3],
    env={**os.environ, "LISTEN_FDS": "1", "DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address})
signal.signal(signal.SIGCHLD, lambda *_: sys.exit(launcher.poll()))
while True:
    for field in journal.recv(65536).split(b"\n"):
        if field.startswith(b"MESSAGE="):
            os.write(2, field[8:] + b"\n")
