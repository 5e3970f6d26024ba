# SPDX-License-Identifier: Apache-2.0
"""The service, built as in the package, on a private bus with the real GeoClue and without a network."""

import argparse
import os
import pathlib
import resource
import subprocess

import wire
from machine import GEOCLUE, RIG, SERVICE, TOP, Failure, PrivateMachine, ask, descendant, log_of, wait_until

BUILT = pathlib.Path(os.environ.get("BENCH_BUILT", TOP / ".build/bench"))


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

    # The default limits, but no idle exit.
    configuration = "[Service]\nidle-timeout=0\n"
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
