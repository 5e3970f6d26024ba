# SPDX-License-Identifier: Apache-2.0
"""What one more subscription costs, and whether it is given back."""

import time

from presence import memory
from rig import Machine


def measure(counts, fixes):
    """Each count twice: what the first of them leaves behind, the second one must not add to."""
    rows = []
    # Not dbus-daemon: for each message it looks at every match rule that names the same interface.
    with Machine("dbus-broker") as machine:
        driver = machine.start_driver()
        driver.tell("watch", "bus", machine.bus_process)
        driver.tell("watch", "geoclue", machine.start_geoclue().pid)
        daemon = machine.start_daemon().pid
        driver.tell("watch", "daemon", daemon)
        for cycle in (1, 2):
            for count in counts:
                empty = memory(daemon)
                joined = driver.tell("join", "bridge", count)
                driver.tell("drain")
                full = memory(daemon)
                result = driver.tell("fixes", fixes)
                used = memory(daemon)
                driver.tell("leave")
                # A second after most have gone, the service gives memory back.
                time.sleep(3 if count >= 64 else 0.2)
                after = memory(daemon)
                rows.append({
                    "cycle": cycle, "consumers": count, "join_s": joined["seconds"],
                    "daemon_us_per_fix": result["cpu"]["daemon"], "bus_us_per_fix": result["cpu"]["bus"],
                    "daemon_us_per_delivery": result["cpu"]["daemon"] / count,
                    "bytes_per_subscription": (full["private_dirty_kb"] - empty["private_dirty_kb"]) * 1024 / count,
                    "empty": empty, "full": full, "used": used, "after": after,
                })
    return rows
