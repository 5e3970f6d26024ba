# SPDX-License-Identifier: Apache-2.0
"""A folder with private buses and programs on them, all of which end with it, and a program's resources as reported by
the kernel."""

import atexit
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from wire import Gone, Peer

RIG = pathlib.Path(__file__).resolve().parent
TOP = RIG.parent.parent
GEOCLUE, SERVICE, MANAGER = "org.freedesktop.GeoClue2", "org.geopublicist.Location1", "/org/geopublicist/Location1"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Failure(Exception):
    """The rig or the tested program failed."""


def wait_until(what, condition, within=20):
    """Waits until the condition returns a true value, and returns that value."""
    deadline = time.monotonic() + within
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"not within {within} s: {what}")
        time.sleep(0.02)
    return result


def as_user(user, command):
    """Returns the command that runs another one as a user and ends with its parent."""
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--pdeathsig=KILL", "--", *command]


class PrivateMachine(contextlib.ExitStack):
    def __init__(self):
        super().__init__()
        # The folder is removed even if a later step fails.
        atexit.register(self.close)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geopublicist."))
        self.folder.chmod(0o755)
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.nmea = self.folder / "nmea.sock"
        self.started = 0

    def start(self, command, standard_input=subprocess.DEVNULL, **environment):
        """Starts a program that is guaranteed to end with the machine."""
        self.started += 1
        log = (self.folder / f"{self.started}-{pathlib.Path(command[0]).name}.log").open("w+")
        clean = {key: value for key, value in os.environ.items() if not key.startswith("DBUS_")}
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", "--", *map(str, command)], stdin=standard_input, stdout=log, stderr=log,
            env={**clean, **environment})
        process.log = pathlib.Path(log.name)
        self.callback(end, process)
        return process

    def start_bus(self, kind, broker, name="bus", owner=None, limits="raised"):
        """Starts a bus and waits until it answers. Once it answers, its process id is known."""
        folder = self.folder / f"{name}.d"
        folder.mkdir()
        owner = os.getuid() if owner is None else owner
        bus = self.start([RIG / "private-bus.sh", kind, folder, str(owner)], BUS_BROKER=broker, BUS_LIMITS=limits)
        bus.address = f"unix:path={folder}/bus"
        wait_until("the bus answers", lambda: ask(bus.address, "GetId"))
        return bus


def ask(address, member, signature="", values=()):
    """Returns the answer of the bus itself, or nothing if it fails or does not answer."""
    with contextlib.suppress(Gone), contextlib.closing(Peer(address)) as peer:
        return peer.ask_bus(member, signature, values)
    return []


def end(process):
    """Kills a program and all processes that it has started."""
    for child in reversed(descendants(process.pid)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, 9)
    if process.poll() is None:
        process.kill()
    process.wait()


def descendants(pid):
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def descendant(pid, name):
    for child in descendants(pid):
        with contextlib.suppress(FileNotFoundError):
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name:
                return child
    return None


def log_of(process):
    return process.log.read_text(errors="replace")


def memory(pid):
    """Returns resident, proportional and private dirty memory in kilobytes."""
    try:
        fields = fields_of(f"/proc/{pid}/smaps_rollup")
    except PermissionError:
        # Only root can inspect the service. Anonymous memory is almost the same as private dirty memory.
        fields = fields_of(f"/proc/{pid}/status")
        return {"rss_kb": int(fields["VmRSS:"]), "pss_kb": 0, "private_dirty_kb": int(fields["RssAnon:"])}
    return {"rss_kb": int(fields["Rss:"]), "pss_kb": int(fields["Pss:"]), "private_dirty_kb": int(fields["Private_Dirty:"])}


def fields_of(path):
    return {words[0]: words[1] for line in pathlib.Path(path).read_text().splitlines() if len(words := line.split()) > 1}


def descriptors(pid):
    """Returns the number of descriptors, which only root can see."""
    try:
        return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
    except PermissionError:
        return 0
