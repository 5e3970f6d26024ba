#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of almanacs and how closely a place can be derived from them.

    almanac.py [--places 40] [--json FILE] [--no-build]

Fits a place to the times in a week's forecast and compares it with the user's place and with the centre of the cell.
Also measures the time until a service that was just started, without any source, answers `GetAlmanac` from the record
of the last place, and the service's memory before an almanac and after its table of towns has been released.
"""

import json
import math
import random
import time

import rig
from rig import BUILT, MANAGER, PROPERTIES, SERVICE, TOP, Machine, expect, memory, wire

# In seconds; the service releases the table a minute after it was last used.
RELEASE = 75


def sun(time):
    """Returns right ascension minus sidereal time at Greenwich, and declination, in degrees. Uses the low-precision
    formulas of the Astronomical Almanac, which are accurate to a hundredth of a degree."""
    days = time / 86_400 - 10_957.5
    anomaly = math.radians(357.528 + 0.9856003 * days)
    longitude = math.radians(280.46 + 0.9856474 * days + 1.915 * math.sin(anomaly) + 0.02 * math.sin(2 * anomaly))
    obliquity = math.radians(23.439 - 4e-7 * days)
    ascension = math.degrees(math.atan2(math.cos(obliquity) * math.sin(longitude), math.cos(longitude)))
    return ascension - 280.46061837 - 360.98564736629 * days, math.asin(math.sin(obliquity) * math.sin(longitude))


def altitude(place, time):
    """Returns degrees."""
    meridian, declination = sun(time)
    latitude, hour = math.radians(place[0]), math.radians(place[1] - meridian)
    return math.degrees(math.asin(
        math.sin(latitude) * math.sin(declination) + math.cos(latitude) * math.cos(declination) * math.cos(hour)))


def fit(times):
    """Returns the place at which the sun's altitudes at these times come nearest to those of the phases' borders."""
    def misses(place):
        # In minutes, so that each time counts the same.
        return [(altitude(place, time) - limit) / max(0.02, abs(altitude(place, time + 30) - altitude(place, time - 30)))
                for time, limit in times]

    best = None
    for latitude in range(-60, 61, 20):
        for longitude in range(-165, 180, 30):
            place = [float(latitude), float(longitude)]
            for _ in range(30):
                error = misses(place)
                rows = [[(a - b) / 1e-4 for a, b in zip(misses([place[0] + (axis == 0) * 1e-4, place[1] + (axis == 1) * 1e-4]), error)]
                        for axis in (0, 1)]
                aa, ab, bb = (sum(x * y for x, y in zip(rows[i], rows[j])) for i, j in ((0, 0), (0, 1), (1, 1)))
                ra, rb = (sum(x * y for x, y in zip(row, error)) for row in rows)
                if abs(determinant := aa * bb - ab * ab) < 1e-12:
                    break
                step = ((bb * ra - ab * rb) / determinant, (aa * rb - ab * ra) / determinant)
                place = [max(-66, min(66, place[0] - max(-10, min(10, step[0])))), place[1] - max(-20, min(20, step[1]))]
                if max(map(abs, step)) < 1e-6:
                    break
            cost = sum(x * x for x in misses(place))
            if best is None or cost < best[0]:
                best = cost, place
    return best[1][0], (best[1][1] + 180) % 360 - 180


def distance(a, b):
    """Returns kilometres."""
    latitudes, longitudes = math.radians(b[0] - a[0]), math.radians(b[1] - a[1])
    half = math.sin(latitudes / 2) ** 2 + math.cos(math.radians(a[0])) * math.cos(math.radians(b[0])) * math.sin(longitudes / 2) ** 2
    return 2 * 6_371 * math.asin(math.sqrt(min(1, half)))


def ask(address, member, options, at=MANAGER):
    peer = wire.Peer(address)
    answer = expect(peer.call(SERVICE, at, SERVICE, member, "a{sv}", [options]))[0]
    peer.close()
    return answer


def inversion(places):
    limits = {"twilight-evening": -50 / 60, "day": -50 / 60, "night": -6, "twilight-morning": -6}
    rows = []
    random.seed(7)
    with Machine() as machine:
        for _ in range(places):
            user = round(random.uniform(-58, 58), 5), round(random.uniform(-180, 180), 5)
            service = machine.start(
                [BUILT / "geopublicistd", "--session", "--address", machine.address, "--at", f"{user[0]},{user[1]}"])
            machine.wait_for_name(SERVICE, service)
            almanac = ask(machine.address, "GetAlmanac", {})
            location = ask(machine.address, "GetLocation", {"accuracy": ("s", "city")})
            rig.end(service)
            times = [(start[0], limits[phase]) for phase, start in almanac["Forecast"][1:] if phase in limits]
            found, center = fit(times), (location["Latitude"], location["Longitude"])
            rows.append((distance(found, center), distance(found, user), distance(center, user)))
    middle = [sorted(column)[len(rows) // 2] for column in zip(*rows)]
    nearer = sum(found < center for _, found, center in rows)
    print(f"{len(rows)} forecasts inverted: half of the results within {middle[0]:.1f} km of the cell's centre; from the user, half "
          f"within {middle[1]:.1f} km (the centre: {middle[2]:.1f} km); nearer to the user than the centre: {nearer}")
    return {"from_center_km": middle[0], "from_user_km": middle[1], "center_from_user_km": middle[2], "nearer": nearer}


def remembered(count=20):
    rows = []
    with Machine() as machine:
        state = machine.folder / "state"
        state.mkdir()
        (state / "0").write_text(f"city 52.46606334841629 13.368983957219251 15000 {int(time.time()) - 3600} 0 0\n")
        for _ in range(count):
            service = machine.start_service(STATE_DIRECTORY=str(state), XDG_DATA_DIRS=str(TOP / ".build/share"))
            peer = wire.Peer(machine.address)
            status = expect(peer.call(SERVICE, MANAGER, PROPERTIES, "Get", "ss", [SERVICE, "AuthorizationStatus"]))[0]
            begin = time.perf_counter()
            almanac = expect(peer.call(SERVICE, MANAGER, SERVICE, "GetAlmanac", "a{sv}", [{"maximum-age": ("u", 2**32 - 1)}]))[0]
            rows.append((time.perf_counter() - begin) * 1_000)
            if status != "authorized-always" or "Remembered" not in almanac or "TimeZone" not in almanac:
                raise rig.Failure(f"{status}: {almanac}")
            peer.close()
            rig.end(service)
    rows.sort()
    print(f"GetAlmanac of a new service without a source: {rows[len(rows) // 2]:.1f} ms, at most {rows[-1]:.1f} ms ({count} times)")
    return {"median_ms": rows[len(rows) // 2], "worst_ms": rows[-1]}


def resident():
    with Machine() as machine:
        state = machine.folder / "state"
        state.mkdir()
        (state / "0").write_text(f"city 52.46606334841629 13.368983957219251 15000 {int(time.time()) - 3600} 0 0\n")
        service = machine.start_service(STATE_DIRECTORY=str(state), XDG_DATA_DIRS=str(TOP / ".build/share"))
        options = {"accuracy": ("s", "city"), "maximum-age": ("u", 2**32 - 1)}
        # The arguments of every call.
        for _ in range(10):
            ask(machine.address, "GetLocation", options)
        time.sleep(3)
        before = memory(service.pid)
        for _ in range(10):
            ask(machine.address, "GetAlmanac", {"maximum-age": ("u", 2**32 - 1)})
        during = memory(service.pid)
        time.sleep(RELEASE)
        after = memory(service.pid)
    text = {name: ", ".join(f"{row[f'{name}_kb']:,} kB" for row in (before, during, after)) for name in ("rss", "private_dirty")}
    print(f"Memory before an almanac, with the table, after its release: resident {text['rss']}; private {text['private_dirty']}")
    return {"before": before, "during": during, "after": after}


def main():
    parser = rig.parser(__doc__, "almanac.json")
    parser.add_argument("--places", type=int, default=40)
    options = parser.parse_args()
    if not options.no_build:
        rig.build()
    results = {"inversion": inversion(options.places), "remembered": remembered(), "memory": resident()}
    options.json.write_text(json.dumps(results, indent=1) + "\n")


main()
