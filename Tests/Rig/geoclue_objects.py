# SPDX-License-Identifier: Apache-2.0
"""GeoClue's objects with GeoClue's quirks, for faults that the real one cannot be made to show.

All of them were seen in 2.6.0, 2.7.2 and 2.8.2: CreateClient without an agent waits indefinitely, and still creates its
client if an agent appears long after the caller has given up; GetAll from another connection returns an empty
dictionary, not an error; LocationUpdated may precede the reply to Start; a Location object is removed 5 s after the
second update that follows it; if an agent turns location off and on again, GeoClue restarts the clients that it has
stopped, even if Stop was called meanwhile.
"""

import time

from busloop import INTROSPECTABLE, PROPERTIES, Refused
from wire import REPLY

NAME = "org.freedesktop.GeoClue2"
ROOT = "/org/freedesktop/GeoClue2"
MANAGER, CLIENT, LOCATION, AGENT = (f"{NAME}.{part}" for part in ("Manager", "Client", "Location", "Agent"))
WHITELIST = ("geoclue-demo-agent", "gnome-shell", "io.elementary.desktop.agent-geoclue2", "sm.puri.Phosh", "lipstick")
METHODS = ("GetClient", "CreateClient", "DeleteClient", "AddAgent")
UNKNOWN = -1.7976931348623157e308


def refused(name, text):
    return Refused("org.freedesktop.DBus.Error." + name, text)


def variant(signature, value):
    return {"t": signature, "v": value}


class Client:
    def __init__(self, path, owner, uid, agent):
        self.path, self.owner, self.uid, self.agent = path, owner, uid, agent
        self.location, self.updates, self.active, self.agent_stopped = "/", 0, False, False
        self.settings = {"DesktopId": variant("s", ""), "RequestedAccuracyLevel": variant("u", 4),
                         "DistanceThreshold": variant("u", 0), "TimeThreshold": variant("u", 0)}

    def properties(self):
        return {**self.settings, "Location": variant("o", self.location), "Active": variant("b", self.active)}


class Agent:
    def __init__(self, owner, uid, level):
        self.owner, self.uid, self.level = owner, uid, level


class GeoClue:
    def __init__(self, bus):
        self.bus = bus
        self.agents, self.agent_owners = {}, {}
        self.clients, self.waiting, self.locations = {}, [], {}
        self.made = 0
        self.fix, self.older, self.available = None, None, 8

    # Calls

    def handle(self, message):
        """Answers a call, now or later."""
        interface, member, path = message.interface, message.member, message.path
        if interface == PROPERTIES:
            self.bus.reply(message, *self.property_call(message))
        elif interface == INTROSPECTABLE:
            self.bus.reply(message, "s", self.introspection(path))
        elif interface == MANAGER and member in METHODS:
            getattr(self, member)(message)
        elif interface == CLIENT and member in ("Start", "Stop"):
            getattr(self, member)(message, self.client_of(message))
        else:
            raise refused("UnknownMethod", f"No such method “{member}”")

    def CreateClient(self, message):
        uid = self.bus.user(message.sender)
        if uid not in self.agents:
            self.waiting.append((uid, message))
            return
        self.made += 1
        path = f"{ROOT}/Client/{self.made}"
        self.clients[path] = Client(path, message.sender, uid, self.agents[uid])
        self.bus.reply(message, "o", path)

    def GetClient(self, message):
        own = [path for path, client in self.clients.items() if client.owner == message.sender]
        if own:
            self.bus.reply(message, "o", own[-1])
        else:
            self.CreateClient(message)

    def DeleteClient(self, message):
        path = message.values[0]
        if path in self.clients and self.clients[path].owner == message.sender:
            self.remove(path)
        self.bus.reply(message)

    def AddAgent(self, message):
        (desktop_id,), owner = message.values, message.sender
        if desktop_id not in WHITELIST:
            raise refused("AccessDenied", f"{desktop_id} not allowed to act as agent")

        def answered(answer):
            level = 0
            if answer.kind == REPLY and answer.signature == "a{sv}":
                level = answer.values[0].get("MaxAccuracyLevel", variant("u", 0))["v"]
            uid = self.bus.user(owner)
            self.agents[uid] = Agent(owner, uid, level)
            self.agent_owners[owner] = uid
            self.bus.reply(message)
            waiting, self.waiting = self.waiting, []
            for waiting_uid, call in waiting:
                self.CreateClient(call) if waiting_uid == uid else self.waiting.append((waiting_uid, call))

        self.bus.call(answered, owner, ROOT + "/Agent", PROPERTIES, "GetAll", "s", AGENT)

    def Start(self, message, client):
        desktop_id = client.settings["DesktopId"]["v"]
        if not client.active:
            if not desktop_id:
                raise refused("AccessDenied", "'DesktopId' property must be set")
            if client.agent.level == 0:
                raise refused("AccessDenied", f"Geolocation disabled for UID {client.uid}")
            self.activate(client)
        self.bus.reply(message)

    def Stop(self, message, client):
        self.set_active(client, False)
        self.bus.reply(message)

    def client_of(self, message):
        client = self.clients.get(message.path)
        if client is None:
            raise self.no_object(message.path)
        if client.owner != message.sender:
            raise refused("AccessDenied", "Access denied")
        return client

    # Properties

    def property_call(self, message):
        interface, *rest = message.values
        path, member = message.path, message.member
        owner, values = self.object_at(path, interface)
        if owner not in (None, message.sender):
            if member == "GetAll":
                return "a{sv}", {}
            raise refused("AccessDenied", "Access denied")
        if member == "GetAll":
            return "a{sv}", values
        if rest[0] not in values:
            raise refused("InvalidArgs", f"No such property “{rest[0]}”")
        if member == "Get":
            return "v", values[rest[0]]
        settings = self.clients[path].settings if path in self.clients else {}
        if rest[0] not in settings:
            raise refused("InvalidArgs", f"Property “{rest[0]}” is not writable")
        if settings[rest[0]]["t"] != rest[1]["t"]:
            raise refused("InvalidArgs", f"Error setting property “{rest[0]}”: Expected another type")
        settings[rest[0]] = rest[1]
        return ()

    def object_at(self, path, interface):
        """Returns the owner of the object (or None) and its properties."""
        if path == ROOT + "/Manager" and interface == MANAGER:
            in_use = any(client.active for client in self.clients.values())
            return None, {"InUse": variant("b", in_use), "AvailableAccuracyLevel": variant("u", self.available)}
        if path in self.clients and interface == CLIENT:
            return self.clients[path].owner, self.clients[path].properties()
        if path in self.locations and interface == LOCATION:
            return self.locations[path]
        raise self.no_object(path)

    @staticmethod
    def no_object(path):
        # The error is not UnknownObject, because GDBus does not return that error either.
        return refused("UnknownMethod", f"Object does not exist at path “{path}”")

    def introspection(self, path):
        below = path.rstrip("/") + "/"
        objects = [ROOT + "/Manager", *self.clients, *self.locations]
        children = sorted({o[len(below):].split("/")[0] for o in objects if o.startswith(below)})
        return "<node>" + "".join(f'<node name="{child}"/>' for child in children) + "</node>"

    # Automatic behaviour

    def activate(self, client):
        client.agent_stopped = False
        self.set_active(client, True)
        for fix in (self.older, self.fix):
            if fix is not None:
                self.update(client, fix)

    def set_active(self, client, active):
        if client.active != active:
            client.active = active
            self.bus.changed(client.path, CLIENT, {"Active": variant("b", active)})

    @staticmethod
    def measured(properties):
        """Returns a measurement, with defaults for the values that it lacks."""
        return {"Accuracy": variant("d", 0), "Altitude": variant("d", UNKNOWN), "Speed": variant("d", -1),
                "Heading": variant("d", -1), "Description": variant("s", ""),
                "Timestamp": variant("(tt)", [int(time.time()), 0]), **properties}

    def new_fix(self, properties):
        self.fix = self.measured(properties)
        for client in list(self.clients.values()):
            if client.active:
                self.update(client, self.fix)

    def update(self, client, fix):
        old, before = client.location, getattr(client, "previous", None)
        client.updates += 1
        client.previous, client.location = old, f"{client.path}/Location/{client.updates}"
        self.locations[client.location] = (client.owner, fix)
        if before:
            self.bus.after(5, lambda: self.locations.pop(before, None))
        self.bus.emit(client.path, CLIENT, "LocationUpdated", "oo", old, client.location, to=client.owner)
        place = variant("o", client.location)
        self.bus.after(0, lambda: self.bus.changed(client.path, CLIENT, {"Location": place}))

    def set_available(self, level):
        self.available = level
        self.bus.changed(ROOT + "/Manager", MANAGER, {"AvailableAccuracyLevel": variant("u", level)})

    def agent_changed(self, owner, level):
        for agent in {client.agent for client in self.clients.values()} | set(self.agents.values()):
            if agent.owner == owner:
                agent.level = level
        for client in self.clients.values():
            if client.agent.owner != owner:
                continue
            if level == 0 and client.active:
                client.agent_stopped = True
                self.set_active(client, False)
            elif level > 0 and client.agent_stopped:
                self.activate(client)

    def vanished(self, owner):
        """A connection left. When an older agent leaves, GeoClue also forgets the newer one of the same user."""
        self.agents.pop(self.agent_owners.pop(owner, None), None)
        for path in [path for path, client in self.clients.items() if client.owner == owner]:
            self.remove(path)

    def remove(self, path):
        del self.clients[path]
        self.locations = {at: location for at, location in self.locations.items() if not at.startswith(path + "/")}
