# SPDX-License-Identifier: Apache-2.0
"""A private bus with the service, and what can be observed from outside."""

import contextlib
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "Rig"))

from machine import (  # noqa: E402
    MANAGER, PROPERTIES, RIG, SERVICE, TOP, Failure, PrivateMachine, ask, as_user, descriptors, log_of, memory, wait_until)
from wire import REPLY, Peer  # noqa: E402

PATIENCE = 60
SURROUNDINGS = {
    # Warnings from libdbus and GLib count as failures.
    "DBUS_FATAL_WARNINGS": "1", "G_DEBUG": "fatal-criticals",
    # For a service built with the sanitizer. The environment takes precedence.
    "ASAN_OPTIONS": "quarantine_size_mb=32", "LSAN_OPTIONS": f"suppressions={TOP}/Tools/leaks.supp:print_suppressions=0",
}
wait = functools.partial(wait_until, within=PATIENCE)


class Place(PrivateMachine):
    """A bus with the service, for use in a `with` statement."""

    def __init__(self, program, broker, kind, deployment, has_geoclue):
        super().__init__()
        self.program, self.broker = program, broker
        self.address = upstream = self.start_bus(kind, broker).address
        if has_geoclue:
            if kind != "system":
                upstream = self.start_bus("system", broker, "upstream").address
            self.start([RIG / "geoclue.sh", upstream, self.nmea])
        self.service = self.start(
            [program, deployment, "--address", self.address, "--geoclue-address", upstream],
            **{name: os.environ.get(name, value) for name, value in SURROUNDINGS.items()})
        wait("the service owns its name", lambda: self.owner() or self.complain_if_ended())

    def run(self, command, user=None):
        return self.start(command if user is None else as_user(user, command))

    def complain_if_ended(self):
        if self.service.poll() is not None:
            raise Failure(f"the service exited with {self.service.returncode}:\n{log_of(self.service)[-6000:]}")

    def owner(self):
        return ask(self.address, "GetNameOwner", "s", [SERVICE])

    def ask(self, interface, member, signature="", values=()):
        """Returns the service's answer to a new client, or None for an error."""
        with contextlib.closing(Peer(self.address)) as peer:
            answer = peer.call(SERVICE, MANAGER, interface, member, signature, values)
        return answer.arguments() if answer is not None and answer.kind == REPLY else None

    def check(self):
        """Returns whether the same process is still running and answers."""
        self.complain_if_ended()
        # dbus-broker delivers headers over which libdbus leaves the bus. The service must then return.
        wait("the name has an owner", self.owner)
        wait("the service answers", lambda: self.ask("org.freedesktop.DBus.Peer", "Ping") is not None)
        wait("the service answers", lambda: self.ask(PROPERTIES, "Get", "ss", [SERVICE, "State"]))

    def rest(self):
        """Waits until everything held for departed clients has been released."""
        wait("no subscription is left", lambda: self.ask(SERVICE, "ListSubscriptions") == [[]])

    def memory(self):
        """Returns private memory in KiB."""
        return memory(self.service.pid)["private_dirty_kb"]

    def descriptors(self):
        return descriptors(self.service.pid)

    def is_sanitized(self):
        """Returns whether the service keeps freed memory to detect its use."""
        return b"__asan_init" in pathlib.Path(self.program).read_bytes()

    def end(self):
        """Ends the service like systemd. Its final output counts."""
        self.service.send_signal(signal.SIGTERM)
        try:
            status = self.service.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the service does not exit") from None
        if status != 0 or re.search("Sanitizer|runtime error|CRITICAL", log_of(self.service)):
            raise Failure(f"the service exited with {status}:\n{log_of(self.service)[-6000:]}")
