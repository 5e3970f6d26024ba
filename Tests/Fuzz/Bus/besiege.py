#!/usr/bin/python3
"""Starts the daemon on private buses, has it attacked, and sees whether it has stood that.

    besiege.py DAEMON BROKER SECONDS [SEED]

BROKER is dbus-daemon or dbus-broker. The daemon is attacked for SECONDS in each of three places: on a system bus with
its rules, beside the real GeoClue; on a session bus; and as the system's daemon on a bus without rules, where others
are GeoClue, polkit, logind and systemd. As root and as nobody at once where this runs as root. Afterwards the same
process has to be there and answer, hold nothing of those who have gone, have grown by no more than the allowance, and
end in good order.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from wire import REPLY, Gone, Peer

HERE = os.path.dirname(os.path.abspath(__file__))
RIG = os.path.join(HERE, "..", "..", "Rig")
NAME, PATH = "org.geopublicist.Location1", "/org/geopublicist/Location1"
NOBODY = 65534
# What its allocators may keep of the worst moments, in KiB; an address sanitizer keeps much more.
ALLOWANCE = 12 * 1024
PATIENCE = 60
SURROUNDINGS = {
    # What libdbus and GLib complain about is a failure.
    "DBUS_FATAL_WARNINGS": "1", "G_DEBUG": "fatal-criticals",
    # For a daemon that is built with it.
    "ASAN_OPTIONS": "quarantine_size_mb=32", "LSAN_OPTIONS": f"suppressions={RIG}/leaks.supp",
}


class Failure(Exception):
    pass


def start(arguments, log, user=None):
    leash = ["setpriv", "--pdeathsig=KILL"]
    if user is not None:
        leash += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return subprocess.Popen([*leash, "--", *arguments], stdout=log, stderr=log, start_new_session=True,
                            env={**os.environ, **SURROUNDINGS})


def wait(what, condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return result


class Place:
    """A bus with the daemon on it."""

    def __init__(self, folder, daemon, broker, kind, deployment, has_geoclue):
        self.folder, self.processes = folder, []
        os.chmod(folder, 0o755)
        self.address = self.bus("bus", broker, kind)
        upstream = self.address
        if has_geoclue:
            if kind != "system":
                upstream = self.bus("upstream", broker, "system")
            self.run("geoclue", [f"{RIG}/geoclue.sh", upstream, f"{folder}/nmea.sock"])
        self.daemon = self.run(
            "daemon", [daemon, deployment, "--address", self.address, "--geoclue-address", upstream])
        wait("the daemon owns its name", lambda: self.owner() or self.log_if_ended())

    def run(self, name, arguments, user=None):
        log = open(f"{self.folder}/{name}.log", "ab")
        process = start(arguments, log, user)
        log.close()
        self.processes.append(process)
        return process

    def bus(self, name, broker, kind):
        folder = f"{self.folder}/{name}"
        os.mkdir(folder)
        os.chmod(folder, 0o755)
        os.environ["BUS_BROKER"] = broker
        self.run(name, [f"{RIG}/private-bus.sh", kind, folder])
        address = f"unix:path={folder}/bus"

        def answers():
            try:
                Peer(address).close()
                return True
            except Gone:
                return False

        wait("the bus answers", answers)
        return address

    def log(self, name="daemon"):
        with open(f"{self.folder}/{name}.log", errors="replace") as file:
            return file.read()

    def log_if_ended(self):
        if self.daemon.poll() is not None:
            raise Failure(f"the daemon has ended with {self.daemon.returncode}:\n{self.log()[-6000:]}")

    def owner(self):
        peer = Peer(self.address)
        owner = peer.ask_bus("GetNameOwner", "s", [NAME])
        peer.close()
        return owner

    def ask(self, interface, member, signature="", values=()):
        """What the daemon answers to somebody who comes now."""
        peer = Peer(self.address)
        answer = peer.call(NAME, PATH, interface, member, signature, values)
        peer.close()
        return answer.arguments() if answer is not None and answer.kind == REPLY else None

    def check(self):
        """The same process is there and answers."""
        self.log_if_ended()
        # dbus-broker lets headers pass for which libdbus leaves the bus; then it has to come back.
        wait("the name has an owner", self.owner)
        wait("the daemon answers", lambda: self.ask("org.freedesktop.DBus.Peer", "Ping") is not None)
        wait("the daemon answers", lambda: self.ask("org.freedesktop.DBus.Properties", "Get", "ss", [NAME, "State"]))

    def rest(self):
        """Waits until what the attackers held is given back."""
        wait("no subscription is left", lambda: self.ask(NAME, "ListSubscriptions") == [[]])

    def memory(self):
        """Private memory in KiB."""
        with open(f"/proc/{self.daemon.pid}/smaps_rollup") as file:
            return sum(int(size) for size in re.findall(r"Private_\w+: +(\d+)", file.read()))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def attack(self, seconds, seed, pretending):
        """Attacks it for a while and returns what the attackers say."""
        attackers = []
        users = [None, NOBODY] if os.getuid() == 0 else [None]
        names = []
        for number, user in enumerate(users):
            names.append(f"attack-{seed}-{number}")
            attackers.append(self.run(
                names[-1], ["/usr/bin/python3", f"{HERE}/attack.py", self.address, NAME, str(seconds), str(seed + number)],
                user))
        if pretending:
            names.append(f"pretend-{seed}")
            attackers.append(self.run(
                names[-1], ["/usr/bin/python3", f"{HERE}/pretend.py", self.address, str(seconds), str(seed)]))
        end = time.monotonic() + seconds + 300
        while any(attacker.poll() is None for attacker in attackers):
            self.log_if_ended()
            if time.monotonic() > end:
                raise Failure("the attackers do not come to an end")
            time.sleep(0.1)
        self.check()
        for attacker, name in zip(attackers, names):
            print(f"  {self.log(name).strip()[-2000:]}", flush=True)
            if attacker.returncode != 0:
                raise Failure(f"{name} ended with {attacker.returncode}")

    def end(self):
        """Ends the daemon as systemd does; what it says in the end counts."""
        self.daemon.send_signal(signal.SIGTERM)
        try:
            status = self.daemon.wait(60)
        except subprocess.TimeoutExpired:
            raise Failure("the daemon does not end") from None
        if status != 0 or re.search("Sanitizer|runtime error|CRITICAL", self.log()):
            raise Failure(f"the daemon has ended with {status}:\n{self.log()[-6000:]}")

    def clean_up(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def is_sanitized(program):
    """Whether it keeps what was freed, to find out who uses it."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def besiege(title, seconds, seed, pretending=False, **where):
    print(f"{title}, {where['broker']}, seed {seed}:", flush=True)
    folder = tempfile.mkdtemp(prefix="geopublicist.")
    place = None
    try:
        place = Place.__new__(Place)
        place.processes = []
        place.__init__(folder, **where)
        # What the first attacks leave behind is warmth; only what comes after that is growth.
        place.attack(seconds / 2, seed, pretending)
        place.rest()
        before = place.memory(), place.descriptors()
        place.attack(seconds / 2, seed + 1000, pretending)
        place.rest()
        grown = place.memory() - before[0]
        print(f"  the same process, {before[0]} KiB and {grown:+} KiB, descriptors {place.descriptors() - before[1]:+}")
        if grown > ALLOWANCE and not is_sanitized(where["daemon"]):
            raise Failure(f"it has grown by {grown} KiB")
        if place.descriptors() > before[1] + 2:
            raise Failure("it keeps descriptors")
        place.end()
    finally:
        if place is not None:
            place.clean_up()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    daemon, broker, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1_000_000)
    here = {"daemon": daemon, "broker": broker}
    try:
        besiege("On the system bus", seconds, seed, kind="system", deployment="--system", has_geoclue=True, **here)
        besiege("On a session bus", seconds, seed, kind="session", deployment="--session", has_geoclue=True, **here)
        besiege("Among impostors", seconds, seed, True, kind="session", deployment="--system", has_geoclue=False, **here)
    except Failure as failure:
        sys.exit(f"FAILED (seed {seed}): {failure}")


main()
