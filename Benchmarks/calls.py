# SPDX-License-Identifier: Apache-2.0
"""Measures consecutive calls: a property and a cached location, compared with a GeoClue property and the raw limit."""

from rig import BUILT, SERVICE, Machine, end

CALLS = ("raw-get", "service-get", "geoclue-get", "raw-location", "service-location")


def measure(broker, count, rounds):
    times = {name: [] for name in CALLS}
    with Machine(broker) as machine:
        driver = machine.start_driver()
        machine.start_geoclue()
        for _ in range(rounds):
            # Calls need a bus name, so the raw responder owns the service's name while the service is not running.
            raw = machine.start([BUILT / "raw", machine.address, "respond"])
            machine.wait_for_name(SERVICE, raw)
            for name in ("raw-get", "raw-location"):
                times[name] += driver.tell("calls", name.removeprefix("raw-"), count // rounds)["microseconds"]
            end(raw)
            service = machine.start_service()
            # A subscriber makes a fix available.
            driver.tell("join", "service", 1)
            driver.tell("fix")
            for name in ("service-get", "service-location"):
                times[name] += driver.tell("calls", name.removeprefix("service-"), count // rounds)["microseconds"]
            times["geoclue-get"] += driver.tell("calls", "geoclue-get", count // rounds)["microseconds"]
            driver.tell("leave")
            end(service)
    return [row(broker, name, sorted(times[name])) for name in CALLS]


def row(broker, name, times):
    return {"broker": broker, "call": name, "calls": len(times), "p50_us": times[len(times) // 2],
            "p99_us": times[int(len(times) * 0.99)]}
