# SPDX-License-Identifier: Apache-2.0
"""From one sentence of a GPS receiver to N consumers: directly at GeoClue, through the service, and the raw limit."""

import statistics
import time

from rig import Machine

# Who does the work for which kind of consumer; what the consumers cost themselves is nobody's merit.
WORKERS = {"geoclue": ("geoclue", "bus"), "bridge": ("geoclue", "bus", "daemon"), "raw": ("raw", "bus")}


def measure(broker, counts, rounds, rules=True):
    """A row for each count and kind. All kinds take turns, so that what else the machine does hits each of them."""
    rows = []
    with Machine(broker) as machine:
        driver = machine.start_driver()
        for name, pid in (("bus", machine.bus_process), ("geoclue", machine.start_geoclue().pid),
                          ("daemon", machine.start_daemon().pid)):
            driver.tell("watch", name, pid)
        driver.tell("rules", "on" if rules else "off")
        # The service is the agent without which GeoClue hands out no client; it registers when it is first needed.
        one_round(driver, "bridge", 1, 5)
        for count in counts:
            results = {kind: [] for kind in WORKERS}
            for number in range(rounds):
                for kind in ("raw", "bridge", "geoclue"):
                    results[kind].append(one_round(driver, kind, count, fixes_for(count, rounds)))
                if count >= 100 and number < rounds - 1:
                    # GeoClue clears up 5 s after its clients' last fixes.
                    time.sleep(6)
            rows += [row(broker, rules, kind, count, results[kind]) for kind in WORKERS]
    return rows


def fixes_for(count, rounds):
    """At least 30 in all; more where they are quick."""
    return -(-(150 if count <= 100 else 36) // rounds)


def one_round(driver, kind, count, fixes):
    driver.tell("join", kind, count)
    # The first ones are those of cold caches.
    driver.tell("fixes", 3)
    result = driver.tell("fixes", fixes)
    driver.tell("leave")
    return result


def row(broker, rules, kind, count, rounds):
    times = sorted(time for result in rounds for time in result["microseconds"])
    cpu = {name: statistics.median(result["cpu"][name] for result in rounds) for name in WORKERS[kind]}
    return {
        "broker": broker, "rules": rules, "kind": kind, "consumers": count, "fixes": len(times),
        "median_us": statistics.median(times), "p90_us": times[int(len(times) * 0.9)],
        # The medians of rounds that took turns; comparing those of one round each leaves out what came in between.
        "round_medians_us": [statistics.median(result["microseconds"]) for result in rounds],
        "cpu_us": cpu, "cpu_total_us": sum(cpu.values()),
        "cpu_consumers_us": statistics.median(result["cpu"]["consumers"] for result in rounds),
    }


def find(rows, broker, kind, count, rules=True):
    for candidate in rows:
        if (candidate["broker"], candidate["kind"], candidate["consumers"], candidate["rules"]) == (
                broker, kind, count, rules):
            return candidate
    return None
