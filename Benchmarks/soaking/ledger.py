# SPDX-License-Identifier: Apache-2.0
"""What has to hold, and whether it does.

A *session* of a well-behaved consumer is the time between two events after which it gets a first fix: a Start, or access
regained. It must get every fix that anybody got between its own first and its last one, each once and in their order; and
as long as it is there, the newest fix of 10 s ago. While polkit is being restarted, deliveries may be held, and then only the newest
fix comes. That GeoClue lives, and says each fix that the receiver has, is seen to
by the observer, who is root and whom nobody may refuse.
"""

import bisect
import time

# A call without a timeout of its own is answered within 5 s, GetLocation within 20 s; a machine under load gets more.
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
        """The newest fix that somebody had so many seconds ago."""
        before = time.monotonic() - age
        return next((number for number in reversed(self.published) if self.seen_at[number] < before), 0)

    def began_doubt(self):
        """Access is in doubt from now on."""
        self.doubts.append([time.monotonic(), float("inf")])

    def ended_doubt(self):
        """Access can be confirmed again; deliveries are held for a second at most."""
        self.doubts[-1][1] = time.monotonic() + 2

    def was_in_doubt(self, sequence):
        return any(begin <= self.seen_at[sequence] <= end for begin, end in self.doubts)

    def close_session(self, session):
        if session.first is not None:
            self.sessions.append(session)

    def check_sessions(self):
        """Compares the sessions that have ended with what was published."""
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
        """`still_open` are the calls of connections that are still there."""
        for entry in set(self.open_calls) - still_open:
            del self.open_calls[entry]
        for entry, (member, whom, asked) in list(self.open_calls.items()):
            if time.monotonic() - asked > ANSWER_WITHIN:
                self.violation(f"{member} of {whom} has had no answer for {ANSWER_WITHIN} s")
                del self.open_calls[entry]

    def thrown_out(self, connection):
        self.thrown += 1


class Session:
    """What one well-behaved consumer got since its first fix."""

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
