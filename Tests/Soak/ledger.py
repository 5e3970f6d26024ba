# SPDX-License-Identifier: Apache-2.0
"""Checks the conditions that must hold.

A *session* of a well-behaved client is the time between two events after which it receives a first fix: a Start, or regained
access. Between its own first and last fix it must receive every fix that any client received, each once and in order. While
it is connected, it must have the newest fix of 10 s ago. While polkit restarts, deliveries may be held, and then only the
newest fix arrives. The observer, which runs as root and is never refused, checks that GeoClue works and reports every fix of
the receiver.
"""

import bisect
import time

# Calls without a timeout option must be answered within 5 s, GetLocation within 20 s, plus some time for a loaded machine.
ANSWER_WITHIN = 60


class Ledger:
    def __init__(self):
        self.violations = []
        self.published = []
        self.seen_at = {}
        self.sessions = []
        self.doubts = []
        self.calls = self.answers = self.abandoned = self.thrown = 0
        self.open_calls = {}

    def violation(self, text):
        if len(self.violations) < 50:
            self.violations.append(f"{time.strftime('%H:%M:%S')} {text}")

    # Fixes

    def saw(self, sequence):
        if sequence not in self.seen_at:
            self.seen_at[sequence] = time.monotonic()
            bisect.insort(self.published, sequence)

    def newest(self, age):
        """Returns the newest fix that any client had this many seconds ago."""
        before = time.monotonic() - age
        return next((number for number in reversed(self.published) if self.seen_at[number] < before), 0)

    def began_doubt(self):
        """Records that access is in doubt from now on."""
        self.doubts.append([time.monotonic(), float("inf")])

    def ended_doubt(self):
        """Records that access can be confirmed again. Deliveries are held for at most a second from then on."""
        self.doubts[-1][1] = time.monotonic() + 2

    def was_in_doubt(self, sequence):
        return any(begin <= self.seen_at[sequence] <= end for begin, end in self.doubts)

    def close_session(self, session):
        if session.first is not None:
            self.sessions.append(session)

    def check_sessions(self):
        """Compares the finished sessions with the published fixes."""
        for session in self.sessions:
            expected = self.published[
                bisect.bisect_left(self.published, session.first):bisect.bisect_right(self.published, session.last)]
            missing = set(expected) - session.seen
            missing = {sequence for sequence in missing if not self.was_in_doubt(sequence)}
            if missing:
                self.violation(f"{session.who} has not got {len(missing)} of {len(expected)} fixes, such as {min(missing)}")
        self.sessions = []

    # Calls

    def asked(self, member, whom):
        self.calls += 1
        self.open_calls[self.calls] = (member, whom, time.monotonic())
        return self.calls

    def answered(self, entry):
        self.answers += 1
        self.open_calls.pop(entry, None)

    def given_up(self, count):
        self.abandoned += count

    def check_calls(self, still_open):
        """Checks the calls. `still_open` are those of connections that still exist."""
        for entry in set(self.open_calls) - still_open:
            del self.open_calls[entry]
        for entry, (member, whom, asked) in list(self.open_calls.items()):
            if time.monotonic() - asked > ANSWER_WITHIN:
                self.violation(f"{member} of {whom} has had no answer for {ANSWER_WITHIN} s")
                del self.open_calls[entry]

    def thrown_out(self, connection):
        self.thrown += 1


class Session:
    """The fixes that a well-behaved client has received since its first one."""

    def __init__(self, who, ledger):
        self.who, self.ledger = who, ledger
        self.first = self.last = None
        self.seen = set()

    def take(self, sequence):
        self.ledger.saw(sequence)
        if self.last is not None and sequence <= self.last:
            self.ledger.violation(f"{self.who} got fix {sequence} after {self.last}")
        if self.first is None:
            self.first = sequence
        self.last = sequence
        self.seen.add(sequence)
