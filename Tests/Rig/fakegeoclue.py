"""GeoClue's objects with GeoClue's quirks, for faults that the real one cannot be made to show.

The quirks were all seen in 2.6.0, 2.7.2 and 2.8.2: a CreateClient without an agent waits for ever, and still makes
its client when an agent comes long after the caller has given up; a foreign GetAll is an empty dictionary and no error; a
LocationUpdated may come before the reply to Start; a Location object goes 5 s after the second update that follows it; a
client that was stopped by its agent is started again by it, even if Stop was called meanwhile.
"""

import dbus
import dbus.lowlevel
from gi.repository import GLib

NAME = "org.freedesktop.GeoClue2"
ROOT = "/org/freedesktop/GeoClue2"
MANAGER, CLIENT, LOCATION, AGENT = (f"{NAME}.{part}" for part in ("Manager", "Client", "Location", "Agent"))
PROPERTIES = "org.freedesktop.DBus.Properties"
ERROR = "org.freedesktop.DBus.Error."
WHITELIST = ("geoclue-demo-agent", "gnome-shell", "io.elementary.desktop.agent-geoclue2", "sm.puri.Phosh", "lipstick")
METHODS = ("GetClient", "CreateClient", "DeleteClient", "AddAgent")
UNKNOWN = -1.7976931348623157e308


class Refused(Exception):
    def __init__(self, name, text):
        super().__init__(text)
        self.name, self.text = ERROR + name, text


class Client:
    def __init__(self, path, owner, uid, agent):
        self.path, self.owner, self.uid, self.agent = path, owner, uid, agent
        self.location, self.updates, self.active, self.agent_stopped = "/", 0, False, False
        self.settings = {"DesktopId": dbus.String(""), "RequestedAccuracyLevel": dbus.UInt32(4),
                         "DistanceThreshold": dbus.UInt32(0), "TimeThreshold": dbus.UInt32(0)}

    def properties(self):
        return {**self.settings, "Location": dbus.ObjectPath(self.location), "Active": dbus.Boolean(self.active)}


class Agent:
    def __init__(self, owner, uid, level):
        self.owner, self.uid, self.level = owner, uid, level


class GeoClue:
    def __init__(self, bus):
        self.bus = bus
        self.agents, self.agent_owners = {}, {}
        self.clients, self.waiting, self.locations = {}, [], {}
        self.made = 0
        self.fix, self.available, self.disallowed = None, 8, []

    # Calls

    def handle(self, message):
        """Answers a call, now or later."""
        member, path = message.get_member(), message.get_path()
        try:
            if message.get_interface() == PROPERTIES:
                self.reply(message, *self.property_call(message))
            elif message.get_interface() == "org.freedesktop.DBus.Introspectable":
                self.reply(message, "s", self.introspection(path))
            elif message.get_interface() == MANAGER and member in METHODS:
                getattr(self, member)(message)
            elif message.get_interface() == CLIENT and member in ("Start", "Stop"):
                getattr(self, member)(message, self.client_of(message))
            else:
                raise Refused("UnknownMethod", f"No such method “{member}”")
        except Refused as refusal:
            self.refuse(message, refusal.name, refusal.text)

    def CreateClient(self, message):
        uid = self.bus.get_unix_user(message.get_sender())
        if uid not in self.agents:
            self.waiting.append((uid, message))
            return
        self.made += 1
        path = f"{ROOT}/Client/{self.made}"
        self.clients[path] = Client(path, message.get_sender(), uid, self.agents[uid])
        self.reply(message, "o", path)

    def GetClient(self, message):
        own = [path for path, client in self.clients.items() if client.owner == message.get_sender()]
        if own:
            self.reply(message, "o", own[-1])
        else:
            self.CreateClient(message)

    def DeleteClient(self, message):
        path = message.get_args_list()[0]
        if path in self.clients and self.clients[path].owner == message.get_sender():
            self.remove(path)
        self.reply(message)

    def AddAgent(self, message):
        (desktop_id,), owner = message.get_args_list(), message.get_sender()
        if desktop_id not in WHITELIST:
            raise Refused("AccessDenied", f"{desktop_id} not allowed to act as agent")

        def answered(answer):
            level = 0
            if not isinstance(answer, dbus.lowlevel.ErrorMessage) and answer.get_signature() == "a{sv}":
                level = int(answer.get_args_list()[0].get("MaxAccuracyLevel", 0))
            uid = self.bus.get_unix_user(owner)
            self.agents[uid] = Agent(owner, uid, level)
            self.agent_owners[owner] = uid
            self.reply(message)
            waiting, self.waiting = self.waiting, []
            for waiting_uid, call in waiting:
                self.CreateClient(call) if waiting_uid == uid else self.waiting.append((waiting_uid, call))

        question = dbus.lowlevel.MethodCallMessage(owner, ROOT + "/Agent", PROPERTIES, "GetAll")
        question.append(AGENT, signature="s")
        self.bus.send_message_with_reply(question, answered, 25)

    def Start(self, message, client):
        desktop_id = client.settings["DesktopId"]
        if not client.active:
            if not desktop_id:
                raise Refused("AccessDenied", "'DesktopId' property must be set")
            if desktop_id in self.disallowed:
                raise Refused("AccessDenied", f"'{desktop_id}' disallowed by configuration for UID {client.uid}")
            if client.agent.level == 0:
                raise Refused("AccessDenied", f"Geolocation disabled for UID {client.uid}")
            self.activate(client)
        self.reply(message)

    def Stop(self, message, client):
        self.set_active(client, False)
        self.reply(message)

    def client_of(self, message):
        client = self.clients.get(message.get_path())
        if client is None:
            raise self.no_object(message.get_path())
        if client.owner != message.get_sender():
            raise Refused("AccessDenied", "Access denied")
        return client

    # Properties

    def property_call(self, message):
        interface, *rest = message.get_args_list()
        path, member = message.get_path(), message.get_member()
        owner, values = self.object_at(path, interface)
        if owner not in (None, message.get_sender()):
            if member == "GetAll":
                return "a{sv}", dbus.Dictionary({}, signature="sv")
            raise Refused("AccessDenied", "Access denied")
        if member == "GetAll":
            return "a{sv}", values
        if rest[0] not in values:
            raise Refused("InvalidArgs", f"No such property “{rest[0]}”")
        if member == "Get":
            return "v", values[rest[0]]
        settings = self.clients[path].settings if path in self.clients else {}
        if rest[0] not in settings:
            raise Refused("InvalidArgs", f"Property “{rest[0]}” is not writable")
        if type(settings[rest[0]]) is not type(rest[1]):
            raise Refused("InvalidArgs", f"Error setting property “{rest[0]}”: Expected another type")
        settings[rest[0]] = type(rest[1])(rest[1])
        return ()

    def object_at(self, path, interface):
        """Who owns the object (nobody: None) and its properties."""
        if path == ROOT + "/Manager" and interface == MANAGER:
            in_use = any(client.active for client in self.clients.values())
            return None, {"InUse": dbus.Boolean(in_use), "AvailableAccuracyLevel": dbus.UInt32(self.available)}
        if path in self.clients and interface == CLIENT:
            return self.clients[path].owner, self.clients[path].properties()
        if path in self.locations and interface == LOCATION:
            return self.locations[path]
        raise self.no_object(path)

    @staticmethod
    def no_object(path):
        # Not UnknownObject: so it is in GDBus.
        return Refused("UnknownMethod", f"Object does not exist at path “{path}”")

    def introspection(self, path):
        below = path.rstrip("/") + "/"
        objects = [ROOT + "/Manager", *self.clients, *self.locations]
        children = sorted({o[len(below):].split("/")[0] for o in objects if o.startswith(below)})
        return "<node>" + "".join(f'<node name="{child}"/>' for child in children) + "</node>"

    # What happens by itself

    def activate(self, client):
        client.agent_stopped = False
        self.set_active(client, True)
        if self.fix is not None:
            self.update(client)

    def set_active(self, client, active):
        if client.active != active:
            client.active = active
            self.changed(client.path, CLIENT, {"Active": dbus.Boolean(active)})

    def new_fix(self, properties):
        """What the source measured, with defaults for what is not said."""
        self.fix = {"Accuracy": dbus.Double(0), "Altitude": dbus.Double(UNKNOWN), "Speed": dbus.Double(-1),
                    "Heading": dbus.Double(-1), "Description": dbus.String(""),
                    "Timestamp": dbus.Struct((int(GLib.get_real_time() // 1000000), 0), signature="tt"), **properties}
        for client in list(self.clients.values()):
            if client.active:
                self.update(client)

    def update(self, client):
        old, before = client.location, getattr(client, "previous", None)
        client.updates += 1
        client.previous, client.location = old, f"{client.path}/Location/{client.updates}"
        self.locations[client.location] = (client.owner, self.fix)
        if before:
            GLib.timeout_add_seconds(5, lambda: self.locations.pop(before, None) and False)
        signal = dbus.lowlevel.SignalMessage(client.path, CLIENT, "LocationUpdated")
        signal.set_destination(client.owner)
        signal.append(old, client.location, signature="oo")
        self.bus.send_message(signal)
        GLib.idle_add(self.changed, client.path, CLIENT, {"Location": dbus.ObjectPath(client.location)})

    def set_available(self, level):
        self.available = level
        self.changed(ROOT + "/Manager", MANAGER, {"AvailableAccuracyLevel": dbus.UInt32(level)})

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
        """A connection left. When an older agent goes, the newer one of the same user is forgotten with it."""
        self.agents.pop(self.agent_owners.pop(owner, None), None)
        for path in [path for path, client in self.clients.items() if client.owner == owner]:
            self.remove(path)

    def remove(self, path):
        del self.clients[path]
        self.locations = {at: location for at, location in self.locations.items() if not at.startswith(path + "/")}

    # Messages

    def reply(self, message, signature="", *values):
        answer = dbus.lowlevel.MethodReturnMessage(message)
        if signature:
            answer.append(*values, signature=signature)
        self.bus.send_message(answer)

    def refuse(self, message, name, text):
        self.bus.send_message(dbus.lowlevel.ErrorMessage(message, name, text))

    def changed(self, path, interface, values):
        """Broadcasts PropertiesChanged, as GeoClue does for every object."""
        signal = dbus.lowlevel.SignalMessage(path, PROPERTIES, "PropertiesChanged")
        signal.append(interface, values, dbus.Array([], signature="s"), signature="sa{sv}as")
        self.bus.send_message(signal)
        return False
