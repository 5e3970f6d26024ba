#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of a fix with a thousand regions to its cost with as many subscriptions.

    regions.py [--count 1000] [--fixes 100] [--json FILE] [--no-build]

Both belong to ten users, each with an agent, and the real polkit decides. The regions' borders are from a few metres to a few
kilometres away. Needs root. The aim is at most twice the processor time.
"""

import argparse
import json
import pathlib
import subprocess

from rig import CONFIGURATION, SERVICE, TOP, wait_until
from soaking.machine import POLKIT, SoakMachine

import wire

# System users that exist everywhere.
USERS = (2, 3, 5, 6, 7, 8, 9, 10, 13, 65534)
MANAGER_PATH = "/org/geopublicist/Location1"
# The locations of this many fixes fit into the sockets of clients that do not read meanwhile.
FIXES_AT_ONCE = 10
# The limits per connection.
KINDS = {"Subscription": 16, "Region": 20}


class TenUsers(SoakMachine):
    """A machine without limits on the calls and objects of one user."""

    configuration = CONFIGURATION

    def create(self, kind, count):
        """Returns connections of the ten users that have started this many objects."""
        peers = []
        for index in range(count):
            if index % KINDS[kind] == 0:
                peers.append(wire.Peer(self.address, USERS[len(peers) % len(USERS)]))
            peer, options = peers[-1], {}
            if kind == "Region":
                options = {"latitude": ("d", 52.5163 + index / 20_000), "longitude": ("d", 13.3777), "radius": ("d", 100.0 + index)}
            path = done(peer.call(SERVICE, MANAGER_PATH, SERVICE, f"Create{kind}", "a{sv}", [options]))[0]
            done(peer.call(SERVICE, path, f"{SERVICE}.{kind}", "Start"))
            # A refused object costs nothing and would distort the measurement.
            wait_until(f"{path} is authorized", lambda: is_authorized(peer, kind, path))
        return peers


def done(answer):
    if answer is None or answer.kind != wire.REPLY:
        raise SystemExit(f"refused: {answer.arguments() if answer else 'no answer'}")
    return answer.arguments()


def is_authorized(peer, kind, path):
    status = done(peer.call(
        SERVICE, path, "org.freedesktop.DBus.Properties", "Get", "ss", [f"{SERVICE}.{kind}", "AuthorizationStatus"]))
    return status[0].startswith("authorized")


def measure(count, fixes):
    with TenUsers("dbus-broker", people=USERS) as machine:
        machine.wait_for_name(POLKIT, machine.polkit)
        driver = machine.start_driver()
        for name, process in ("geoclue", machine.geoclue.pid), ("bus", machine.bus_process), ("service", machine.service.pid):
            driver.tell("watch", name, process)
        # One subscription keeps the source active and shows when a fix has arrived.
        driver.tell("join", "service", 1)

        def cost(peers):
            costs = []
            for _ in range(1 + fixes // FIXES_AT_ONCE):
                for peer in peers:
                    peer.drain()
                    # A sign of life, without which the service would reduce deliveries.
                    done(peer.call(SERVICE, MANAGER_PATH, "org.freedesktop.DBus.Peer", "Ping"))
                costs.append(driver.tell("fixes", FIXES_AT_ONCE)["cpu"]["service"])
            # Warm up the caches.
            return sum(costs[1:]) / len(costs[1:])

        costs = {"one": cost([])}
        observer = wire.Peer(machine.address)
        for kind in KINDS:
            peers = machine.create(kind, count)
            costs[kind] = cost(peers) - costs["one"]
            for peer in peers:
                peer.close()
            wait_until("nothing is left", lambda: len(done(
                observer.call(SERVICE, MANAGER_PATH, SERVICE, "ListSubscriptions"))[0]) == 1)
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
    ratio = costs["Region"] / costs["Subscription"]
    print(f"{options.count} subscriptions {costs['Subscription']:,.0f} µs a fix, {options.count} regions "
          f"{costs['Region']:,.0f} µs: {ratio:.2f} times (aim: at most 2)")
    options.json.write_text(json.dumps({**costs, "ratio": ratio}, indent=1) + "\n")


main()
