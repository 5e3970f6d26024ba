// SPDX-License-Identifier: Apache-2.0
const { Gio, GLib } = imports.gi;

const NAME = 'org.geopublicist.Location1';
const proxy = (path, name) => Gio.DBusProxy.new_for_bus_sync(Gio.BusType.SYSTEM, 0, null, NAME, path, name, null);

const options = new GLib.Variant('(a{sv})', [{ 'accuracy': new GLib.Variant('s', 'exact') }]);
const [path] = proxy('/org/geopublicist/Location1', NAME)
    .call_sync('CreateSubscription', options, 0, -1, null).deepUnpack();
const subscription = proxy(path, `${NAME}.Subscription`);
subscription.connect('g-signal', (_proxy, _sender, signal, values) => {
    const [location] = values.recursiveUnpack();
    if (signal === 'LocationUpdated')
        print(location.Latitude, location.Longitude);
});
subscription.call_sync('Start', null, 0, -1, null);
GLib.MainLoop.new(null, false).run();
