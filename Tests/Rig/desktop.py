# SPDX-License-Identifier: Apache-2.0
"""A desktop: the real GeoClue and polkit, the service as a separate user, and users with agents."""

import os

from machine import RIG, TOP, as_user, descriptors, end, log_of, memory
from release import BUILT, Machine

SERVICE_USER = 1
PEOPLE = (5, 65534)
POLKIT = "org.freedesktop.PolicyKit1"
RULES = """
polkit.addRule(function(action, subject) {
  if (/^org.geopublicist.location1.access(-precise)?$/.test(action.id)) return polkit.Result.YES;
});
"""


class Desktop(Machine):
    def __init__(self, broker, limits="raised", program=BUILT / "geopublicistd", people=PEOPLE):
        self.program = program
        # Without root, every client belongs to this user, whom the service trusts without asking polkit.
        self.is_whole = os.getuid() == 0
        self.service_user = SERVICE_USER if self.is_whole else os.getuid()
        self.people = people if self.is_whole else (os.getuid(),)
        super().__init__(broker, owner=self.service_user, limits=limits)
        self.agents = [self.start_agent(user) for user in self.people] if self.is_whole else []
        self.geoclue = self.start_geoclue()
        self.polkit = self.begin_polkit() if self.is_whole else None
        self.service = self.start_service()

    @property
    def service_command(self):
        command = super().service_command
        return as_user(self.service_user, command) if self.is_whole else command

    def start_service(self):
        # Warnings from libdbus count as failures.
        return super().start_service(DBUS_FATAL_WARNINGS="1")

    def start_agent(self, user):
        # It exits at the end of its input.
        read, write = os.pipe()
        process = self.start(
            as_user(user, ["/usr/bin/python3", RIG / "geoclue-agent.py", self.address]), standard_input=read)
        os.close(read)
        self.callback(os.close, write)
        return process

    def begin_polkit(self):
        for name in ("actions", "rules"):
            (self.folder / name).mkdir(exist_ok=True)
        policy = (TOP / "packaging/polkit/org.geopublicist.location1.policy").read_text()
        (self.folder / "actions/geopublicist.policy").write_text(
            policy.replace("unix-user:geopublicist", f"unix-user:{self.service_user}"))
        (self.folder / "rules/50-geopublicist.rules").write_text(RULES)
        return self.start(
            [RIG / "with-mounts.sh", f"{self.folder}/actions=/usr/share/polkit-1/actions",
             f"{self.folder}/rules=/etc/polkit-1/rules.d", "--", RIG / "polkitd.sh"],
            DBUS_SYSTEM_BUS_ADDRESS=self.address)

    # Both return immediately, because a waiting thread would share the user id under which connections are opened.

    def restart_geoclue(self):
        end(self.geoclue)
        self.geoclue = self.begin_geoclue()

    def restart_polkit(self):
        end(self.polkit)
        self.polkit = self.begin_polkit()

    def change_rules(self, number):
        """Makes polkit reload its rules and announce a change that does not affect the service."""
        (self.folder / "rules/50-geopublicist.rules").write_text(f"{RULES}// {number}\n")

    def descriptors(self):
        return descriptors(self.service.pid)

    def memory(self):
        return memory(self.service.pid)

    def service_log(self):
        return log_of(self.service)
