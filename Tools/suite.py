#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in parallel processes, and prints the failures and a summary.

    suite.py [--broker dbus-daemon|dbus-broker|both] [REGEX…]

REGEX selects tests, as `swift test --filter` does; all of them by default. Most tests start programs and wait for them
on the main actor. Each process has only one, so tests in one process would run one after another. Each test runs once.
VERBOSE=1 prints everything that the tests write; otherwise it is only written to the folder that the summary names.
"""

import argparse
import collections
import json
import os
import pathlib
import pwd
import queue
import re
import resource
import signal
import subprocess
import sys
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
BROKERS = ["dbus-daemon", "dbus-broker"]
# Tests of these modules do not wait for programs, so Swift Testing runs them in parallel in one process.
TOGETHER = {"CombineExamplesTests", "LocationModelTests", "PublishingTests", "TestingExampleTests"}
# Tests that may have another result on dbus-broker.
ON_BOTH = {"DBusTests", "EndToEndTests", "GatekeeperTests", "GeoClueTests", "LocationServiceTests"}
# Their longer suites that start no bus run once. They fail if they do start one.
WITHOUT_BUS = {
    "GatekeeperTests.AgentSimulationTests", "GatekeeperTests.AuditLimiterTests",
    "GatekeeperTests.ConfirmationSimulationTests", "GatekeeperTests.ExplorationTests", "GeoClueTests.ExplorationTests",
    "LocationServiceTests.ExplorationTests", "LocationServiceTests.ReaderLedgerTests"}
# Suites about decisions, regions, records and clocks, which a bus only carries messages for. Other suites try everything
# that these use of a bus on both.
ON_ONE = {
    f"EndToEndTests.{name}Tests"
    for name in ("AuthorizeOnTerminal", "ClockConsent", "DoctorForAUser", "GatekeeperLevel", "GatekeeperTable", "GeoClueFault",
                 "Region", "RegionSource", "RegionTrack", "Remembered", "Sleep", "SubscriptionOption")}
# The assumed duration of a test that no earlier run has measured.
GUESS = {"EndToEndTests": 2.0, "ExampleTests": 3.0, "CommandTests": 1.5, "GeoClueTests": 0.5,
         "SimulationTests": 40.0}
SECONDS_IN_A_PROCESS = 12
PROCESS_LIMIT = 600
FAILURE_LINES, ISSUES_OF_A_PROCESS, LINES_OF_AN_ISSUE = 150, 5, 12
IS_VERBOSE = os.environ.get("VERBOSE", "0") not in ("", "0")


class Job:
    """The tests that one process runs."""

    def __init__(self, name, broker, tests, seconds):
        self.name, self.broker, self.tests, self.seconds = name, broker, tests, seconds
        self.status, self.cases = None, []


class Suite:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.measured = self.read_times()
        self.running, self.lock = set(), threading.Lock()
        self.lines_left = FAILURE_LINES
        self.is_over = False

    # The plan

    def list(self):
        answer = subprocess.run(
            [self.program, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True)
        if answer.returncode != 0:
            sys.exit(f"The tests cannot be listed:\n{answer.stdout}{answer.stderr}")
        return [line for line in answer.stdout.splitlines() if re.match(r"\w+\.", line)]

    def jobs(self, tests, brokers):
        groups = collections.defaultdict(list)
        for test in tests:
            module, _, rest = test.partition(".")
            suite = rest.partition("/")[0] if "/" in rest and module not in TOGETHER else ""
            groups[f"{module}.{suite}".rstrip(".")].append(test)
        for number, broker in enumerate(brokers):
            for name, members in groups.items():
                module = name.partition(".")[0]
                if number > 0 and (module not in ON_BOTH or name in WITHOUT_BUS | ON_ONE):
                    continue
                parts = [[]]
                for test in members:
                    planned = sum(self.expected(test, broker) for test in parts[-1])
                    if parts[-1] and planned + self.expected(test, broker) > SECONDS_IN_A_PROCESS:
                        parts.append([])
                    parts[-1].append(test)
                for index, part in enumerate([members] if module in TOGETHER else parts):
                    yield Job(f"{name}-{index}" if len(part) < len(members) else name, broker, part,
                              sum(self.expected(test, broker) for test in part))

    @staticmethod
    def merged(jobs):
        """Yields the jobs with short ones of a module together, because each process needs a while to find its tests."""
        groups = collections.defaultdict(list)
        for job in jobs:
            module = job.name.partition(".")[0]
            is_short = job.seconds < SECONDS_IN_A_PROCESS / 4 and module not in TOGETHER
            if not is_short or job.name.rsplit("-", 1)[0] in WITHOUT_BUS:
                yield job
                continue
            group = groups[module, job.broker]
            if not group or group[-1].seconds + job.seconds > SECONDS_IN_A_PROCESS:
                group.append(Job(f"{module}-short-{len(group)}", job.broker, [], 0))
            group[-1].tests += job.tests
            group[-1].seconds += job.seconds
        for group in groups.values():
            yield from group

    def expected(self, test, broker):
        return self.measured.get(f"{broker} {test}", GUESS.get(test.partition(".")[0], 0.05))

    # Doing it

    def run(self, jobs, workers):
        waiting = queue.SimpleQueue()
        # The longest first, so that no long one runs alone at the end.
        for job in sorted(jobs, key=lambda job: -job.seconds):
            waiting.put(job)
        threads = [threading.Thread(target=self.work, args=[waiting]) for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self.is_over = True
            with self.lock:
                for process in self.running:
                    os.killpg(process.pid, signal.SIGKILL)
            raise

    def work(self, waiting):
        while not self.is_over:
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                return
            self.perform(job)
            self.report(job)

    def perform(self, job):
        file = self.folder / f"{job.broker} {job.name}"
        results, log = file.with_name(file.name + ".xml"), file.with_name(file.name + ".log")
        results.unlink(missing_ok=True)
        filters = [argument for test in job.tests for argument in ("--filter", f"^{re.escape(test)}")]
        if "-short-" in job.name:
            # Tests of different suites do not overlap.
            filters.append("--no-parallel")
        if job.name in TOGETHER:
            filters = ["--filter", f"^{job.name}\\."]
        broker = "none" if job.name.rsplit("-", 1)[0] in WITHOUT_BUS else job.broker
        begun = time.monotonic()
        with open(log, "w") as output:
            process = subprocess.Popen(
                [self.program, "--testing-library", "swift-testing", "--xunit-output", results, *filters],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "BUS_BROKER": broker})
            with self.lock:
                self.running.add(process)
            limit = threading.Timer(PROCESS_LIMIT, lambda: os.killpg(process.pid, signal.SIGKILL))
            limit.start()
            _, status, used = os.wait4(process.pid, 0)
            limit.cancel()
            with self.lock:
                self.running.discard(process)
        job.status = process.returncode = os.waitstatus_to_exitcode(status)
        job.processor_seconds = used.ru_utime + used.ru_stime
        job.seconds = time.monotonic() - begun
        job.log = log.read_text(errors="replace")
        if results.exists():
            job.cases = list(cases(results.read_text(errors="replace")))

    def report(self, job):
        with self.lock:
            # Swift Testing's own measurement is mostly the wait for the main actor.
            for test in job.tests:
                self.measured[f"{job.broker} {test}"] = round(job.seconds / len(job.tests), 3)
            if IS_VERBOSE:
                print(f"== {job.name}, {job.broker}\n{job.log}", flush=True)
            elif job.status != 0 and not self.is_over:
                # The last lines of a crashed process show the crash.
                lines = list(issues(job.log)) or job.log.splitlines()[-LINES_OF_AN_ISSUE:]
                lines = [f"✘ {job.name}, {job.broker}, status {job.status}:", *(f"  {line[:400]}" for line in lines)]
                print(*lines[:self.lines_left], sep="\n", flush=True)
                self.lines_left = max(0, self.lines_left - len(lines))

    # Durations of earlier runs

    def read_times(self):
        try:
            return json.loads((self.folder / "seconds.json").read_text())
        except (OSError, ValueError):
            return {}

    def write_times(self, jobs):
        """Used to plan the next run and to find slow tests."""
        (self.folder / "jobs.txt").write_text("".join(
            f"{job.seconds:6.1f} s, {job.processor_seconds:5.1f} s of processor time: {job.name}, {job.broker}\n"
            for job in sorted(jobs, key=lambda job: -job.seconds)))
        (self.folder / "seconds.json").write_text(json.dumps(self.measured, indent=0, sort_keys=True))


def cases(text):
    """Returns the names and outcomes of the tests in an xUnit file.

    Does not use an XML parser, because failure messages are not escaped and contain characters that XML forbids.
    """
    for case in re.split("(?=<testcase )", text)[1:]:
        # Names are not escaped either, not even quotation marks and ampersands.
        named = re.match('<testcase classname="(.*?)" name="(.*?)" (?=time=|>)', case)
        if named:
            module, *suites = named[1].split(".")
            name = f"{module}.{'/'.join([*suites, named[2]])}"
            yield name, "skipped" if "<skipped" in case else "failed" if "<failure " in case else "passed"


def issues(log):
    """Returns the lines about each issue, shortened in the middle, without all other lines."""
    issue, count = [], 0
    for line in [*log.splitlines(), "✔ Test"]:
        is_start = " recorded an issue " in line
        if is_start or re.match("[◇✔✘➜􀟈􀢄􁁛􀙟] ?(Test|Suite)", line):
            half = LINES_OF_AN_ISSUE // 2
            if count <= ISSUES_OF_A_PROCESS:
                yield from issue if len(issue) <= 2 * half else [*issue[:half], "…", *issue[-half:]]
            issue, count = [], count + is_start
        if is_start or issue:
            issue.append(line)
    if count > ISSUES_OF_A_PROCESS:
        yield f"… and {count - ISSUES_OF_A_PROCESS} more"


def build_folder():
    """As in swift.sh: a user who does not own .build has a private one."""
    folder = TOP / ".build"
    if (folder if folder.exists() else folder.parent).stat().st_uid != os.getuid():
        folder = folder.with_name(f".build-{pwd.getpwuid(os.getuid()).pw_name}")
    return folder


def in_words(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", default="both", choices=[*BROKERS, "both"])
    parser.add_argument("--jobs", type=int, default=4 * (os.cpu_count() or 1), help="processes side by side")
    parser.add_argument("filters", nargs="*", metavar="REGEX")
    options = parser.parse_args()
    # The limit also bounds the descriptors that an ordinary user may have in flight between sockets, and some tests
    # send many.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    built = build_folder() / "debug"
    folder = built / "suite"
    if not built.exists():
        sys.exit("There are no tests yet: Tools/swift.sh build --build-tests")
    folder.mkdir(exist_ok=True)
    suite = Suite(built / "geopublicistPackageTests.xctest", folder)
    tests = [test for test in suite.list() if not options.filters or any(re.search(f, test) for f in options.filters)]
    if not tests:
        sys.exit("No test has that name.")
    if any(test.startswith("SimulationTests.") for test in tests):
        built = subprocess.run([TOP / "Tests/Simulation/simulate.py", "--build"], capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(built.stderr)
        os.environ["SIMULATE"] = built.stdout.strip()
    jobs = list(suite.merged(suite.jobs(tests, BROKERS if options.broker == "both" else [options.broker])))
    expected = sum(job.seconds for job in jobs) / options.jobs
    print(f"{len(tests)} tests in {len(jobs)} processes, {options.jobs} side by side: about {in_words(expected)}.",
          flush=True)
    begun = time.monotonic()
    suite.run(jobs, options.jobs)
    suite.write_times(jobs)

    seconds, used = time.monotonic() - begun, sum(job.processor_seconds for job in jobs)
    failed = sorted({f"{name} ({job.broker})" for job in jobs for name, outcome in job.cases if outcome == "failed"})
    broken = [f"{test} ({job.broker}): has not run" for job in jobs
              for test in sorted(set(job.tests) - {name for name, _ in job.cases}) if job.cases]
    broken += [f"{job.name} ({job.broker}): status {job.status}" for job in jobs
              if job.status != 0 and not any(outcome == "failed" for _, outcome in job.cases)]
    count = sum(outcome != "skipped" for job in jobs for _, outcome in job.cases)
    print(f"{count} tests run in {in_words(seconds)}, "
          f"{used:.0f} s of processor time. What they wrote: {folder}")
    if failed or broken:
        print(f"{len(failed) + len(broken)} failed:", *[f"  {name}" for name in [*failed, *broken][:30]], sep="\n")
        sys.exit(1)
    print("All passed.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
