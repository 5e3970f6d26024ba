#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The life cycle of the package on a running system: installed, upgraded while a client is connected, removed, purged.

    lifecycle.py install PACKAGE | upgrade PACKAGE | remove | purge
"""

import sys

from harness import *


def apt(*arguments):
    run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", *arguments, timeout=300)


def foreign_files():
    """Nothing in another package is changed"""
    for package in ("geoclue-2.0", "polkitd", "dbus"):
        changed = run("dpkg", "--verify", package, check=False).stdout.strip()
        expect(not changed, changed)


def install():
    """The first call after the installation works without a reload; until then nothing runs"""
    add_user("alice")
    apt("install", sys.argv[2])
    expect(unit("LoadState") == "loaded", "systemd does not know the unit")
    expect(unit("ActiveState") == "inactive", "it was started")
    expect(pwd.getpwnam("geopublicist").pw_shell == "/usr/sbin/nologin", "the user has a login shell")
    get("Version", user="alice")
    expect(is_active(), "the call did not start it")
    expect("error" not in journal(0).lower(), journal(0))
    # The user exists before the bus reads the policy that names it.
    log = output("journalctl", "--boot", "--output", "cat")
    unknown = [line for line in log.splitlines() if re.search("(invalid|unknown) user", line, re.I)]
    expect(not unknown, f"the bus says: {unknown}")


def upgrade():
    """An upgrade restarts a running service with a client, and does not start one that is not running"""
    with locations_for("alice"):
        client = Client("alice")
        client.wait("LocationUpdated", seconds=30)
        before = unit("MainPID")
        seen = client.count
        apt("install", sys.argv[2])
        expect(unit("MainPID") not in ("0", before), "it was not restarted")
        client.wait("Closed", lambda e: e["arguments"] == ["shutdown"], after=seen)
        client.wait("LocationUpdated", after=seen, seconds=30)
        client.end()
        stop()
        apt("install", "--reinstall", sys.argv[2])
        expect(unit("ActiveState") == "inactive", "it was started")


def remove():
    """After removal, the service and every user's agent are no longer running, and the configuration remains"""
    get("Version")
    session = Session("alice", agent=False)
    manager = (*session_bus("alice"), "systemctl", "--user")
    eventually(lambda: run(*manager, "is-active", "dbus.socket", user="alice", check=False).returncode == 0,
               "there is no user's service manager", 30)
    run(*manager, "start", "geopublicist-agent.service", user="alice")
    eventually(lambda: run("pgrep", "-f", "geopublicist agent", check=False).stdout, "the agent does not run")
    apt("remove", "geopublicist")
    eventually(lambda: not run("pgrep", "-f", "geopublicist agent", check=False).stdout, "the agent still runs", 5)
    session.end()
    eventually(lambda: unit("LoadState") == "not-found", lambda: unit("LoadState"))
    answer = get_location()
    expect("ServiceUnknown" in answer, answer)
    expect(not run("pgrep", "geopublicistd", check=False).stdout, "it still runs")
    expect(os.path.exists("/etc/geopublicist/geopublicist.conf"), "the configuration is gone")


def purge():
    """After a purge, only the system user remains, and it owns no files"""
    apt("purge", "geopublicist")
    left = output("find", "/etc", "/usr", "/var/lib", "/var/cache", "/run", "-xdev", "-iname", "*geopublicist*")
    kept = [line for line in left.splitlines() if not line.startswith(("/var/lib/systemd/", "/run/systemd/"))]
    expect(not kept, f"left: {kept}")
    owned = output("find", "/", "-xdev", "-user", "geopublicist")
    expect(not owned, f"owned: {owned}")


main(*{"install": (install, foreign_files), "upgrade": (upgrade, foreign_files), "remove": (remove,),
       "purge": (purge, foreign_files)}[sys.argv[1]])
