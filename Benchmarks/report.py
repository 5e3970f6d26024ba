# SPDX-License-Identifier: Apache-2.0
"""Formats results as tables and compares them with the aims."""

import statistics

import fanout


def table(title, head, rows):
    cells = [head, *[[text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) if number == 0 else cell.rjust(width)
                       for number, (cell, width) in enumerate(zip(row, widths))) for row in cells]
    return "\n".join([title, *lines]) + "\n"


def text(cell):
    return f"{cell:,.0f}" if isinstance(cell, float) and abs(cell) >= 100 else f"{cell:.3g}" if isinstance(cell, float) else str(cell)


NAMES = {"geoclue": "GeoClue directly", "service": "service", "raw": "raw limit"}


def fanout_table(rows):
    return table(
        "Fan-out: time from writing the sentence until all clients have its coordinates, and processor time per fix (µs)",
        ["clients", "bus", "rules", "way", "median", "p90", "GeoClue", "the bus", "sender", "together"],
        [[str(row["clients"]), row["broker"], "yes" if row["rules"] else "no", NAMES[row["kind"]], row["median_us"],
          row["p90_us"], row["cpu_us"].get("geoclue", 0.0), row["cpu_us"]["bus"],
          row["cpu_us"].get("service", row["cpu_us"].get("raw", 0.0)), row["cpu_total_us"]] for row in rows])


def calls_table(rows):
    return table("Consecutive calls (µs)", ["call", "bus", "calls", "p50", "p99"],
                 [[row["call"], row["broker"], row["calls"], row["p50_us"], row["p99_us"]] for row in rows])


def overhead_table(rows):
    return table("Processor time of a call in the client", ["client", "µs", "to sd-bus"],
                 [[row["call"], row["cpu_us"], row["to_sdbus"]] for row in rows])


def presence_table(rows):
    columns = [
        ("resident, KiB", "rss_kb"), ("proportional, KiB", "pss_kb"), ("private dirty, KiB", "private_dirty_kb"),
        ("threads", "threads"), ("wake-ups per minute, idle", "wakeups_idle"),
        ("wake-ups per minute, one subscriber at 1 Hz", "wakeups_1hz"), ("start to name, µs", "start_us"),
        ("program, bytes", "binary_bytes")]
    return table("Presence", ["", "geopublicistd", "geoclue"],
                 [[title, rows["service"][key], rows["geoclue"][key]] for title, key in columns])


def growth_table(rows):
    return table(
        "Growth, each count twice",
        ["clients", "joined, s", "service µs/fix", "µs/delivery", "bytes/subscription", "empty, KiB", "full", "used", "after"],
        [[f"{row['clients']} ({row['cycle']})", row["join_s"], row["service_us_per_fix"], row["service_us_per_delivery"],
          row["bytes_per_subscription"], *[row[moment]["private_dirty_kb"] for moment in ("empty", "full", "used", "after")]]
         for row in rows])


def aims(results):
    """Returns the aims with the measured values."""
    found = []

    def aim(name, measured, wanted, met, unit=""):
        found.append({"aim": name, "measured": measured, "wanted": f"{wanted}{unit}", "met": bool(met)})

    for broker in dict.fromkeys(row["broker"] for row in results["fanout"]):
        for rules in dict.fromkeys(row["rules"] for row in results["fanout"] if row["broker"] == broker):
            def row(kind, count):
                return fanout.find(results["fanout"], broker, kind, count, rules)
            where = broker + ("" if rules else ", no match rules")
            if row("service", 100):
                sooner = row("geoclue", 100)["median_us"] / row("service", 100)["median_us"]
                cheaper = row("geoclue", 100)["cpu_total_us"] / row("service", 100)["cpu_total_us"]
                aim(f"N=100 faster than GeoClue directly ({where})", sooner, "≥ 5", sooner >= 5, " times")
                aim(f"N=100 less processor time than GeoClue directly ({where})", cheaper, "≥ 8", cheaper >= 8, " times")
            if row("service", 1):
                # Compare by round, in which the other load was the same for both.
                later = statistics.median(
                    ours / theirs for ours, theirs in
                    zip(row("service", 1)["round_medians_us"], row("geoclue", 1)["round_medians_us"]))
                aim(f"N=1 time relative to GeoClue directly ({where})", later, "≤ 1.6", later <= 1.6, " times")
            for count in (100, 500):
                if row("service", count):
                    ratio = row("service", count)["cpu_us"]["service"] / row("raw", count)["cpu_us"]["raw"]
                    aim(f"N={count} processor time relative to the raw sender ({where})", ratio, "≤ 2", ratio <= 2, " times")
    for row in results.get("overhead", []):
        if row["call"].startswith("DBus"):
            ratio = row["to_sdbus"]
            aim(f"processor time of a call relative to sd-bus ({row['call']})", ratio, "≤ 3", ratio <= 3, " times")
    if service := results.get("presence", {}).get("service"):
        aim("resident memory", service["rss_kb"] / 1024, "≤ 12", service["rss_kb"] <= 12 * 1024, " MiB")
        aim("threads", service["threads"], "1", service["threads"] == 1)
        aim("wake-ups per minute, idle", service["wakeups_idle"], "0", service["wakeups_idle"] == 0)
        aim("start to name", service["start_us"] / 1000, "≤ 10", service["start_us"] <= 10_000, " ms")
    if growth := results.get("growth"):
        per_delivery = [row["service_us_per_delivery"] for row in growth if row["clients"] >= 100]
        if per_delivery:
            spread = max(per_delivery) / min(per_delivery)
            aim("growth of processor time is linear (maximum to minimum per delivery, N ≥ 100)", spread, "≤ 2", spread <= 2)
        most = max(row["clients"] for row in growth)
        first, second = (row for row in growth if row["clients"] == most)
        kept = first["after"]["private_dirty_kb"] - growth[0]["empty"]["private_dirty_kb"]
        aim(f"private memory kept after {most} clients have left", kept, "≤ 512", kept <= 512, " KiB")
        again = second["after"]["private_dirty_kb"] - first["after"]["private_dirty_kb"]
        aim(f"private memory added when {most} clients have left again", again, "≤ 64", again <= 64, " KiB")
    return found


def aims_table(found):
    return table("Aims", ["", "measured", "aim", ""],
                 [[entry["aim"], float(entry["measured"]), entry["wanted"], "met" if entry["met"] else "MISSED"]
                  for entry in found])
