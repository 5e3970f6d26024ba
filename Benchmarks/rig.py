# SPDX-License-Identifier: Apache-2.0
"""The environment of a measurement: a private bus, the real GeoClue without a network, the service, and the driver."""

import json
import os
import pathlib
import subprocess
import sys

# The modules shared with the tests' programs.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tests/Rig"))
import release  # noqa: E402
import wire  # noqa: E402, F401
from machine import (  # noqa: E402, F401
    GEOCLUE, MANAGER, PROPERTIES, RIG, SERVICE, TOP, Failure, end, fields_of, log_of, memory, wait_until)
from release import BUILT, build, expect, parser  # noqa: E402, F401

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


class Machine(release.Machine):
    configuration = CONFIGURATION

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
