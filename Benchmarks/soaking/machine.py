# SPDX-License-Identifier: Apache-2.0
"""The machine of the soak: the real GeoClue and polkit, the daemon as a user of its own, and people with agents."""

import os
import pathlib

from presence import memory
from rig import BUILT, RIG, SERVICE, TOP, Machine, end

DAEMON_USER = 1
PEOPLE = (5, 65534)
POLKIT = "org.freedesktop.PolicyKit1"
RULES = """
polkit.addRule(function(action, subject) {
  if (/^org.geopublicist.location1.access(-precise)?$/.test(action.id)) return polkit.Result.YES;
});
"""


class SoakMachine(Machine):
    # The limits are those of a normal installation; only that the service may exit when idle would end the soak.
    configuration = "[Service]\nidle-timeout=0\n"

    def __init__(self, broker, limits="raised", program=BUILT / "geopublicistd", people=PEOPLE):
        self.program = program
        # Without root everybody on the bus is this user, whom the service trusts without asking polkit.
        self.is_whole = os.getuid() == 0
        self.daemon_user = DAEMON_USER if self.is_whole else os.getuid()
        self.people = people if self.is_whole else (os.getuid(),)
        super().__init__(broker, owner=self.daemon_user, limits=limits)
        self.agents = [self.start_agent(user) for user in self.people] if self.is_whole else []
        self.geoclue = self.start_geoclue()
        self.polkit = self.begin_polkit() if self.is_whole else None
        self.daemon = self.start_daemon()

    @property
    def daemon_command(self):
        command = super().daemon_command
        if self.is_whole:
            user = str(self.daemon_user)
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--pdeathsig=KILL", "--", *command]
        return command

    def start_daemon(self):
        # What libdbus would complain about is a fault here.
        return super().start_daemon(DBUS_FATAL_WARNINGS="1")

    def start_agent(self, user):
        # The end of its input would end it.
        read, write = os.pipe()
        process = self.start(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--pdeathsig=KILL", "--",
                              "/usr/bin/python3", RIG / "geoclue-agent.py", self.address], standard_input=read)
        os.close(read)
        self.callback(os.close, write)
        return process

    def begin_polkit(self):
        for name in ("actions", "rules"):
            (self.folder / name).mkdir(exist_ok=True)
        policy = (TOP / "packaging/polkit/org.geopublicist.location1.policy").read_text()
        (self.folder / "actions/soak.policy").write_text(
            policy.replace("unix-user:geopublicist", f"unix-user:{self.daemon_user}"))
        (self.folder / "rules/50-soak.rules").write_text(RULES)
        return self.start(
            [RIG / "with-mounts.sh", f"{self.folder}/actions=/usr/share/polkit-1/actions",
             f"{self.folder}/rules=/etc/polkit-1/rules.d", "--", "/usr/lib/polkit-1/polkitd"],
            DBUS_SYSTEM_BUS_ADDRESS=self.address)

    # Both return at once: a thread that waited would have to share the user that connections are made as.

    def restart_geoclue(self):
        end(self.geoclue)
        self.geoclue = self.begin_geoclue()

    def restart_polkit(self):
        end(self.polkit)
        self.polkit = self.begin_polkit()

    def change_rules(self, number):
        """polkit reads its rules again and says that something has changed, though nothing has for the service."""
        (self.folder / "rules/50-soak.rules").write_text(f"{RULES}// {number}\n")

    def descriptors(self):
        try:
            return len(list(pathlib.Path(f"/proc/{self.daemon.pid}/fd").iterdir()))
        except PermissionError:
            # The service lets nobody look into it who is not root.
            return 0

    def memory(self):
        return memory(self.daemon.pid)

    def daemon_log(self):
        return pathlib.Path(self.daemon.log).read_text(errors="replace")
