# SPDX-License-Identifier: Apache-2.0
"""The environment of a measurement: a private bus, the real GeoClue without a network, the service, and the driver."""

import argparse
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
# The modules shared with the tests' programs.
sys.path.append(str(RIG))
import wire  # noqa: E402

BUILT = pathlib.Path(os.environ.get("BENCH_BUILT", TOP / ".build/bench"))
GEOCLUE, SERVICE = "org.freedesktop.GeoClue2", "org.geopublicist.Location1"
DEADLINE = 20

# Allows one user what the default limits forbid: thousands of subscriptions, and calls without pauses.
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
    """The rig failed."""


def wait_until(what, condition, within=DEADLINE):
    """Waits until the condition returns a true value, and returns that value."""
    deadline = time.monotonic() + within
    while True:
        if result := condition():
            return result
        if time.monotonic() > deadline:
            raise Failure(f"not within {within} s: {what}")
        time.sleep(0.02)


def expect(answer):
    """Returns what a call was answered, and fails if it was refused."""
    if answer is None or answer.kind != wire.REPLY:
        raise Failure(f"refused: {answer.arguments() if answer else 'no answer'}")
    return answer.arguments()


def build():
    """Builds the service, as in the package, and the driver."""
    subprocess.run([TOP / "Benchmarks/build.sh"], check=True)


def parser(description, json=None):
    """Returns the options that the measurements have in common."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--no-build", action="store_true", help="measure what is built already")
    if json:
        options.add_argument("--json", type=pathlib.Path, default=TOP / ".build" / json)
    return options


class Machine(contextlib.ExitStack):
    """A bus with GeoClue and further programs, all of which end with this object."""

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
        # dbus-broker is started by a script and a launcher, which only wait.
        self.bus_process = self.bus.pid
        if broker == "dbus-broker":
            self.bus_process = wait_until("dbus-broker runs", lambda: descendant(self.bus.pid, "dbus-broker"))

    def start(self, command, standard_input=subprocess.DEVNULL, **environment):
        """Starts a program that is guaranteed to end with the machine."""
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
        """Returns the answer of the bus itself, or None if it does not answer."""
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
    def service_command(self):
        configuration = self.folder / "geopublicist.conf"
        configuration.write_text(self.configuration)
        return [self.program, "--system", "--address", self.address, "--geoclue-address", self.address,
                "--config", configuration]

    def start_service(self, **environment):
        process = self.start(self.service_command, **environment)
        self.wait_for_name(SERVICE, process)
        return process

    def start_driver(self):
        return self.enter_context(Driver(self))


def end(process):
    """Kills a program and everything that it has started."""
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
    """The C program that writes fixes and acts as the clients that receive them."""

    def __init__(self, machine):
        # Without a network, because GeoClue, which the driver also starts, must not query a server.
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
        """Sends a command to the driver and returns its answer."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.read()
