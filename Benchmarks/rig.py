# SPDX-License-Identifier: Apache-2.0
"""The environment of a measurement: a private bus, the real GeoClue without a network, the service, and the driver."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

# The modules shared with the tests' programs.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tests/Rig"))
import wire  # noqa: E402
from machine import (  # noqa: E402, F401
    GEOCLUE, MANAGER, PROPERTIES, RIG, SERVICE, TOP, Failure, PrivateMachine, as_user, ask, descendant, descriptors, end,
    fields_of, log_of, memory, wait_until)

BUILT = pathlib.Path(os.environ.get("BENCH_BUILT", TOP / ".build/bench"))

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


def expect(answer):
    """Returns the answer to a call, and fails if it was refused."""
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


class Machine(PrivateMachine):
    """A bus with GeoClue and further programs, all of which end with this object."""

    configuration = CONFIGURATION
    program = BUILT / "geopublicistd"

    def __init__(self, broker="dbus-daemon", owner=None, limits="raised"):
        super().__init__()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.bus = self.start_bus("system", broker, owner=owner, limits=limits)
        self.address = self.bus.address
        # dbus-broker is started by a script and a launcher, which only wait.
        self.bus_process = self.bus.pid
        if broker == "dbus-broker":
            self.bus_process = wait_until("dbus-broker runs", lambda: descendant(self.bus.pid, "dbus-broker"))

    def wait_for_name(self, name, process):
        def owned():
            if process.poll() is not None:
                raise Failure(f"{name} does not start: {log_of(process)}")
            return ask(self.address, "NameHasOwner", "s", [name]) == [True]
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
