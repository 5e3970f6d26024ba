# SPDX-License-Identifier: Apache-2.0
"""A private bus with the service, and what can be observed from outside."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RIG = os.path.normpath(os.path.join(HERE, "..", "..", "Rig"))
sys.path.append(RIG)

from wire import REPLY, Gone, Peer  # noqa: E402
NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"
PATIENCE = 60
SURROUNDINGS = {
    # Warnings from libdbus and GLib count as failures.
    "DBUS_FATAL_WARNINGS": "1", "G_DEBUG": "fatal-criticals",
    # For a service built with the sanitizer. The environment takes precedence.
    "ASAN_OPTIONS": "quarantine_size_mb=32", "LSAN_OPTIONS": f"suppressions={RIG}/leaks.supp:print_suppressions=0",
    "PYTHONDONTWRITEBYTECODE": "1",
}


class Failure(Exception):
    pass


def wait(what, condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return result


class Place:
    """A bus with the service, for use in a `with` statement."""

    def __init__(self, daemon, broker, kind, deployment, has_geoclue):
        self.program, self.broker, self.kind = daemon, broker, kind
        self.deployment, self.has_geoclue = deployment, has_geoclue
        self.processes = []

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="geopublicist.")
        os.chmod(self.folder, 0o755)
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self):
        self.address = self.bus("bus", self.kind)
        upstream = self.address
        if self.has_geoclue:
            if self.kind != "system":
                upstream = self.bus("upstream", "system")
            self.run("geoclue", [f"{RIG}/geoclue.sh", upstream, f"{self.folder}/nmea.sock"])
        self.daemon = self.run(
            "daemon", [self.program, self.deployment, "--address", self.address, "--geoclue-address", upstream])
        wait("the service owns its name", lambda: self.owner() or self.complain_if_ended())

    def run(self, name, arguments, user=None):
        leash = ["setpriv", "--pdeathsig=KILL"]
        if user is not None:
            leash += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.processes.append(subprocess.Popen(
                [*leash, "--", *arguments], stdout=log, stderr=log, start_new_session=True,
                env={**SURROUNDINGS, **os.environ, "BUS_BROKER": self.broker}))
        return self.processes[-1]

    def bus(self, name, kind):
        folder = f"{self.folder}/{name}"
        os.mkdir(folder)
        os.chmod(folder, 0o755)
        self.run(name, [f"{RIG}/private-bus.sh", kind, folder])
        address = f"unix:path={folder}/bus"

        def answers():
            try:
                Peer(address).close()
                return True
            except Gone:
                return False

        wait("the bus answers", answers)
        return address

    def log(self, name="daemon"):
        with open(f"{self.folder}/{name}.log", errors="replace") as file:
            return file.read()

    def complain_if_ended(self):
        if self.daemon.poll() is not None:
            raise Failure(f"the service exited with {self.daemon.returncode}:\n{self.log()[-6000:]}")

    def owner(self):
        peer = Peer(self.address)
        owner = peer.ask_bus("GetNameOwner", "s", [NAME])
        peer.close()
        return owner

    def ask(self, interface, member, signature="", values=()):
        """Returns the service's answer to a new client, or None for an error."""
        peer = Peer(self.address)
        answer = peer.call(NAME, PATH, interface, member, signature, values)
        peer.close()
        return answer.arguments() if answer is not None and answer.kind == REPLY else None

    def check(self):
        """Returns whether the same process is still running and answers."""
        self.complain_if_ended()
        # dbus-broker delivers headers over which libdbus leaves the bus. The service must then return.
        wait("the name has an owner", self.owner)
        wait("the service answers", lambda: self.ask("org.freedesktop.DBus.Peer", "Ping") is not None)
        wait("the service answers", lambda: self.ask("org.freedesktop.DBus.Properties", "Get", "ss", [NAME, "State"]))

    def rest(self):
        """Waits until everything held for departed clients has been released."""
        wait("no subscription is left", lambda: self.ask(NAME, "ListSubscriptions") == [[]])

    def memory(self):
        """Returns private memory in KiB as root, or else anonymous memory, because only root can inspect the service."""
        rollup, status = (f"/proc/{self.daemon.pid}/{name}" for name in ("smaps_rollup", "status"))
        with open(rollup if os.getuid() == 0 else status) as file:
            return sum(int(size) for size in re.findall(r"(?:Private_\w+|RssAnon):\s+(\d+)", file.read()))

    def descriptors(self):
        """Returns the number of descriptors, which only root can see."""
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd")) if os.getuid() == 0 else 0

    def is_sanitized(self):
        """Returns whether the service keeps freed memory to detect its use."""
        with open(self.program, "rb") as file:
            return b"__asan_init" in file.read()

    def end(self):
        """Ends the service like systemd. Its final output counts."""
        self.daemon.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the service does not exit") from None
        if status != 0 or re.search("Sanitizer|runtime error|CRITICAL", self.log()):
            raise Failure(f"the service exited with {status}:\n{self.log()[-6000:]}")
