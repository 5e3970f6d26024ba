# SPDX-License-Identifier: Apache-2.0
"""Figures as tables, and beside the aims."""

import statistics

import fanout


def table(title, head, rows):
    cells = [head, *[[text(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [title, "  ".join(cell.ljust(width) if number == 0 else cell.rjust(width)
                              for number, (cell, width) in enumerate(zip(head, widths)))]
    for row in cells[1:]:
        lines.append("  ".join(cell.ljust(width) if number == 0 else cell.rjust(width)
                               for number, (cell, width) in enumerate(zip(row, widths))))
    return "\n".join(lines) + "\n"


def text(cell):
    return f"{cell:,.0f}" if isinstance(cell, float) and abs(cell) >= 100 else f"{cell:.3g}" if isinstance(cell, float) else str(cell)


NAMES = {"geoclue": "at GeoClue", "bridge": "through us", "raw": "raw limit"}


def fanout_table(rows):
    return table(
        "Fan-out: from the sentence written until all hold its coordinates; processor time a fix (µs)",
        ["consumers", "bus", "rules", "way", "median", "p90", "GeoClue", "the bus", "sender", "together"],
        [[str(row["consumers"]), row["broker"], "yes" if row["rules"] else "no", NAMES[row["kind"]], row["median_us"],
          row["p90_us"], row["cpu_us"].get("geoclue", 0.0), row["cpu_us"]["bus"],
          row["cpu_us"].get("daemon", row["cpu_us"].get("raw", 0.0)), row["cpu_total_us"]] for row in rows])


def calls_table(rows):
    return table("Calls, one after the other (µs)", ["call", "bus", "calls", "p50", "p99"],
                 [[row["call"], row["broker"], row["calls"], row["p50_us"], row["p99_us"]] for row in rows])


def presence_table(rows):
    columns = [
        ("resident, KiB", "rss_kb"), ("proportional, KiB", "pss_kb"), ("private dirty, KiB", "private_dirty_kb"),
        ("threads", "threads"), ("wake-ups a minute, idle", "wakeups_idle"),
        ("wake-ups a minute, one subscriber at 1 Hz", "wakeups_1hz"), ("start to name, µs", "start_us"),
        ("program, bytes", "binary_bytes")]
    return table("Being there", ["", "geopublicistd", "geoclue"],
                 [[title, rows["service"][key], rows["geoclue"][key]] for title, key in columns])


def growth_table(rows):
    return table(
        "Growth, each count twice",
        ["consumers", "joined, s", "daemon µs/fix", "µs/delivery", "bytes/subscription", "empty, KiB", "full", "used", "after"],
        [[f"{row['consumers']} ({row['cycle']})", row["join_s"], row["daemon_us_per_fix"], row["daemon_us_per_delivery"],
          row["bytes_per_subscription"], *[row[moment]["private_dirty_kb"] for moment in ("empty", "full", "used", "after")]]
         for row in rows])


def aims(results):
    """What was to be reached, and what was."""
    found = []

    def aim(name, measured, wanted, met, unit=""):
        found.append({"aim": name, "measured": measured, "wanted": f"{wanted}{unit}", "met": bool(met)})

    for broker in dict.fromkeys(row["broker"] for row in results["fanout"]):
        for rules in dict.fromkeys(row["rules"] for row in results["fanout"] if row["broker"] == broker):
            def row(kind, count):
                return fanout.find(results["fanout"], broker, kind, count, rules)
            where = broker + ("" if rules else ", no match rules")
            if row("bridge", 100):
                sooner = row("geoclue", 100)["median_us"] / row("bridge", 100)["median_us"]
                cheaper = row("geoclue", 100)["cpu_total_us"] / row("bridge", 100)["cpu_total_us"]
                aim(f"N=100 sooner than at GeoClue ({where})", sooner, "≥ 5", sooner >= 5, " times")
                aim(f"N=100 processor time less than at GeoClue ({where})", cheaper, "≥ 8", cheaper >= 8, " times")
            if row("bridge", 1):
                # Round by round: what else the machine did then was the same for both.
                later = statistics.median(
                    ours / theirs for ours, theirs in
                    zip(row("bridge", 1)["round_medians_us"], row("geoclue", 1)["round_medians_us"]))
                aim(f"N=1 time of direct ({where})", later, "≤ 1.3", later <= 1.3, " times")
            for count in (100, 500):
                if row("bridge", count):
                    ratio = row("bridge", count)["cpu_us"]["daemon"] / row("raw", count)["cpu_us"]["raw"]
                    aim(f"N={count} sender's time of the raw sender's ({where})", ratio, "≤ 2", ratio <= 2, " times")
    if service := results.get("presence", {}).get("service"):
        aim("resident memory", service["rss_kb"] / 1024, "≤ 9", service["rss_kb"] <= 9 * 1024, " MiB")
        aim("threads", service["threads"], "1", service["threads"] == 1)
        aim("wake-ups a minute, idle", service["wakeups_idle"], "0", service["wakeups_idle"] == 0)
        aim("start to the name", service["start_us"] / 1000, "≤ 10", service["start_us"] <= 10_000, " ms")
    if growth := results.get("growth"):
        per_delivery = [row["daemon_us_per_delivery"] for row in growth if row["consumers"] >= 100]
        if per_delivery:
            spread = max(per_delivery) / min(per_delivery)
            aim("growth of processor time is linear (most to least a delivery, N ≥ 100)", spread, "≤ 2", spread <= 2)
        most = max(row["consumers"] for row in growth)
        first, second = (row for row in growth if row["consumers"] == most)
        kept = first["after"]["private_dirty_kb"] - growth[0]["empty"]["private_dirty_kb"]
        aim(f"private memory kept when {most} have gone", kept, "≤ 512", kept <= 512, " KiB")
        again = second["after"]["private_dirty_kb"] - first["after"]["private_dirty_kb"]
        aim(f"private memory kept when {most} have gone once more", again, "≤ 64", again <= 64, " KiB")
    return found


def aims_table(found):
    return table("Aims", ["", "measured", "aim", ""],
                 [[entry["aim"], float(entry["measured"]), entry["wanted"], "met" if entry["met"] else "MISSED"]
                  for entry in found])
