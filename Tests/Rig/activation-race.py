#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that come just when the daemon has had enough of waiting for one: each has to be answered, by the old process or
by a new one that the bus starts.

    activation-race.py DAEMON COUNT

Says {"answered": N, "processes": M}.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.bus

NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"
IDLE = 0.05

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <servicedir>{folder}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
"""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def main(daemon, count):
    folder = tempfile.mkdtemp(prefix="geopublicist-race.", dir="/tmp")
    address = f"unix:path={folder}/bus"
    write(f"{folder}/bus.conf", CONFIGURATION.format(folder=folder))
    write(f"{folder}/daemon.conf", f"[Service]\nidle-timeout={IDLE}\n")
    write(f"{folder}/{NAME}.service",
          f"[D-BUS Service]\nName={NAME}\n"
          f"Exec={daemon} --system --address {address} --geoclue-address {address} --config {folder}/daemon.conf\n")
    bus = subprocess.Popen(["setpriv", "--pdeathsig=KILL", "dbus-daemon", "--nofork", "--nopidfile",
                            f"--config-file={folder}/bus.conf"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(f"{folder}/bus"):
            time.sleep(0.01)
        connection = dbus.bus.BusConnection(address)
        owners, answered = set(), 0
        for _ in range(count):
            reply = connection.call_blocking(NAME, PATH, NAME, "ListSubscriptions", "", ())
            assert list(reply) == []
            answered += 1
            try:
                owners.add(connection.get_name_owner(NAME))
            except dbus.DBusException:
                pass  # It has ended since.
            time.sleep(max(0, random.gauss(IDLE, 0.004)))
        print(json.dumps({"answered": answered, "processes": len(owners)}))
    finally:
        bus.kill()
        bus.wait()
        shutil.rmtree(folder)


main(sys.argv[1], int(sys.argv[2]))
