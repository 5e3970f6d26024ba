#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of a fix with a thousand regions to its cost with as many subscriptions.

    regions.py [--count 1000] [--fixes 100] [--json FILE] [--no-build]

Both belong to ten users, each with an agent, and the real polkit decides. The regions' borders are from a few metres to a few
kilometres away. Needs root. The aim is at most twice the processor time.
"""

import json
import select
import threading

import rig
from rig import CONFIGURATION, MANAGER, PROPERTIES, SERVICE, Driver, expect, wait_until, wire
from desktop import POLKIT, Desktop

# System users that exist everywhere.
USERS = (2, 3, 5, 6, 7, 8, 9, 10, 13, 65534)
# The limits per connection.
KINDS = {"Subscription": 16, "Region": 20}
# Calls that may be pending, fewer than a connection is allowed.
BATCH = 8


class TenUsers(Desktop):
    """Without the limits on calls and on objects of one user."""

    configuration = CONFIGURATION

    def create(self, kind, count):
        """Returns connections of the ten users that have started this many objects."""
        peers, begun = [], []
        for index in range(count):
            if index % KINDS[kind] == 0:
                peers.append(wire.Peer(self.address, USERS[len(peers) % len(USERS)]))
            options = {}
            if kind == "Region":
                options = {"latitude": ("d", 52.5163 + index / 20_000), "longitude": ("d", 13.3777), "radius": ("d", 100.0 + index)}
            path = expect(peers[-1].call(SERVICE, MANAGER, SERVICE, f"Create{kind}", "a{sv}", [options]))[0]
            # Does not wait for each call: the user's other connections, which do not answer now, delay the decision.
            peers[-1].begin(SERVICE, path, f"{SERVICE}.{kind}", "Start")
            begun.append((peers[-1], path))
            if len(begun) == BATCH or index + 1 == count:
                for peer, started in begun:
                    # A refused object costs nothing and would distort the measurement.
                    wait_until(f"{started} is active", lambda: is_active(peer, kind, started))
                begun.clear()
        return peers


class Readers(threading.Thread):
    """Reads what clients receive and answers calls, as the libraries of real clients do, until it is closed."""

    def __init__(self, peers):
        super().__init__(daemon=True)
        self.peers = {peer.socket.fileno(): peer for peer in peers}
        self.is_closed = False
        self.start()

    def run(self):
        poll = select.poll()
        for descriptor in self.peers:
            poll.register(descriptor, select.POLLIN)
        while not self.is_closed:
            for descriptor, _ in poll.poll(100):
                peer = self.peers[descriptor]
                while message := peer.receive(0):
                    if message.kind == wire.CALL:
                        peer.send(
                            wire.ERROR, destination=message.fields[wire.SENDER], reply=message.serial,
                            error="org.freedesktop.DBus.Error.UnknownMethod")

    def close(self):
        self.is_closed = True
        self.join()
        for peer in self.peers.values():
            peer.close()


def is_active(peer, kind, path):
    properties = expect(peer.call(SERVICE, path, PROPERTIES, "GetAll", "s", [f"{SERVICE}.{kind}"]))[0]
    return properties["Active"] and properties["AuthorizationStatus"].startswith("authorized")


def measure(count, fixes):
    with TenUsers("dbus-broker", people=USERS) as machine:
        machine.wait_for_name(POLKIT, machine.polkit)
        driver = machine.enter_context(Driver(machine))
        for name, process in ("geoclue", machine.geoclue.pid), ("bus", machine.bus_process), ("service", machine.service.pid):
            driver.tell("watch", name, process)
        # One subscription keeps the source active and shows when a fix has arrived.
        driver.tell("join", "service", 1)

        def cost():
            # Warm up the caches.
            driver.tell("fixes", 5)
            return driver.tell("fixes", fixes)["cpu"]["service"]

        costs = {"one": cost()}
        observer = wire.Peer(machine.address)
        for kind in KINDS:
            peers = machine.create(kind, count)
            readers = Readers(peers)
            costs[kind] = cost() - costs["one"]
            readers.close()
            wait_until("nothing is left", lambda: len(expect(
                observer.call(SERVICE, MANAGER, SERVICE, "ListSubscriptions"))[0]) == 1)
        return costs


def main():
    parser = rig.parser(__doc__, "regions.json")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--fixes", type=int, default=100)
    options = parser.parse_args()
    if not options.no_build:
        rig.build()
    costs = measure(options.count, options.fixes)
    ratio = costs["Region"] / costs["Subscription"]
    print(f"{options.count} subscriptions {costs['Subscription']:,.0f} µs a fix, {options.count} regions "
          f"{costs['Region']:,.0f} µs: {ratio:.2f} times (aim: at most 2)")
    options.json.write_text(json.dumps({**costs, "ratio": ratio}, indent=1) + "\n")


main()
