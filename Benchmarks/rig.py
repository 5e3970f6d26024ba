# SPDX-License-Identifier: Apache-2.0
"""What a measurement runs on: a bus of its own, the real GeoClue without a network, the daemon, and the driver."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
RIG = TOP / "Tests/Rig"
# Where the programs of the tests have their modules.
sys.path.append(str(RIG))
BUILT = pathlib.Path(os.environ.get("BENCH_BUILT", TOP / ".build/bench"))
GEOCLUE, SERVICE = "org.freedesktop.GeoClue2", "org.geopublicist.Location1"
DEADLINE = 20

# What the default limits forbid to one user: thousands of subscriptions, and calls without a pause.
CONFIGURATION = """
[Service]
idle-timeout=0

[Limits]
calls-burst=1000000
calls-per-second=1000000
calls-per-second-per-user=1000000
subscriptions-per-user=5000
subscriptions=20000
regions-per-user=5000
regions=20000
"""


class Failure(Exception):
    """The rig does not do what it should."""


def wait_until(what, condition, within=DEADLINE):
    """Waits for a condition; what is not None or False is returned."""
    deadline = time.monotonic() + within
    while True:
        if result := condition():
            return result
        if time.monotonic() > deadline:
            raise Failure(f"not within {within} s: {what}")
        time.sleep(0.02)


class Machine(contextlib.ExitStack):
    """A bus with GeoClue on it, and what else is started; everything ends with it."""

    configuration = CONFIGURATION
    program = BUILT / "geopublicistd"

    def __init__(self, broker="dbus-daemon", owner=None, limits="raised"):
        super().__init__()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geopublicist-bench."))
        self.folder.chmod(0o755)
        self.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.address = f"unix:path={self.folder}/bus"
        self.nmea = self.folder / "nmea.sock"
        self.started = 0
        owner = os.getuid() if owner is None else owner
        self.bus = self.start([RIG / "private-bus.sh", "system", self.folder, str(owner)], BUS_BROKER=broker, BUS_LIMITS=limits)
        wait_until("the bus answers", lambda: self.ask("GetId") is not None)
        # Behind dbus-broker are a script and a launcher, which only wait.
        self.bus_process = self.bus.pid
        if broker == "dbus-broker":
            self.bus_process = wait_until("dbus-broker runs", lambda: descendant(self.bus.pid, "dbus-broker"))

    def start(self, command, standard_input=subprocess.DEVNULL, **environment):
        """Starts a program that ends with the machine, whatever happens."""
        self.started += 1
        log = (self.folder / f"{self.started}-{pathlib.Path(command[0]).name}.log").open("w+")
        clean = {key: value for key, value in os.environ.items() if not key.startswith("DBUS_")}
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", "--", *map(str, command)], stdin=standard_input, stdout=log, stderr=log,
            env={**clean, **environment})
        process.log = log.name
        self.callback(end, process)
        return process

    def ask(self, member, *arguments):
        """What the bus itself answers; None if it does not."""
        result = subprocess.run(
            ["dbus-send", f"--bus={self.address}", "--print-reply=literal", "--dest=org.freedesktop.DBus",
             "/org/freedesktop/DBus", f"org.freedesktop.DBus.{member}", *(f"string:{word}" for word in arguments)],
            capture_output=True, text=True, check=False)
        return result.stdout.strip() if result.returncode == 0 else None

    def wait_for_name(self, name, process):
        def owned():
            if process.poll() is not None:
                raise Failure(f"{name} does not start: {pathlib.Path(process.log).read_text()}")
            return (self.ask("NameHasOwner", name) or "").endswith("true")
        wait_until(f"{name} is owned", owned)

    def begin_geoclue(self):
        return self.start([RIG / "geoclue.sh", self.address, self.nmea])

    def start_geoclue(self):
        process = self.begin_geoclue()
        self.wait_for_name(GEOCLUE, process)
        return process

    @property
    def daemon_command(self):
        configuration = self.folder / "geopublicist.conf"
        configuration.write_text(self.configuration)
        return [self.program, "--system", "--address", self.address, "--geoclue-address", self.address,
                "--config", configuration]

    def start_daemon(self, **environment):
        process = self.start(self.daemon_command, **environment)
        self.wait_for_name(SERVICE, process)
        return process

    def start_driver(self):
        return self.enter_context(Driver(self))


def end(process):
    """Ends a program at once, and whatever it has started."""
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


class Driver:
    """The C program between the fix that is written and the consumers that hold it."""

    def __init__(self, machine):
        # No network: GeoClue, which it starts too, must not ask anybody for a position.
        alone = ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "--map-current-user", "--net"]
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", "--", *alone, BUILT / "driver", machine.address, machine.nmea, BUILT / "raw"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": machine.address, "GSETTINGS_BACKEND": "memory"})
        self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failure("the driver has ended")
        return json.loads(line)

    def tell(self, *words):
        """One command, and what the driver answers."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()
