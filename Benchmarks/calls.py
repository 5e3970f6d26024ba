# SPDX-License-Identifier: Apache-2.0
"""One call after the other: a property and a cached fix, against GeoClue's property and the raw limit."""

from rig import BUILT, SERVICE, Machine, end

CALLS = ("raw-get", "bridge-get", "geoclue-get", "raw-location", "bridge-location")


def measure(broker, count, rounds):
    times = {name: [] for name in CALLS}
    with Machine(broker) as machine:
        driver = machine.start_driver()
        machine.start_geoclue()
        for _ in range(rounds):
            # The bus lets nobody be called who has no name: the raw responder has the service's while that is not there.
            raw = machine.start([BUILT / "raw", machine.address, "respond"])
            machine.wait_for_name(SERVICE, raw)
            for name in ("raw-get", "raw-location"):
                times[name] += driver.tell("calls", name.removeprefix("raw-"), count // rounds)["microseconds"]
            end(raw)
            daemon = machine.start_daemon()
            # A subscriber, so that there is a fix to be had.
            driver.tell("join", "bridge", 1)
            driver.tell("fix")
            for name in ("bridge-get", "bridge-location"):
                times[name] += driver.tell("calls", name.removeprefix("bridge-"), count // rounds)["microseconds"]
            times["geoclue-get"] += driver.tell("calls", "geoclue-get", count // rounds)["microseconds"]
            driver.tell("leave")
            end(daemon)
    return [row(broker, name, sorted(times[name])) for name in CALLS]


def row(broker, name, times):
    return {"broker": broker, "call": name, "calls": len(times), "p50_us": times[len(times) // 2],
            "p99_us": times[int(len(times) * 0.99)]}
