#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a fix costs the service for a thousand regions with what it costs for as many subscriptions.

    regions.py [--count 1000] [--fixes 100] [--json FILE] [--no-build]

The regions have borders from a few metres to a few kilometres away and belong to ten users, each of whom has an agent; the
real polkit decides. Needs root. The aim is no more than twice the processor time.
"""

import argparse
import json
import pathlib
import subprocess

from rig import SERVICE, TOP
from soaking.machine import POLKIT, SoakMachine

import wire

PER_CONNECTION = 20
# Of the system's own users, who exist everywhere.
USERS = (2, 3, 5, 6, 7, 8, 9, 10, 13, 65534)
MANAGER_PATH = "/org/geopublicist/Location1"


def create(machine, count):
    peers = []
    for index in range(count):
        if index % PER_CONNECTION == 0:
            peers.append(wire.Peer(machine.address, USERS[index // PER_CONNECTION % len(USERS)]))
        options = {
            "latitude": ("d", 52.5163 + index / 20_000), "longitude": ("d", 13.3777), "radius": ("d", 100.0 + index)}
        path = done(peers[-1].call(SERVICE, MANAGER_PATH, SERVICE, "CreateRegion", "a{sv}", [options]))[0]
        done(peers[-1].call(SERVICE, path, f"{SERVICE}.Region", "Start"))
    return peers


def done(answer):
    if answer is None or answer.kind != wire.REPLY:
        raise SystemExit(f"refused: {answer.arguments() if answer else 'no answer'}")
    return answer.arguments()


def measure(count, fixes):
    with SoakMachine("dbus-broker", people=USERS) as machine:
        machine.wait_for_name(POLKIT, machine.polkit)
        driver = machine.start_driver()
        for name, process in ("geoclue", machine.geoclue.pid), ("bus", machine.bus_process), ("daemon", machine.daemon.pid):
            driver.tell("watch", name, process)

        def cost(subscriptions):
            driver.tell("join", "bridge", subscriptions)
            # The first ones are those of cold caches.
            driver.tell("fixes", 5)
            return driver.tell("fixes", fixes)["cpu"]["daemon"]

        costs = {"subscriptions": cost(count)}
        driver.tell("leave")
        costs["one"] = cost(1)
        driver.tell("leave")
        peers = create(machine, count)
        # One subscription keeps the source on, and shows when a fix has arrived.
        costs["regions"] = cost(1) - costs["one"]
        for peer in peers:
            peer.close()
        return costs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--fixes", type=int, default=100)
    parser.add_argument("--json", type=pathlib.Path, default=TOP / ".build/regions.json")
    parser.add_argument("--no-build", action="store_true", help="measure what is built already")
    options = parser.parse_args()
    if not options.no_build:
        subprocess.run([TOP / "Benchmarks/build.sh"], check=True)
    costs = measure(options.count, options.fixes)
    ratio = costs["regions"] / costs["subscriptions"]
    print(f"{options.count} subscriptions {costs['subscriptions']:,.0f} µs a fix, {options.count} regions "
          f"{costs['regions']:,.0f} µs: {ratio:.2f} times (aim: at most 2)")
    options.json.write_text(json.dumps({**costs, "ratio": ratio}, indent=1) + "\n")


main()
