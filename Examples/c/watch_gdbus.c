// SPDX-License-Identifier: Apache-2.0
/* Follows the location with GDBus and the code that gdbus-codegen makes of the published XML:
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

static void updated(GeoLocation1Subscription *subscription, GVariant *location)
{
  double latitude, longitude;
  const char *level;

  if (g_variant_lookup(location, "Latitude", "d", &latitude) && g_variant_lookup(location, "Longitude", "d", &longitude) &&
      g_variant_lookup(location, "Level", "&s", &level)) {
    printf("location %.4f %.4f %s\n", latitude, longitude, level);
    fflush(stdout);
  }
}

static void authorization_changed(GeoLocation1Subscription *subscription, const char *status, const char *reason)
{
  printf("authorization %s%s%s\n", status, *reason ? " " : "", reason);
  fflush(stdout);
}

static void closed(GeoLocation1Subscription *subscription, const char *reason, GMainLoop *loop)
{
  printf("closed %s\n", reason);
  g_main_loop_quit(loop);
}

int main(int argc, char **argv)
{
  GError *error = NULL;
  GDBusConnection *connection;
  GeoLocation1 *manager = NULL;
  GeoLocation1Subscription *subscription = NULL;
  GVariantBuilder options;
  char *path = NULL;
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);

  if (argc != 5) {
    fprintf(stderr, "usage: %s BUS LEVEL METRES COUNT\n", argv[0]);
    return 2;
  }
  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&options, "{sv}", "accuracy", g_variant_new_string(argv[2]));
  g_variant_builder_add(&options, "{sv}", "distance-threshold", g_variant_new_double(g_ascii_strtod(argv[3], NULL)));
  g_variant_builder_add(&options, "{sv}", "max-updates", g_variant_new_uint32(strtoul(argv[4], NULL, 10)));

  if ((connection = connect_to(argv[1], &error)) &&
      (manager = geo_location1_proxy_new_sync(
         connection, G_DBUS_PROXY_FLAGS_NONE, NAME, "/org/geopublicist/Location1", NULL, &error)) &&
      geo_location1_call_create_subscription_sync(manager, g_variant_builder_end(&options), &path, NULL, &error) &&
      (subscription = geo_location1_subscription_proxy_new_sync(
         connection, G_DBUS_PROXY_FLAGS_NONE, NAME, path, NULL, &error))) {
    g_signal_connect(subscription, "location-updated", G_CALLBACK(updated), NULL);
    g_signal_connect(subscription, "authorization-changed", G_CALLBACK(authorization_changed), NULL);
    g_signal_connect(subscription, "closed", G_CALLBACK(closed), loop);
    if (geo_location1_subscription_call_start_sync(subscription, NULL, &error))
      g_main_loop_run(loop);
  }
  if (error) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  return 0;
}
