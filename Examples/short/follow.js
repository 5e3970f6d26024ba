// SPDX-License-Identifier: Apache-2.0
const { Gio, GLib } = imports.gi;

const NAME = 'org.geopublicist.Location1';
const bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, null);
const call = (name, path, iface, method, values) =>
    bus.call_sync(name, path, iface, method, values, null, Gio.DBusCallFlags.NONE, -1, null);

let path;

function appeared() {
    if (path)  // The service may have kept it.
        bus.call(NAME, path, `${NAME}.Subscription`, 'Close', null, null, Gio.DBusCallFlags.NONE, -1, null, null);
    const options = { 'accuracy': new GLib.Variant('s', 'exact'), 'distance-threshold': new GLib.Variant('i', 10) };
    [path] = call(NAME, '/org/geopublicist/Location1', NAME, 'CreateSubscription',
        new GLib.Variant('(a{sv})', [options])).deepUnpack();
    call(NAME, path, `${NAME}.Subscription`, 'Start', null);
}

function vanished() {  // The service has exited or was never started: ask the bus to start it.
    bus.call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'StartServiceByName',
        new GLib.Variant('(su)', [NAME, 0]), null, Gio.DBusCallFlags.NONE, -1, null, null);
}

bus.signal_subscribe(NAME, `${NAME}.Subscription`, 'LocationUpdated', null, null, Gio.DBusSignalFlags.NONE,
    (_bus, _sender, _path, _interface, _signal, values) => {
        const [location] = values.recursiveUnpack();
        print(location.Latitude, location.Longitude);
    });
Gio.bus_watch_name_on_connection(bus, NAME, Gio.BusNameWatcherFlags.NONE, appeared, vanished);
GLib.MainLoop.new(null, false).run();
