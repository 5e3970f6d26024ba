# SPDX-License-Identifier: Apache-2.0
"""Measures the processor time of a call in a client: with sd-bus, and with the library DBus and a handler or a task."""

import statistics
import subprocess

from rig import BUILT

PROGRAMS = {"sd-bus": ("sdbus", "handler"), "sd-bus, blocking": ("sdbus", "blocking"),
            "DBus, handler": ("tasks", "handler"), "DBus, awaited": ("tasks", "awaited")}


def measure(rounds):
    """Returns a row for each program, with medians. Ratios are those within each round, in which the load was the same."""
    times = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, (program, way) in PROGRAMS.items():
            output = subprocess.run(["dbus-run-session", "--", BUILT / program, way], check=True, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout
            times[name].append(float(output))
    base = times["sd-bus"]
    return [{"call": name, "cpu_us": statistics.median(taken),
             "to_sdbus": statistics.median(own / theirs for own, theirs in zip(taken, base))}
            for name, taken in times.items()]
