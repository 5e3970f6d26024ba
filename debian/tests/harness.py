# SPDX-License-Identifier: Apache-2.0
"""Shared code of the tests of the installed package: commands, users, a source of fixes, a client.

The tests need root on a booted Debian with systemd and change it: configuration, users, GeoClue's source.
"""

import atexit
import configparser
import contextlib
import json
import os
import pathlib
import pwd
import re
import socket
import subprocess
import sys
import threading
import time

NAME = "org.geopublicist.Location1"
PATH = "/org/geopublicist/Location1"
UNIT = "geopublicist.service"
ERROR = NAME + ".Error."
HERE = pathlib.Path(__file__).parent
DROP_INS = pathlib.Path("/etc/geopublicist/conf.d")


class Failed(Exception):
    pass


def step(text):
    print(f"- {text}", flush=True)


def expect(condition, text):
    if not condition:
        raise Failed(text)


def eventually(condition, text, seconds=15):
    """Returns the first true value of the condition. Fails with the text after this many seconds."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(text() if callable(text) else text)
        time.sleep(0.05)


def run(*command, user=None, check=True, timeout=60):
    """Returns the result of a command with its output. Runs it as `user` if given."""
    if user:
        command = (*become(user), *command)
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, preexec_fn=session_entry(user))
    if check and result.returncode != 0:
        raise Failed(f"{' '.join(command)}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def become(user):
    """Returns the command prefix for running as this user in the same process."""
    group = str(pwd.getpwnam(user).pw_gid)
    return ("setpriv", "--reuid", user, "--regid", group, "--init-groups", "--reset-env", "--")


def session_entry(user):
    """Returns what a child process must run first to join the user's session, if any: polkit looks at its cgroup."""
    session = Session.current.get(user)
    if session is None:
        return None
    # With cgroups version 1, systemd has its own hierarchy.
    root = "/sys/fs/cgroup" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "/sys/fs/cgroup/systemd"
    processes = f"{root}{session.group}/cgroup.procs"

    def enter():
        with open(processes, "w") as file:
            file.write(str(os.getpid()))
    return enter


def output(*command, **options):
    return run(*command, **options).stdout.strip()


# The unit

def unit(key, name=UNIT):
    return output("systemctl", "show", "--property", key, "--value", name)


def is_active(name=UNIT):
    return unit("ActiveState", name) == "active"


def stop():
    run("systemctl", "stop", UNIT)
    eventually(lambda: unit("ActiveState") == "inactive", "the unit does not stop")


@contextlib.contextmanager
def drop_in(text):
    """Adds a drop-in to the unit and stops the service, so that the next call starts it with these settings."""
    folder = pathlib.Path(f"/run/systemd/system/{UNIT}.d")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.conf").write_text(text)
    run("systemctl", "daemon-reload")
    stop()
    yield
    (folder / "test.conf").unlink()
    run("systemctl", "daemon-reload")
    stop()


def configure(text):
    """Replaces or removes the tests' configuration file and reloads the service. Returns systemctl's exit status."""
    file = DROP_INS / "test.conf"
    if text:
        DROP_INS.mkdir(exist_ok=True)
        file.write_text(text)
    elif file.exists():
        file.unlink()
        if not any(DROP_INS.iterdir()):
            DROP_INS.rmdir()
    return run("systemctl", "reload", UNIT, check=False).returncode if is_active() else 0


def journal(since):
    return output("journalctl", "--unit", UNIT, "--output", "cat", "--since", f"@{since:.3f}")


# Calls

def get(*properties, user=None):
    lines = output("busctl", "get-property", NAME, PATH, NAME, *properties, user=user).splitlines()
    values = [line.split(" ", 1)[1].strip('"') for line in lines]
    return values[0] if len(values) == 1 else values


def get_location(user=None, options="{}"):
    """Returns gdbus's output for GetLocation, including the error name if it fails."""
    result = run(
        "gdbus", "call", "--system", "--dest", NAME, "--object-path", PATH, "--method", f"{NAME}.GetLocation", options,
        user=user, check=False)
    return result.stdout + result.stderr


# Users

def add_user(name):
    try:
        pwd.getpwnam(name)
    except KeyError:
        run("useradd", "--create-home", "--shell", "/bin/sh", name)


class Session:
    """A login of a user at the seat, optionally with a GeoClue agent for that user."""

    current = {}

    def __init__(self, user, agent=True):
        add_user(user)
        self.user = user
        self.units = [f"seat-of-{user}.service"]
        self._run(self.units[0], "sleep", "infinity")
        # Not the first session that logind lists, because one that has ended may still be listed.
        self.group = eventually(self._find_group, "there is no session")
        self.id = re.search(r"/session-(\w+)\.scope", self.group).group(1)
        eventually(lambda: output("loginctl", "show-session", "--property", "State", "--value", self.id) == "active",
                   "the session does not become active", 60)
        self.current[user] = self
        if agent:
            self.units.append(f"agent-of-{user}.service")
            self._run(self.units[1], self._agent(), session=False)

    def _run(self, unit_name, *command, session=True):
        options = ["--collect", "--unit", unit_name, "--uid", self.user]
        if session:
            # Like a display manager: PAM tells logind about a session at the seat.
            options += ["-p", "PAMName=login", "--setenv=XDG_SEAT=seat0", "--setenv=XDG_SESSION_TYPE=tty",
                        "--setenv=XDG_SESSION_CLASS=user"]
        run("systemd-run", *options, *command)

    @staticmethod
    def _agent():
        for folder in ("/usr/libexec", "/usr/lib"):
            path = f"{folder}/geoclue-2.0/demos/agent"
            if os.path.exists(path):
                return path
        raise Failed("GeoClue's demo agent is missing")

    def _find_group(self):
        """Returns the control group of the session, which contains the process that started it."""
        process = unit("MainPID", self.units[0])
        try:
            lines = pathlib.Path(f"/proc/{process}/cgroup").read_text().splitlines()
        except OSError:
            return None
        groups = (line.split(":", 2)[2] for line in lines)
        return next((group for group in groups if "/session-" in group), None)

    def end(self):
        self.current.pop(self.user, None)
        for name in self.units:
            run("systemctl", "stop", name, check=False)


def session_bus(user):
    """Returns the command prefix for using the user's session bus and service manager."""
    runtime = f"/run/user/{pwd.getpwnam(user).pw_uid}"
    return ("env", f"XDG_RUNTIME_DIR={runtime}", f"DBUS_SESSION_BUS_ADDRESS=unix:path={runtime}/bus")


# A source of fixes for the real GeoClue

def geoclue_version():
    return tuple(map(int, output("dpkg-query", "-W", "-f", "${Version}", "geoclue-2.0").split("-")[0].split(".")))


GEOCLUE_SETTINGS = pathlib.Path("/etc/geoclue/geoclue.conf")


def set_geoclue(group, settings):
    """Changes GeoClue's settings in a group, and returns the text of the file before."""
    before = GEOCLUE_SETTINGS.read_text()
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(before)
    parser.read_dict({group: settings})
    with open(GEOCLUE_SETTINGS, "w") as out:
        parser.write(out, space_around_delimiters=False)
    return before


@contextlib.contextmanager
def locations_for(user):
    """Returns a source of fixes and a session of the user, both of which end with the block."""
    receiver = source()
    receiver.start()
    session = Session(user)
    try:
        yield receiver, session
    finally:
        session.end()
        receiver.stop()


def source():
    """Returns the best source that this GeoClue supports: /etc/geolocation since 2.7, before that a socket with NMEA."""
    return StaticSource() if geoclue_version() >= (2, 7) else NMEASource()


class StaticSource:
    file = pathlib.Path("/etc/geolocation")

    def start(self):
        self.move(52.5162750, 13.3777040)
        run("systemctl", "try-restart", "geoclue")

    def move(self, latitude, longitude):
        self.file.write_text(f"{latitude}\n{longitude}\n34\n5\n")

    def stop(self):
        self.file.unlink(missing_ok=True)
        run("systemctl", "stop", "geoclue")


class NMEASource:
    """A receiver on a socket that sends its position four times a second."""

    path = "/run/receiver.socket"

    def start(self):
        self.position = (52.5162750, 13.3777040)
        pathlib.Path(self.path).unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o777)
        self.listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()
        self.before = set_geoclue("network-nmea", {"enable": "true", "nmea-socket": self.path})
        run("systemctl", "try-restart", "geoclue")

    def move(self, latitude, longitude):
        self.position = (latitude, longitude)

    def stop(self):
        self.listener.close()
        GEOCLUE_SETTINGS.write_text(self.before)
        run("systemctl", "stop", "geoclue")

    def _serve(self):
        while True:
            try:
                reader, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._feed, args=(reader,), daemon=True).start()

    def _feed(self, reader):
        try:
            while True:
                reader.sendall(self._sentence())
                time.sleep(0.25)
        except OSError:
            reader.close()

    def _sentence(self):
        def angle(degrees, digits, signs):
            whole, minutes = divmod(round(abs(degrees) * 600_000_000), 600_000_000)
            return f"{whole:0{digits}}{minutes / 1e7:010.7f},{signs[degrees < 0]}"

        latitude, longitude = self.position
        body = (f"GPGGA,{time.strftime('%H%M%S', time.gmtime())}.00,{angle(latitude, 2, 'NS')},"
                f"{angle(longitude, 3, 'EW')},1,08,1.4,34.0,M,46.9,M,,")
        checksum = 0
        for byte in body.encode():
            checksum ^= byte
        return f"${body}*{checksum:02X}\r\n".encode()


# A client

class Client:
    """A client.py process of a user, and the events that it has printed."""

    def __init__(self, user=None):
        command = [sys.executable, str(HERE / "client.py")]
        if user:
            command = [*become(user), *command]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, preexec_fn=session_entry(user))
        # Otherwise it would outlive a failing test, because it is in the session's cgroup.
        atexit.register(self.end)
        self.events = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            event["at"] = time.monotonic()
            self.events.append(event)

    def wait(self, what, matches=lambda event: True, after=0, seconds=15):
        """Returns the first matching event with this name after the first `after` events."""
        def find():
            return next((e for e in self.events[after:] if e["event"] == what and matches(e)), None)
        return eventually(find, lambda: f"no {what} among {self.events[after:]}", seconds)

    def wait_location(self, latitude, longitude, after=0, seconds=15):
        def is_there(event):
            location = event["arguments"][0]
            return abs(location["Latitude"] - latitude) < 1e-6 and abs(location["Longitude"] - longitude) < 1e-6
        return self.wait("LocationUpdated", is_there, after, seconds)

    @property
    def count(self):
        return len(self.events)

    def end(self):
        self.process.terminate()
        self.process.wait()


def main(*tests):
    """Runs the tests. On a failure, prints it with the service's log and exits."""
    begin = time.time()
    for test in tests:
        print(f"{(test.__doc__ or test.__name__).splitlines()[0]}", flush=True)
        try:
            test()
        except (Failed, subprocess.SubprocessError, OSError) as error:
            print(f"FAILED: {error}\nThe service's log:\n{journal(begin)}", flush=True)
            sys.exit(1)
    print("passed", flush=True)
