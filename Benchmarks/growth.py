# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of an additional subscription and whether its memory is released."""

import time

from rig import Machine, memory


def measure(counts, fixes):
    """Measures each count twice: the second time must not add to the memory that the first one kept."""
    rows = []
    # Not dbus-daemon, which checks every match rule for the same interface for each message.
    with Machine("dbus-broker") as machine:
        driver = machine.start_driver()
        driver.tell("watch", "bus", machine.bus_process)
        driver.tell("watch", "geoclue", machine.start_geoclue().pid)
        service = machine.start_service().pid
        driver.tell("watch", "service", service)
        for cycle in (1, 2):
            for count in counts:
                empty = memory(service)
                joined = driver.tell("join", "service", count)
                driver.tell("drain")
                full = memory(service)
                result = driver.tell("fixes", fixes)
                used = memory(service)
                driver.tell("leave")
                # The service releases memory a second after most clients have left.
                time.sleep(3 if count >= 64 else 0.2)
                after = memory(service)
                rows.append({
                    "cycle": cycle, "clients": count, "join_s": joined["seconds"],
                    "service_us_per_fix": result["cpu"]["service"], "bus_us_per_fix": result["cpu"]["bus"],
                    "service_us_per_delivery": result["cpu"]["service"] / count,
                    "bytes_per_subscription": (full["private_dirty_kb"] - empty["private_dirty_kb"]) * 1024 / count,
                    "empty": empty, "full": full, "used": used, "after": after,
                })
    return rows
