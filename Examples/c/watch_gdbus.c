// SPDX-License-Identifier: Apache-2.0
/* Follows the location with GDBus and the code that gdbus-codegen generates from the published XML, across restarts of the
 * service:
 *
 *   gdbus-codegen --interface-prefix org.geopublicist. --c-namespace Geo --generate-c-code location1 \
 *     /usr/share/dbus-1/interfaces/org.geopublicist.Location1.xml \
 *     /usr/share/dbus-1/interfaces/org.geopublicist.Location1.Subscription.xml
 *   cc -o watch_gdbus watch_gdbus.c location1.c $(pkg-config --cflags --libs gio-unix-2.0)
 *
 *   watch_gdbus BUS-ADDRESS|system|session LEVEL METRES COUNT
 */
#include <stdio.h>
#include <stdlib.h>

#include "location1.h"

#define NAME "org.geopublicist.Location1"

typedef struct {
  char **argv;
  GMainLoop *loop;
  GeoLocation1Subscription *subscription;
  guint shown;
  char *authorization;
} Watch;

static GDBusConnection *connect_to(const char *bus, GError **error)
{
  if (g_str_equal(bus, "system"))
    return g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, error);
  if (g_str_equal(bus, "session"))
    return g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, error);
  return g_dbus_connection_new_for_address_sync(
    bus, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL,
    error);
}

static void updated(GeoLocation1Subscription *subscription, GVariant *location, Watch *watch)
{
  double latitude, longitude;
  const char *level;

  if (g_variant_lookup(location, "Latitude", "d", &latitude) && g_variant_lookup(location, "Longitude", "d", &longitude) &&
      g_variant_lookup(location, "Level", "&s", &level)) {
    watch->shown++;
    printf("location %.4f %.4f %s\n", latitude, longitude, level);
    fflush(stdout);
  }
}

static void authorization_changed(GeoLocation1Subscription *subscription, const char *status, const char *reason,
                                  Watch *watch)
{
  char *text = g_strconcat(status, *reason ? " " : "", reason, NULL);

  /* Each subscription reports it once. */
  if (g_strcmp0(text, watch->authorization))
    printf("authorization %s\n", text);
  fflush(stdout);
  g_free(watch->authorization);
  watch->authorization = text;
}

static void closed(GeoLocation1Subscription *subscription, const char *reason, Watch *watch)
{
  if (g_str_equal(reason, "shutdown"))
    return;
  printf("closed %s\n", reason);
  g_main_loop_quit(watch->loop);
}

static void appeared(GDBusConnection *connection, const char *name, const char *owner, gpointer data)
{
  Watch *watch = data;
  GError *error = NULL;
  GeoLocation1 *manager;
  GVariantBuilder options;
  char *path = NULL;

  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&options, "{sv}", "accuracy", g_variant_new_string(watch->argv[2]));
  g_variant_builder_add(
    &options, "{sv}", "distance-threshold", g_variant_new_double(g_ascii_strtod(watch->argv[3], NULL)));
  g_variant_builder_add(
    &options, "{sv}", "max-updates", g_variant_new_uint32(strtoul(watch->argv[4], NULL, 10) - watch->shown));

  /* The service keeps the last subscription if the bus has closed the service's connection. */
  if (watch->subscription)
    g_dbus_connection_call(
      connection, NAME, g_dbus_proxy_get_object_path(G_DBUS_PROXY(watch->subscription)), NAME ".Subscription", "Close",
      NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
  /* The proxy of the last subscription takes its signal handlers with it. */
  g_clear_object(&watch->subscription);
  manager = geo_location1_proxy_new_sync(
    connection, G_DBUS_PROXY_FLAGS_NONE, NAME, "/org/geopublicist/Location1", NULL, &error);
  if (manager &&
      geo_location1_call_create_subscription_sync(manager, g_variant_builder_end(&options), &path, NULL, &error) &&
      (watch->subscription = geo_location1_subscription_proxy_new_sync(
         connection, G_DBUS_PROXY_FLAGS_NONE, NAME, path, NULL, &error))) {
    g_signal_connect(watch->subscription, "location-updated", G_CALLBACK(updated), watch);
    g_signal_connect(watch->subscription, "authorization-changed", G_CALLBACK(authorization_changed), watch);
    g_signal_connect(watch->subscription, "closed", G_CALLBACK(closed), watch);
    geo_location1_subscription_call_start_sync(watch->subscription, NULL, &error);
  }
  if (error)
    fprintf(stderr, "%s\n", error->message);
  g_clear_error(&error);
  g_clear_object(&manager);
  g_free(path);
}

static void vanished(GDBusConnection *connection, const char *name, gpointer data)
{
  /* The service has exited or was never started: ask the bus to start it. */
  if (connection)
    g_dbus_connection_call(
      connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName",
      g_variant_new("(su)", NAME, 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

int main(int argc, char **argv)
{
  Watch watch = { .argv = argv, .loop = g_main_loop_new(NULL, FALSE) };
  GError *error = NULL;
  GDBusConnection *connection;

  if (argc != 5) {
    fprintf(stderr, "usage: %s BUS LEVEL METRES COUNT\n", argv[0]);
    return 2;
  }
  if (!(connection = connect_to(argv[1], &error))) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  g_bus_watch_name_on_connection(
    connection, NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, appeared, vanished, &watch, NULL);
  g_main_loop_run(watch.loop);
  return 0;
}
