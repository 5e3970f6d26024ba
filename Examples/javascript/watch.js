#!/usr/bin/gjs
// SPDX-License-Identifier: Apache-2.0
// Follows the location with gjs.
//
//   watch.js BUS-ADDRESS|system|session LEVEL METRES COUNT
const { Gio, GLib } = imports.gi;

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

function proxy(connection, path, interfaceName) {
    return Gio.DBusProxy.new_sync(connection, Gio.DBusProxyFlags.NONE, null, NAME, path, interfaceName, null);
}

const [bus, level, metres, count] = ARGV;
const connection = connect(bus);
const loop = GLib.MainLoop.new(null, false);
const manager = proxy(connection, '/org/geopublicist/Location1', NAME);
const options = new GLib.Variant('(a{sv})', [{
    'accuracy': new GLib.Variant('s', level),
    'distance-threshold': new GLib.Variant('d', Number(metres)),
    'max-updates': new GLib.Variant('u', Number(count)),
}]);
const [path] = manager.call_sync('CreateSubscription', options, Gio.DBusCallFlags.NONE, -1, null).deepUnpack();
const subscription = proxy(connection, path, `${NAME}.Subscription`);

subscription.connect('g-signal', (_proxy, _sender, signal, parameters) => {
    const values = parameters.recursiveUnpack();
    switch (signal) {
    case 'LocationUpdated': {
        const { Latitude, Longitude, Level } = values[0];
        print(`location ${Latitude.toFixed(4)} ${Longitude.toFixed(4)} ${Level}`);
        break;
    }
    case 'AuthorizationChanged':
        print(['authorization', ...values].filter(word => word).join(' '));
        break;
    case 'Closed':
        print(`closed ${values[0]}`);
        loop.quit();
        break;
    }
});
subscription.call_sync('Start', null, Gio.DBusCallFlags.NONE, -1, null);
loop.run();
