#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks the service as one user on a bus with stock limits, and measures another user's calls and locations.

    siege.py [--seconds 10] [--broker dbus-daemon|dbus-broker|both] [--program PATH] [--no-build] [--seed N] [ATTACK…]

Runs the named attacks, or all. After each one, the same process must still be running and must never have used more than
40 MB, 80 MB with messages of 31 MB; the witness's calls must have been answered within 200 ms at the 99th percentile and each
of its locations must have arrived within a second; and private memory must return to within 2 MB. The bus itself may be
slower than that, which a C program that only reads and answers the witness shows under the same attack. The service may
then take twice as long as that program, because it also answers the attacker, and locations four times as long, because
they come from GeoClue over the same bus. If the memory controller is available, the service is limited to 160 MB, as by
its unit. Needs root, because the users must differ.
"""

import atexit
import contextlib
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Rig"))
import attackers
import reader
import release
import witness
from desktop import POLKIT, Desktop
from machine import TOP, Failure, fields_of, wait_until
from receiver import Receiver
from release import BUILT

WITNESS, ATTACKER = 5, 65534
# Further attackers for attacks by several users. They exist on every Debian system.
USERS = [ATTACKER, 2, 3, 4, 6, 8, 9, 10]
MEMORY_MAX, RESIDENT_MAX_KIB, KEPT_KIB = 160 << 20, 40 << 10, 2 << 10
CALL_SECONDS, LOCATION_SECONDS, NEWCOMER_SECONDS = 0.2, 1.0, 2.0


class SiegeMachine(Desktop):
    def __init__(self, broker, program):
        super().__init__(broker, "stock", program)
        self.wait_for_name(POLKIT, self.polkit)
        self.receiver = Receiver(self.nmea)
        limit_memory(self.service)

    def peak(self):
        return int(fields_of(f"/proc/{self.service.pid}/status")["VmHWM:"])

    def private(self):
        return self.memory()["private_dirty_kb"]

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.service.pid}/clear_refs").write_text("5")


def limit_memory(process):
    """Limits a process to the memory that the unit allows, if control groups can be created."""
    for top, limit in ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"):
        group = pathlib.Path(f"{top}/geopublicist-siege-{os.getpid()}")
        with contextlib.suppress(OSError):
            group.mkdir(exist_ok=True)
            atexit.register(remove, group, os.getpid())
            (group / limit).write_text(str(MEMORY_MAX))
            (group / "cgroup.procs").write_text(str(process.pid))
            return


def remove(group, owner):
    with contextlib.suppress(OSError):
        if os.getpid() == owner:
            group.rmdir()


def start_as(user, play, *arguments):
    """Starts a function in a separate process as a user."""
    def act():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        with contextlib.suppress(attackers.Gone):
            play(*arguments)

    process = multiprocessing.get_context("fork").Process(target=act, daemon=True)
    process.start()
    return process


class Observation:
    """The witness, which runs in its own process until it receives a message."""

    def __init__(self, machine):
        self.end, other = multiprocessing.Pipe()
        self.process = start_as(WITNESS, witness.run, machine.address, other)
        other.close()
        if self.end.recv() == witness.GONE:
            raise Failure("the witness gets no subscription")

    def account(self):
        with contextlib.suppress(BrokenPipeError):
            self.end.send("over")
        account = self.end.recv()
        self.process.join()
        return account


class Siege:
    def __init__(self, machine, attack, broker, seconds, seed):
        self.machine, self.attack, self.broker, self.seconds, self.seed = machine, attack, broker, seconds, seed
        self.fixes = []

    def write_fixes(self, seconds, rate=1.0):
        """Writes fixes with distinct latitudes."""
        end = due = time.monotonic()
        end += seconds
        while time.monotonic() < end:
            if time.monotonic() >= due:
                latitude = 52.1 + (len(self.fixes) + 1) * 1e-4
                if self.machine.receiver.write(latitude):
                    self.fixes.append((latitude, time.monotonic()))
                due += 1 / rate
            time.sleep(max(0, min(due, end) - time.monotonic()))
            if self.machine.service.poll() is not None:
                return

    def start_attack(self, address):
        """Returns a function that ends the attack."""
        users = USERS[:attackers.USERS.get(self.attack, 1)]
        children = [start_as(user, self.attack, attackers.Besieger(
            address, self.broker, self.seconds, random.Random(self.seed))) for user in users]

        def stop():
            for child in children:
                child.kill()
                child.join()
        return stop

    def run(self):
        """Returns a line of figures and the violated conditions."""
        observation = Observation(self.machine)
        wait_until("GeoClue reads", lambda: self.machine.receiver.write(52.1))
        self.write_fixes(2)
        before, begun = self.machine.private(), time.monotonic()
        self.machine.forget_peak()
        stop_attack = self.start_attack(self.machine.address)
        self.write_fixes(self.seconds, attackers.RATE.get(self.attack, 1.0))
        stop_attack()
        self.write_fixes(1.5)
        if self.machine.service.poll() is not None:
            log = self.machine.service_log()[-600:]
            observation.account()
            return "", [f"the service has ended with {self.machine.service.returncode}: {log}"]
        time.sleep(1)
        account, peak = observation.account(), self.machine.peak()
        if account == witness.GONE:
            return "", ["the bus has ended the witness's connection"]
        for kind in ("calls", "bus", "newcomers"):
            account[kind] = [seconds for began, seconds in account[kind] if began > begun]
        return self.judge(account, before, peak)

    def judge(self, account, before, peak):
        after = self.machine.private()
        end = time.monotonic() + 20
        while after - before > KEPT_KIB and time.monotonic() < end:
            time.sleep(0.2)
            after = self.machine.private()
        lateness = self.lateness(account["locations"])
        late, calls = max(lateness, default=float("inf")), account["calls"]
        newest = max(account["newcomers"], default=float("inf"))
        figures = (f"calls {milliseconds(calls, .5)}/{milliseconds(calls, .99)}/{milliseconds(calls, 1)} ms "
                   f"(bus {milliseconds(account['bus'], .99)}), newcomer {newest * 1000:.0f}, location {late * 1000:.0f}, "
                   f"peak {peak / 1024:.1f} MiB, kept {(after - before) / 1024:+.1f} MiB")
        lasting = [
            (not account["closed"] or "authorized" not in account["closed"][-1], f"told {account['closed'][-3:]}"),
            (peak > attackers.RESIDENT_MAX_KIB.get(self.attack, RESIDENT_MAX_KIB), "it held too much memory"),
            (after - before > KEPT_KIB, "it keeps memory"),
        ]

        def delays(excess):
            unanswered = [f"{member} for {age:.1f} s" for age, member in account["unanswered"]
                          if age > LOCATION_SECONDS + 2 * excess]
            return [
                (unanswered, f"unanswered: {unanswered[:3]}"),
                (quantile(calls, .99) > CALL_SECONDS + excess, "calls take too long"),
                (late > LOCATION_SECONDS + 2 * excess,
                 f"{sum(time > LOCATION_SECONDS for time in lateness)} of {len(lateness)} locations late"),
                (newest > NEWCOMER_SECONDS + excess, "newcomers wait too long"),
                # The calls of several seconds arrive together.
                (account["refused"] and excess < LOCATION_SECONDS, f"refused: {account['refused'][:2]}"),
            ]
        # Subtract the time that the bus itself takes under the same load.
        delayed = delays(quantile(account["bus"], .99))
        if any(is_broken for is_broken, _ in delayed):
            read = reader.durations(self.broker, self.seconds, self.start_attack)
            figures += f"; a program that only reads {milliseconds(read, .5)}/{milliseconds(read, .99)}/{milliseconds(read, 1)} ms"
            delayed = delays(2 * quantile(read, .99))
        broken = lasting + delayed
        return figures, [text for is_broken, text in broken if is_broken]

    def lateness(self, locations):
        """Returns the delay until the witness had each fix or a newer one, because GeoClue keeps only the last of
        several."""
        arrivals = dict((round(latitude, 6), at) for latitude, at in reversed(locations))
        there, lateness = float("inf"), []
        for latitude, at in reversed(self.fixes):
            there = min(there, arrivals.get(round(latitude, 6), there))
            lateness.append(there - at)
        return lateness


def quantile(durations, share):
    return sorted(durations)[min(len(durations) - 1, int(len(durations) * share))] if durations else float("inf")


def milliseconds(durations, share):
    return f"{quantile(durations, share) * 1000:.0f}"


def besiege(broker, attacks, options, seed):
    """Returns whether all attacks were survived. A machine is reused until an attack violates a condition."""
    failed, machine = 0, None
    with contextlib.ExitStack() as stack:
        for attack in attacks:
            if attack in attackers.ON_BROKER_ONLY and broker == "dbus-daemon":
                continue
            try:
                machine = machine or stack.enter_context(SiegeMachine(broker, options.program))
                figures, broken = Siege(machine, attack, broker, options.seconds, seed).run()
            except Failure as failure:
                figures, broken = "", [str(failure)]
            print(f"{'✘' if broken else '✔'} {attack.__name__}, {broker}: {figures}", *broken, sep="\n    ", flush=True)
            if broken:
                failed += 1
                stack.pop_all().close()
                machine = None
    return failed


def main():
    names = {attack.__name__: attack for attack in attackers.ALL}
    parser = release.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of each attack")
    parser.add_argument("--broker", default="both", choices=("dbus-daemon", "dbus-broker", "both"))
    parser.add_argument("--program", default=BUILT / "geopublicistd", help="the service; the release build unless given")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("attacks", nargs="*", choices=[[], *names], metavar="ATTACK", help=", ".join(names))
    options = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("Run it as root: the attacker and the witness are different users.")
    subprocess.run([TOP / "Tools/packages.sh", "soak"], check=True)
    if not options.no_build and options.program == BUILT / "geopublicistd":
        release.build()
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    attacks = [names[name] for name in options.attacks] or attackers.ALL
    brokers = ["dbus-daemon", "dbus-broker"] if options.broker == "both" else [options.broker]
    seconds = len(attacks) * len(brokers) * (options.seconds + 7)
    print(f"{len(attacks)} attacks of {options.seconds:g} s, seed {seed}: about {seconds / 60:.0f} min. "
          "Calls are at the median, the 99th percentile and the slowest.", flush=True)
    failed = sum(besiege(broker, attacks, options, seed) for broker in brokers)
    if failed:
        sys.exit(f"{failed} attacks broke a limit.")


if __name__ == "__main__":
    main()
