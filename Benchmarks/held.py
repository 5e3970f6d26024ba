#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures for how many seconds per hour a GeoClue client is active, based on GeoClue's debug messages.

    held.py [--minutes 60] [--json FILE] [--no-build] [SCENARIO…]

Each scenario has its own bus, GeoClue and service, and a receiver that reports one fix per second: immediately, after
45 s, or never. All scenarios run at the same time. In one of them the clients use GeoClue directly. The initial phase,
in which every client waits for its first location, is measured separately and not part of the hour.
"""

import json
import re
import subprocess
import time

import rig
from rig import GEOCLUE, MANAGER, PROPERTIES, RIG, SERVICE, Machine, expect, log_of, wait_until, wire

# By then, every client has its first location and has released the source. Regions wait for confirmation.
BEGINNING = 90


def subscription(**options):
    return "CreateSubscription", "Subscription", options


def region(kilometres, radius=200.0):
    """Returns a region whose border is this many kilometres from the receiver."""
    north = 52.5163 + (kilometres + radius / 1_000) / 111.195
    return "CreateRegion", "Region", {"latitude": ("d", north), "longitude": ("d", 13.3777), "radius": ("d", radius)}


CLOCK = subscription(**{"time-threshold": ("u", 600_000)})
WEATHER = subscription(mode=("s", "significant"))
FLEET = [
    CLOCK, CLOCK, WEATHER, WEATHER, subscription(accuracy=("s", "country")), subscription(accuracy=("s", "city")),
    subscription(**{"time-threshold": ("u", 1_800_000)}), region(50), region(100), region(10),
]
# The clients, the largest share of an hour in percent, and the seconds that the receiver needs for its first fix.
SCENARIOS = {
    "clock": ([CLOCK], 5, 0), "weather": ([WEATHER], 5, 0), "almanac": ([("CreateAlmanac", "Almanac", {})], 0.14, 0),
    "region": ([region(50)], 3, 0), "far": ([region(200)], 5, 0),
    "fleet": (FLEET, None, 0), "direct": (None, 100, 0),
    # At most 65 s each.
    "slow-clock": ([CLOCK], 65 * 6 / 36, 45), "slow-weather": ([WEATHER], 5, 45), "slow-far": ([region(200)], 5, 45),
    "never": ([CLOCK, WEATHER, region(50)], 10, 1e6),
}


class Scenario(Machine):
    """A bus with its clients."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.clients, self.aim, self.wait = SCENARIOS[name]

    def begin(self):
        place = "52.5163,13.3777,34"
        self.start([RIG / "nmea.py", self.nmea, place, place, "1", str(self.wait)])
        self.geoclue = self.start_geoclue()
        if self.clients is None:
            self.agent = self.start([RIG / "geoclue-agent.py", self.address, "8"], subprocess.PIPE)
            wait_until("the agent is registered", lambda: "registered" in log_of(self.agent))
            self.peers = [self.connect_directly(index) for index in range(10)]
        else:
            self.start_service()
            self.peers = [self.connect(*client) for client in self.clients]

    def connect(self, create, interface, options):
        peer = wire.Peer(self.address)
        path = expect(peer.call(SERVICE, MANAGER, SERVICE, create, "a{sv}", [options]))[0]
        expect(peer.call(SERVICE, path, f"{SERVICE}.{interface}", "Start"))
        return peer

    def connect_directly(self, index):
        peer = wire.Peer(self.address)
        path = expect(peer.call(GEOCLUE, "/org/freedesktop/GeoClue2/Manager", f"{GEOCLUE}.Manager", "CreateClient"))[0]
        for name, value in (("DesktopId", ("s", f"org.example.Client{index}")), ("RequestedAccuracyLevel", ("u", 8))):
            expect(peer.call(GEOCLUE, path, PROPERTIES, "Set", "ssv", [f"{GEOCLUE}.Client", name, value]))
        expect(peer.call(GEOCLUE, path, f"{GEOCLUE}.Client", "Start"))
        return peer

    def drain(self):
        for peer in self.peers:
            peer.drain()

    def held(self, begin, end):
        """Returns the seconds between two times since midnight of the first day during which the receiver was used."""
        text = log_of(self.geoclue)
        changes, last = [], 0.0
        for hours, minutes, seconds, word in re.findall(
                r"(\d\d):(\d\d):(\d\d\.\d+): \S*NMEA\S* now (active|inactive)", text):
            moment = int(hours) * 3_600 + int(minutes) * 60 + float(seconds)
            # The messages contain no date.
            while moment < last:
                moment += 86_400
            last = moment
            changes.append((moment, word == "active"))
        total, since = 0.0, None
        for moment, is_active in [*changes, (end, False)]:
            if since is not None:
                total += max(0.0, min(moment, end) - max(since, begin))
            since = moment if is_active else None
        return total, len(changes)


def midnight():
    """Returns the start of the day in the unit of time.time()."""
    day = time.localtime()
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))


def main():
    parser = rig.parser(__doc__, "held.json")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    options = parser.parse_args()
    if not options.no_build:
        rig.build()
    scenarios = [Scenario(name) for name in options.scenarios or SCENARIOS]
    day = midnight()
    try:
        for scenario in scenarios:
            scenario.begin()
        begun = time.time() - day
        wait(scenarios, BEGINNING)
        begin = time.time() - day
        wait(scenarios, options.minutes * 60)
        end = time.time() - day
        results = {}
        for scenario in scenarios:
            seconds, changes = scenario.held(begin, end)
            first, _ = scenario.held(begun, begin)
            share = seconds / (end - begin)
            results[scenario.name] = {"share": share, "seconds_per_hour": share * 3_600, "changes": changes, "beginning": first}
            aim = "" if scenario.aim is None else f"  aim {scenario.aim:.3g} %"
            print(f"{scenario.name:12} {share * 3_600:7.1f} s/h  {share * 100:6.2f} %  {first:5.1f} s of the first {BEGINNING}{aim}")
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    finally:
        for scenario in scenarios:
            scenario.close()


def wait(scenarios, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        for scenario in scenarios:
            scenario.drain()


main()
