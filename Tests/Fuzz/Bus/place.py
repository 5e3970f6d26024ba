# SPDX-License-Identifier: Apache-2.0
"""A private bus with the daemon on it, and what can be seen of the daemon from outside."""

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
    # What libdbus and GLib complain about is a failure.
    "DBUS_FATAL_WARNINGS": "1", "G_DEBUG": "fatal-criticals",
    # For a daemon that is built with it; who starts this may know better.
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
    """A bus with the daemon on it; to be used in a `with`."""

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
        wait("the daemon owns its name", lambda: self.owner() or self.complain_if_ended())

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
            raise Failure(f"the daemon has ended with {self.daemon.returncode}:\n{self.log()[-6000:]}")

    def owner(self):
        peer = Peer(self.address)
        owner = peer.ask_bus("GetNameOwner", "s", [NAME])
        peer.close()
        return owner

    def ask(self, interface, member, signature="", values=()):
        """What the daemon answers to somebody who comes now; None for an error."""
        peer = Peer(self.address)
        answer = peer.call(NAME, PATH, interface, member, signature, values)
        peer.close()
        return answer.arguments() if answer is not None and answer.kind == REPLY else None

    def check(self):
        """The same process is there and answers."""
        self.complain_if_ended()
        # dbus-broker lets headers pass for which libdbus leaves the bus; then it has to come back.
        wait("the name has an owner", self.owner)
        wait("the daemon answers", lambda: self.ask("org.freedesktop.DBus.Peer", "Ping") is not None)
        wait("the daemon answers", lambda: self.ask("org.freedesktop.DBus.Properties", "Get", "ss", [NAME, "State"]))

    def rest(self):
        """Waits until what those who have gone held is given back."""
        wait("no subscription is left", lambda: self.ask(NAME, "ListSubscriptions") == [[]])

    def memory(self):
        """Private memory in KiB; to root, since the daemon hides it from its own user, to others what is anonymous."""
        rollup, status = (f"/proc/{self.daemon.pid}/{name}" for name in ("smaps_rollup", "status"))
        with open(rollup if os.getuid() == 0 else status) as file:
            return sum(int(size) for size in re.findall(r"(?:Private_\w+|RssAnon):\s+(\d+)", file.read()))

    def descriptors(self):
        """How many it has; only root may see them."""
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd")) if os.getuid() == 0 else 0

    def is_sanitized(self):
        """Whether the daemon keeps what was freed, to find out who uses it."""
        with open(self.program, "rb") as file:
            return b"__asan_init" in file.read()

    def end(self):
        """Ends the daemon as systemd does; what it says in the end counts."""
        self.daemon.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the daemon does not end") from None
        if status != 0 or re.search("Sanitizer|runtime error|CRITICAL", self.log()):
            raise Failure(f"the daemon has ended with {status}:\n{self.log()[-6000:]}")
