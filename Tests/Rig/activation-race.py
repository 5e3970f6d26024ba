#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes calls at the moment at which the service exits because it is idle. Each call must be answered, by the old
process or by a new one that the bus starts.

    activation-race.py PROGRAM COUNT

Prints {"answered": N, "processes": M}.
"""

import json
import random
import sys
import time

from machine import MANAGER, SERVICE, PrivateMachine, ask, wait_until
from wire import Peer

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


def main(service, count):
    with PrivateMachine() as machine:
        folder, address = machine.folder, f"unix:path={machine.folder}/bus"
        (folder / "bus.conf").write_text(CONFIGURATION.format(folder=folder))
        (folder / "service.conf").write_text(f"[Service]\nidle-timeout={IDLE}\n")
        (folder / f"{SERVICE}.service").write_text(
            f"[D-BUS Service]\nName={SERVICE}\n"
            f"Exec={service} --system --address {address} --geoclue-address {address} --config {folder}/service.conf\n")
        machine.start(["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={folder}/bus.conf"])
        wait_until("the bus answers", lambda: ask(address, "GetId"))
        peer, owners = Peer(address), set()
        for _ in range(count):
            assert peer.call(SERVICE, MANAGER, SERVICE, "ListSubscriptions").arguments() == [[]]
            # It may have exited meanwhile.
            owners.update(peer.ask_bus("GetNameOwner", "s", [SERVICE]))
            time.sleep(max(0, random.gauss(IDLE, 0.004)))
        print(json.dumps({"answered": count, "processes": len(owners)}))


main(sys.argv[1], int(sys.argv[2]))
