#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the service, GeoClue alone and the raw limit of D-Bus on private buses, without a network.

    bench.py [--quick] [--only fanout,calls,overhead,presence,growth] [--json FILE] [--no-build]

Prints tables and whether the aims are met, and writes all results to .build/bench.json.
"""

import json
import os
import pathlib
import platform
import time

import calls
import fanout
import growth
import overhead
import presence
import report
import rig

PARTS = ("fanout", "calls", "overhead", "presence", "growth")


def main():
    parser = rig.parser(__doc__, "bench.json")
    parser.add_argument("--quick", action="store_true", help="a reduced set of measurements, in two minutes")
    parser.add_argument("--only", default=",".join(PARTS), help="the parts to measure")
    options = parser.parse_args()
    if not options.no_build:
        rig.build()
    begun = time.monotonic()
    results = measure(set(options.only.split(",")), options.quick)
    results["aims"] = report.aims(results)
    if results["aims"]:
        print(report.aims_table(results["aims"]))
    results["seconds"] = round(time.monotonic() - begun)
    options.json.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{results['seconds']} s; results are in {options.json}")


def measure(parts, quick):
    results = {"machine": machine(), "fanout": []}
    print(f"{results['machine']['processor']}, {results['machine']['cores']} cores, load {results['machine']['load']}\n")
    if "fanout" in parts:
        if quick:
            results["fanout"] = fanout.measure("dbus-daemon", (1, 100), 2)
        else:
            for broker in ("dbus-daemon", "dbus-broker"):
                results["fanout"] += fanout.measure(broker, (1, 10, 100, 500), 3)
            # dbus-daemon compares every message with every rule for its interface. Without rules, the other costs
            # are easier to see.
            results["fanout"] += fanout.measure("dbus-daemon", (1, 100), 2, rules=False)
        print(report.fanout_table(results["fanout"]), flush=True)
    if "calls" in parts:
        results["calls"] = [row for broker in (("dbus-daemon",) if quick else ("dbus-daemon", "dbus-broker"))
                            for row in calls.measure(broker, 2_000, 2)]
        print(report.calls_table(results["calls"]), flush=True)
    if "overhead" in parts:
        results["overhead"] = overhead.measure(3 if quick else 9)
        print(report.overhead_table(results["overhead"]), flush=True)
    if "presence" in parts:
        results["presence"] = presence.measure(*((5, 5) if quick else (21, 30)))
        print(report.presence_table(results["presence"]), flush=True)
    if "growth" in parts:
        results["growth"] = growth.measure((1, 10, 100, 1000) if quick else (1, 10, 100, 1000, 4000), 10)
        print(report.growth_table(results["growth"]), flush=True)
    return results


def machine():
    models = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    return {"processor": models[0] if models else platform.machine(), "cores": os.cpu_count(),
            "kernel": platform.release(), "load": [round(load, 1) for load in os.getloadavg()]}


if __name__ == "__main__":
    main()
