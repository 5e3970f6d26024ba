#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A program that owns the service's name on a session bus and sends texts that try to control a terminal.

    hostile-service.py BUS-ADDRESS answers|errors|subscription|restart

`answers`: every call succeeds, and every text in the answer is hostile. `errors`: every call fails, with a hostile message.
`subscription`: like `answers`, but the words of the contract are valid, so that clients follow the signals, whose texts
are hostile. `restart`: like `subscription`, but access is allowed; after each location, the service leaves the bus and returns,
and then refuses the first start. Prints {"owner": ":1.N"} when it owns the name.
"""

import sys

from busjson import say
from busloop import Bus, Refused

NAME, ROOT = "org.geopublicist.Location1", "/org/geopublicist/Location1"
CLIENT = ROOT + "/client/1"
EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\rFAKE\ngeopublicist: FAKE: line\u202etxt.exe\u2028"
# The contract's sentence about rejected-by-agent.
REFUSAL = "The request was refused; try again from the program"


def text(value):
    return {"t": "s", "v": value}


class Service:
    def __init__(self, address, mode):
        self.mode, self.locations, self.refusals = mode, 0, 0
        self.bus = Bus(address)
        self.bus.on_call = self.called
        self.bus.ask("RequestName", "su", NAME, 4)
        say(owner=self.bus.name)

    def word(self, valid):
        return valid if self.mode in ("subscription", "restart") else EVIL

    def location(self):
        return {
            "Latitude": {"t": "d", "v": 52.5 + self.locations}, "Longitude": {"t": "d", "v": 13.25}, "Level": text(EVIL),
            "Source": text(EVIL), "Description": text(EVIL), "Simulated": {"t": "b", "v": False}, EVIL: text(EVIL)}

    def properties(self):
        words = {
            "Version": EVIL, "State": EVIL, "StateReason": EVIL, "StateMessage": EVIL, "AvailableAccuracy": EVIL,
            "AuthorizationStatus": self.word("denied"), "AuthorizationReason": self.word("rejected-by-agent"),
            "AuthorizationMessage": "" if self.mode == "restart" else EVIL}
        return {**{name: text(word) for name, word in words.items()}, "InUse": {"t": "b", "v": True}}

    def called(self, message):
        if self.mode == "errors":
            raise Refused("org.geopublicist.Location1.Error.NotAuthorized", EVIL)
        if message.member == "GetAll":
            return self.bus.reply(message, "a{sv}", self.properties())
        if message.member == "Get":
            return self.bus.reply(message, "v", self.properties()[message.values[1]])
        if message.member == "GetLocation":
            return self.bus.reply(message, "a{sv}", self.location())
        if message.member == "RequestAuthorization":
            return self.bus.reply(message, "ss", EVIL, EVIL)
        if message.member == "ListSubscriptions":
            entry = {"UserId": {"t": "u", "v": 0}, "DesktopId": text(EVIL), "Level": text(EVIL), "Kind": text(EVIL)}
            return self.bus.reply(message, "aa{sv}", [entry])
        if message.member.startswith("Create"):
            return self.bus.reply(message, "o", CLIENT)
        if message.member == "Start" and self.refusals > 0:
            self.refusals -= 1
            self.bus.after(0.2, lambda: self.authorize(message.sender))
            raise Refused("org.geopublicist.Location1.Error.NotAuthorized", REFUSAL)
        self.bus.reply(message)
        if message.member == "Start":
            self.serve_once(message.sender) if self.mode == "restart" else self.follow(message.sender)

    def authorize(self, client):
        self.bus.emit(
            CLIENT, NAME + ".Subscription", "AuthorizationChanged", "ss", "authorized-always", "", to=client)

    def serve_once(self, client):
        self.authorize(client)
        self.locations += 1
        self.bus.emit(CLIENT, NAME + ".Subscription", "LocationUpdated", "a{sv}", self.location(), to=client)
        self.refusals = 1
        self.bus.ask("ReleaseName", "s", NAME)
        self.bus.ask("RequestName", "su", NAME, 4)

    def follow(self, client):
        def emit(member, signature, *values):
            self.bus.emit(CLIENT, NAME + ".Subscription", member, signature, *values, to=client)

        emit("AuthorizationChanged", "ss", self.word("denied"), EVIL)
        emit("LocationUpdated", "a{sv}", self.location())
        emit("LocationUpdated", "a{sv}", self.location())
        emit("ErrorOccurred", "ss", NAME + ".Error.LocationUnavailable", EVIL)
        self.bus.after(0.5, lambda: emit("Closed", "s", EVIL))


Service(sys.argv[1], sys.argv[2]).bus.run(lambda command: None)
