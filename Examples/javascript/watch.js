#!/usr/bin/gjs
// SPDX-License-Identifier: Apache-2.0
// Follows the location with gjs, across restarts of the service.
//
//   watch.js BUS-ADDRESS|system|session LEVEL METRES COUNT
const { Gio, GLib } = imports.gi;
const System = imports.system;

const NAME = 'org.geopublicist.Location1';

function connect(bus) {
    if (bus === 'system')
        return Gio.bus_get_sync(Gio.BusType.SYSTEM, null);
    if (bus === 'session')
        return Gio.bus_get_sync(Gio.BusType.SESSION, null);
    return Gio.DBusConnection.new_for_address_sync(
        bus,
        Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
        null, null);
}

if (ARGV.length !== 4) {
    printerr(`usage: ${System.programInvocationName} BUS-ADDRESS|system|session LEVEL METRES COUNT`);
    System.exit(2);
}
const [bus, level, metres, count] = ARGV;
const connection = connect(bus);
const loop = GLib.MainLoop.new(null, false);
let shown = 0;
let authorization = '';

function call(path, interfaceName, method, values) {
    return connection.call_sync(NAME, path, interfaceName, method, values, null, Gio.DBusCallFlags.NONE, -1, null);
}

let path;

function appeared() {
    if (path) {  // The service keeps it if the bus has closed the service's connection.
        connection.call(NAME, path, `${NAME}.Subscription`, 'Close', null, null, Gio.DBusCallFlags.NONE, -1, null,
            null);
    }
    const options = new GLib.Variant('(a{sv})', [{
        'accuracy': new GLib.Variant('s', level),
        'distance-threshold': new GLib.Variant('d', Number(metres)),
        'max-updates': new GLib.Variant('u', Number(count) - shown),
    }]);
    [path] = call('/org/geopublicist/Location1', NAME, 'CreateSubscription', options).deepUnpack();
    call(path, `${NAME}.Subscription`, 'Start', null);
}

function vanished() {
    // The service has exited or was never started: ask the bus to start it.
    connection.call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'StartServiceByName',
        new GLib.Variant('(su)', [NAME, 0]), null, Gio.DBusCallFlags.NONE, -1, null, null);
}

function received(_connection, _sender, _path, _interface, signal, parameters) {
    const values = parameters.recursiveUnpack();
    const text = values.filter(word => word).join(' ');
    if (signal === 'LocationUpdated') {
        const { Latitude, Longitude, Level } = values[0];
        shown++;
        print(`location ${Latitude.toFixed(4)} ${Longitude.toFixed(4)} ${Level}`);
    } else if (signal === 'AuthorizationChanged' && text !== authorization) {
        authorization = text;
        print(`authorization ${text}`);
    } else if (signal === 'Closed' && !['shutdown', 'by-consumer'].includes(text)) {
        print(`closed ${text}`);
        loop.quit();
    }
}

// Signals reach only the owner of a subscription, so one match without a path serves every later subscription, too.
connection.signal_subscribe(
    NAME, `${NAME}.Subscription`, null, null, null, Gio.DBusSignalFlags.NONE, received);
Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE, appeared, vanished);
loop.run();
