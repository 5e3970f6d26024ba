# SPDX-License-Identifier: Apache-2.0
"""Measures the way from a GPS receiver's sentence to N clients: directly from GeoClue, through the service, and raw."""

import statistics
import time

from rig import Machine

# The processes that do the work for each kind of client. The clients' own cost is not included.
WORKERS = {"geoclue": ("geoclue", "bus"), "service": ("geoclue", "bus", "service"), "raw": ("raw", "bus")}


def measure(broker, counts, rounds, rules=True):
    """Returns a row for each count and kind. The kinds take turns, so that other load on the machine affects all of them."""
    rows = []
    with Machine(broker) as machine:
        driver = machine.start_driver()
        for name, pid in (("bus", machine.bus_process), ("geoclue", machine.start_geoclue().pid),
                          ("service", machine.start_service().pid)):
            driver.tell("watch", name, pid)
        driver.tell("rules", "on" if rules else "off")
        # Without an agent, GeoClue creates no clients. The service registers one when it is first used.
        one_round(driver, "service", 1, 5)
        for count in counts:
            results = {kind: [] for kind in WORKERS}
            for number in range(rounds):
                for kind in ("raw", "service", "geoclue"):
                    results[kind].append(one_round(driver, kind, count, fixes_for(count, rounds)))
                if count >= 100 and number < rounds - 1:
                    # GeoClue cleans up 5 s after its clients' last fixes.
                    time.sleep(6)
            rows += [row(broker, rules, kind, count, results[kind]) for kind in WORKERS]
    return rows


def fixes_for(count, rounds):
    """Returns the fixes per round: at least 30 in total, more if they are quick."""
    return -(-(150 if count <= 100 else 36) // rounds)


def one_round(driver, kind, count, fixes):
    driver.tell("join", kind, count)
    # Warm up the caches.
    driver.tell("fixes", 3)
    result = driver.tell("fixes", fixes)
    driver.tell("leave")
    return result


def row(broker, rules, kind, count, rounds):
    times = sorted(time for result in rounds for time in result["microseconds"])
    cpu = {name: statistics.median(result["cpu"][name] for result in rounds) for name in WORKERS[kind]}
    return {
        "broker": broker, "rules": rules, "kind": kind, "clients": count, "fixes": len(times),
        "median_us": statistics.median(times), "p90_us": times[int(len(times) * 0.9)],
        # The kinds took turns, so comparing the medians of the same round cancels out other load.
        "round_medians_us": [statistics.median(result["microseconds"]) for result in rounds],
        "cpu_us": cpu, "cpu_total_us": sum(cpu.values()),
        "cpu_clients_us": statistics.median(result["cpu"]["clients"] for result in rounds),
    }


def find(rows, broker, kind, count, rules=True):
    for candidate in rows:
        if (candidate["broker"], candidate["kind"], candidate["clients"], candidate["rules"]) == (
                broker, kind, count, rules):
            return candidate
    return None
