# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of running the service: memory, threads, wake-ups, start-up, size; with GeoClue for comparison."""

import pathlib
import statistics
import time

from rig import GEOCLUE, SERVICE, Machine, fields_of, memory


def threads(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/task").iterdir()))


def wakeups(pid):
    """Returns how often the threads have started to wait, which equals how often they were woken."""
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int(fields_of(task / "status")["voluntary_ctxt_switches:"]) for task in tasks)


def measure(starts, seconds):
    with Machine() as machine:
        driver = machine.start_driver()
        geoclue_program = geoclue_path()
        # Started alone, so that it is not called during start-up.
        start = {
            "service": [driver.tell("start", SERVICE, *machine.service_command)["microseconds"] for _ in range(starts)],
            "geoclue": [driver.tell("start", GEOCLUE, geoclue_program, "-t", "0", "-u", machine.nmea)["microseconds"]
                        for _ in range(starts)],
        }
        pids = {"geoclue": machine.start_geoclue().pid, "service": machine.start_service().pid}
        time.sleep(3)
        fresh = {name: memory(pid) for name, pid in pids.items()}
        idle = per_minute(pids, seconds, lambda: time.sleep(seconds))

        def walk():
            for _ in range(seconds):
                time.sleep(1)
                driver.tell("fix")

        driver.tell("join", "service", 1)
        driver.tell("fix")
        busy = per_minute(pids, seconds, walk)
        rows = {name: {
            **fresh[name], "after": memory(pid), "threads": threads(pid), "wakeups_idle": idle[name],
            "wakeups_1hz": busy[name], "start_us": statistics.median(start[name]), "starts": starts,
        } for name, pid in pids.items()}
        rows["service"]["binary_bytes"] = pathlib.Path(machine.service_command[0]).stat().st_size
        rows["geoclue"]["binary_bytes"] = pathlib.Path(geoclue_program).stat().st_size
        return rows


def per_minute(pids, seconds, action):
    before = {name: wakeups(pid) for name, pid in pids.items()}
    action()
    # A thread's count disappears with it. The service has a single, permanent thread.
    return {name: max(0, round((wakeups(pid) - before[name]) * 60 / seconds, 1)) for name, pid in pids.items()}


def geoclue_path():
    for path in ("/usr/libexec/geoclue", "/usr/lib/geoclue-2.0/geoclue"):
        if pathlib.Path(path).exists():
            return path
    raise FileNotFoundError("geoclue")
