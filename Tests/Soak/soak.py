#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends ten fixes per second to 200 clients that come, go, stall and misbehave, while GeoClue and polkit restart.

    soak.py [--minutes 30] [--broker dbus-daemon] [--clients 200] [--rate 10] [--seed N] [--no-build]

Reports the problem and exits with status 1 if a well-behaved client misses a fix or receives one out of order, a call is not
answered, the service exits, or its memory or descriptors grow. As root, polkit and users' agents take part. Otherwise all
clients belong to one user, whom the service trusts without asking.
"""

import asyncio
import collections
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Rig"))
import release
from clients import Crowd, hoarder, listener, misbehaver, staller, visitor
from desktop import POLKIT, Desktop
from ledger import Ledger
from machine import GEOCLUE, TOP, Failure
from receiver import Receiver

# More growth of private memory after the warm-up is a leak: less than 1 KiB per client.
MEMORY_KIB = 1024
# The roles of every twenty clients.
ROLES = [listener] * 10 + [visitor] * 6 + [staller, hoarder, misbehaver, misbehaver]


Sample = collections.namedtuple("Sample", "time private_kib resident_kib descriptors")


class Soak:
    def __init__(self, machine, options):
        self.machine, self.options = machine, options
        self.ledger = Ledger()
        self.crowd = Crowd(machine.address, machine.people, self.ledger)
        self.begun = time.monotonic()
        self.end = self.begun + options.minutes * 60
        self.written = self.restarts = 0
        self.held = 0.0
        self.samples = []
        self.geoclue_is_there = asyncio.Event()
        self.geoclue_is_there.set()

    async def run(self):
        self.observer = await self.crowd.connect(os.getuid())
        self.observer.on_location = self.observe
        await self.observer.subscribe()
        self.receiver = Receiver(self.machine.nmea)
        if self.machine.is_whole:
            await self.name_is_owned(POLKIT)
        lives = [asyncio.create_task(self.crowd.live(ROLES[number % len(ROLES)], number))
                 for number in range(self.options.clients)]
        duties = [asyncio.create_task(duty()) for duty in (self.write_fixes, self.make_trouble, self.look_on)]
        done, _ = await asyncio.wait(duties, timeout=self.options.minutes * 60, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        for task in duties:
            task.cancel()
        await self.finish(lives)

    def observe(self, sequence, latitude):
        self.ledger.saw(sequence)
        self.held = latitude

    async def write_fixes(self):
        """Writes each fix once the observer has the previous one, because GeoClue keeps only the last of several."""
        number = 0
        while True:
            await self.geoclue_is_there.wait()
            begun = time.monotonic()
            number += 1
            latitude = 52 + number % 60000 / 60000
            there = self.machine.geoclue
            if await self.write_fix(latitude):
                self.written += 1
                # Longer than the longest pause before the service retries GeoClue.
                while abs(self.held - latitude) > 1e-6 and time.monotonic() - begun < 30:
                    await asyncio.sleep(0.005)
                    if there is not self.machine.geoclue or not self.geoclue_is_there.is_set():
                        break
                else:
                    if abs(self.held - latitude) > 1e-6:
                        self.ledger.violation("a fix that GeoClue was given has not come within 30 s")
            await asyncio.sleep(max(0, 1 / self.options.rate - (time.monotonic() - begun)))

    async def write_fix(self, latitude):
        """Returns false if GeoClue does not read for a second."""
        deadline = time.monotonic() + 1
        while not (is_written := self.receiver.write(latitude)) and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        return is_written

    async def make_trouble(self):
        troubles = [self.restart_geoclue, self.reload, *([self.restart_polkit, self.change_rules] if self.machine.is_whole else [])]
        number = 0
        while True:
            await asyncio.sleep(random.uniform(15, 25) if self.options.minutes < 10 else random.uniform(30, 90))
            # No faults in the last seconds, so that the end can be compared with the start.
            if time.monotonic() > self.end - 15:
                return await asyncio.sleep(60)
            await troubles[number % len(troubles)]()
            number += 1

    async def restart_geoclue(self):
        self.geoclue_is_there.clear()
        self.receiver.hang_up()
        self.machine.restart_geoclue()
        await self.name_is_owned(GEOCLUE)
        self.restarts += 1
        self.geoclue_is_there.set()

    async def restart_polkit(self):
        self.ledger.began_doubt()
        self.machine.restart_polkit()
        await self.name_is_owned(POLKIT)
        self.ledger.ended_doubt()
        self.restarts += 1

    async def change_rules(self):
        """Causes overlapping checks: polkit's rules change again while it is still being asked about the previous
        change."""
        self.ledger.began_doubt()
        for number in range(10):
            self.machine.change_rules(number)
            await asyncio.sleep(random.uniform(0.002, 0.02))
        self.ledger.ended_doubt()

    async def name_is_owned(self, name):
        bus = {"of": "org.freedesktop.DBus", "at": "/org/freedesktop/DBus", "on": "org.freedesktop.DBus"}
        deadline = time.monotonic() + 60
        while not (await self.observer.call("NameHasOwner", "s", (name,), **bus))[0]:
            if time.monotonic() > deadline:
                raise Failure(f"{name} does not start")
            await asyncio.sleep(0.05)

    async def reload(self):
        os.kill(self.machine.service.pid, signal.SIGHUP)

    async def look_on(self):
        while True:
            await asyncio.sleep(2)
            if self.machine.service.poll() is not None:
                raise Failure(f"the service has ended with {self.machine.service.returncode}:\n{self.machine.service_log()[-2000:]}")
            self.ledger.check_calls(self.crowd.open_calls)
            self.ledger.check_sessions()
            self.crowd.check_freshness()
            memory = self.machine.memory()
            self.samples.append(Sample(
                time.monotonic() - self.begun, memory["private_dirty_kb"], memory["rss_kb"], self.machine.descriptors()))
            if self.ledger.violations:
                raise Failure("what has to hold did not")
            if len(self.samples) % 15 == 0:
                print(self.summary(), flush=True)

    async def finish(self, lives):
        self.crowd.is_over = True
        await asyncio.wait(lives, timeout=40)
        for connection in list(self.crowd.connections - {self.observer}):
            self.crowd.leave(connection)
        self.ledger.check_sessions()
        deadline = time.monotonic() + 20
        while len(left := (await self.observer.call("ListSubscriptions"))[0]) > 1:
            if time.monotonic() > deadline:
                self.ledger.violation(f"{len(left) - 1} subscriptions of clients that have left still exist")
                break
            await asyncio.sleep(0.2)
        self.check_growth()

    def check_growth(self):
        """Checks that the last third of the run typically needs no more memory than the second."""
        third = self.samples[-1].time / 3
        second = [sample for sample in self.samples if third <= sample.time < 2 * third]
        last = [sample for sample in self.samples if sample.time >= 2 * third]
        # Leaked memory is never released. Some samples show a message of 7 MB being received, and others a connection
        # to an agent.
        for what, allowance, typical in (("private_kib", MEMORY_KIB, statistics.median), ("descriptors", 0, min)):
            before, after = (typical(getattr(sample, what) for sample in part) for part in (second, last))
            if after > before + allowance:
                self.ledger.violation(f"{what} has grown from {before} to {after}")

    def summary(self):
        now = self.samples[-1]
        return (f"{now.time:5.0f} s: {self.written} fixes, {len(self.ledger.published)} published, "
                f"{self.ledger.calls} calls, {self.ledger.answers} answers, {self.restarts} restarts, "
                f"{self.ledger.thrown} thrown out by the bus; {now.private_kib} KiB private, "
                f"{now.resident_kib} KiB resident, {now.descriptors} descriptors")


def main():
    parser = release.parser(__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--broker", default="dbus-daemon", choices=("dbus-daemon", "dbus-broker"))
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rate", type=float, default=10, help="fixes a second")
    parser.add_argument("--seed", type=int, default=None, help="the seed for the clients' behaviour")
    options = parser.parse_args()
    subprocess.run([TOP / "Tools/packages.sh", "soak"], check=True)
    if not options.no_build:
        release.build()
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    random.seed(seed)
    print(f"{options.minutes:g} minutes, {options.clients} clients, {options.rate:g} fixes a second, "
          f"{options.broker}, seed {seed}", flush=True)
    with Desktop(options.broker) as machine:
        soak = None

        async def run():
            nonlocal soak
            soak = Soak(machine, options)
            await soak.run()
        try:
            asyncio.run(run())
        except Failure as failure:
            soak.ledger.violations.insert(0, str(failure))
        if soak.samples:
            print(soak.summary())
        if soak.ledger.violations:
            print("\nThe soak failed:", *soak.ledger.violations, sep="\n  ", file=sys.stderr)
            pathlib.Path(TOP / ".build/soak-service.log").write_text(machine.service_log())
            sys.exit(1)
    print("No fix was lost or out of order, every call was answered, and memory did not grow.")


if __name__ == "__main__":
    main()
