#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the service in simulated worlds, one after another, until the time has elapsed or an invariant is broken.

    simulate.py [--build]       with --build, only builds the program and prints its path

MINUTES=2    how long to go on
SEED=N       one run only, which is the same each time
FIRST=N      the seeds N, N+1 and so on, not random ones
HOURS=1      how many simulated hours each run has
ONLY=1,5,9   with SEED: only these faults
VERBOSE=1    with SEED: the story of the run
WORLD=OPTIONS  --bus-faults: the bus fails, too, and a client uses the client library; --session: the session deployment
IGNORE=A;B   rules that are not checked, by a part of their names

The last line is `hash` with the hash of the trace. A run that breaks an invariant is repeated with fewer faults, to find
the shortest list that still breaks it; the exit status is then 1.
"""

import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ
SWIFT = subprocess.run([ROOT / "Tools/find-swift.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
# Optimised programs simulate more than twice as much in the same time. Assertions find defects, too.
FLAGS = ["--configuration", "release", "-Xswiftc", "-assert-config", "-Xswiftc", "Debug"]
# Not every distribution has the static libraries, with which programs run a sixth faster.
if (pathlib.Path(SWIFT).resolve().parents[1] / "lib/swift_static").is_dir():
    FLAGS.append("--static-swift-stdlib")
HOURS = ENVIRONMENT.get("HOURS", "1")
OPTIONS = ENVIRONMENT.get("WORLD", "").split()
OPTIONS += ["--ignore", ENVIRONMENT["IGNORE"]] if ENVIRONMENT.get("IGNORE") else []


def program():
    """Builds the simulation's program, in a folder of its own because of the flags, and returns its path."""
    swift = [ROOT / "Tools/swift.sh", "build", "--product", "simulate", *FLAGS]
    environment = {**ENVIRONMENT, "BUILD": "simulation"}
    result = subprocess.run(swift, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if result.returncode:
        sys.exit(result.stdout)
    shown = subprocess.run([*swift, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return pathlib.Path(shown.stdout.split()[-1]) / "simulate"


class Run:
    """Runs one seed once."""

    def __init__(self, path, seed, only=None, limit=600):
        command = [str(path), str(seed), HOURS, *OPTIONS]
        if only is not None:
            command += ["--only", ",".join(map(str, only))]
        self.seed, self.only = seed, only
        began = time.monotonic()
        try:
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit)
            status, output, errors = result.returncode, result.stdout, result.stderr
        except subprocess.TimeoutExpired:
            status, output, errors = -1, "broken the run ends\nstory it was stopped", ""
        self.seconds = time.monotonic() - began
        self.facts = dict(line.split(" ", 1) for line in output.splitlines() if " " in line)
        self.rule = self.facts.get("broken")
        if status and not self.rule:
            self.rule, self.facts["story"] = "the service does not crash", errors[-2000:]

    def number(self, name):
        return float(self.facts.get(name, 0))


def shrunk(path, run):
    """Returns the shortest list of faults found that still breaks the same rule. Removes halves, quarters and so on."""
    faults = list(range(int(run.number("faults"))))
    size = max(1, len(faults) // 2)
    while True:
        position, isShorter = 0, False
        while position < len(faults):
            fewer = faults[:position] + faults[position + size:]
            if Run(path, run.seed, fewer).rule == run.rule:
                faults, isShorter = fewer, True
            else:
                position += size
        if size == 1 and not isShorter:
            return faults
        size = max(1, size // 2)


def report(path, run):
    print(f"BROKEN by seed {run.seed}: {run.rule}\n  {run.facts.get('story', '')}")
    faults = run.only if run.only is not None else shrunk(path, run)
    print(f"  the story: make simulate SEED={run.seed} ONLY={','.join(map(str, faults))} VERBOSE=1")


def one(path, seed):
    only = [int(number) for number in ENVIRONMENT.get("ONLY", "").split(",") if number] if "ONLY" in ENVIRONMENT else None
    if ENVIRONMENT.get("VERBOSE"):
        command = [str(path), str(seed), HOURS, "--story", *OPTIONS]
        return subprocess.run(command + (["--only", ",".join(map(str, only))] if only is not None else [])).returncode
    run = Run(path, seed, only)
    print(f"seed {seed}")
    for name in ("hours", "faults", "calls", "locations", "starts"):
        print(f"{name} {run.facts.get(name, '?')}")
    if run.rule:
        report(path, run)
    print(f"hash {run.facts.get('hash', '?')}")
    return 1 if run.rule else 0


def many(path):
    end = time.monotonic() + float(ENVIRONMENT.get("MINUTES", "2")) * 60
    first = int(ENVIRONMENT.get("FIRST", random.randrange(1, 1 << 32)))
    workers = os.cpu_count() or 1
    runs, broken = [], []
    print(f"seed {first} and the following", flush=True)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        seeds = iter(range(first, first + 1_000_000))
        tasks = {pool.submit(Run, path, next(seeds)) for _ in range(workers)}
        while tasks:
            done, tasks = concurrent.futures.wait(tasks, return_when=concurrent.futures.FIRST_COMPLETED)
            for task in done:
                run = task.result()
                runs.append(run)
                if run.rule:
                    broken.append(run)
                if not broken and time.monotonic() < end:
                    tasks.add(pool.submit(Run, path, next(seeds)))
    runs.sort(key=lambda run: run.seed)
    total = {name: sum(run.number(name) for run in runs) for name in ("hours", "faults", "calls", "locations")}
    rate = total["faults"] / max(total["hours"], 0.01)
    print(f"{total['hours']:.1f} simulated hours in {sum(run.seconds for run in runs):.0f} s of {workers} cores, "
          f"{len(runs)} seeds, {rate:.0f} faults an hour, {total['calls']:.0f} calls, {total['locations']:.0f} locations, "
          f"{len(broken)} broken")
    for run in sorted(broken, key=lambda run: run.seed)[:1]:
        report(path, run)
    combined = 0
    for run in runs:
        combined = (combined * 0x100000001b3 ^ int(run.facts.get("hash", "0"), 16)) % (1 << 64)
    print(f"hash {combined:x}")
    return 1 if broken else 0


def main():
    path = program()
    if "--build" in sys.argv:
        print(path)
        return 0
    return one(path, int(ENVIRONMENT["SEED"])) if ENVIRONMENT.get("SEED") else many(path)


if __name__ == "__main__":
    sys.exit(main())
