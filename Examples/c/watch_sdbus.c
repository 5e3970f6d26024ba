// SPDX-License-Identifier: Apache-2.0
/* Follows the location with sd-bus (package libsystemd-dev):
 *
 *   cc -o watch_sdbus watch_sdbus.c $(pkg-config --cflags --libs libsystemd)
 *
 *   watch_sdbus BUS-ADDRESS|system|session LEVEL METRES COUNT
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME "org.geopublicist.Location1"

static bool is_closed;

static int connect_to(const char *address, sd_bus **bus)
{
  int r;

  if (!strcmp(address, "system"))
    return sd_bus_open_system(bus);
  if (!strcmp(address, "session"))
    return sd_bus_open_user(bus);
  if ((r = sd_bus_new(bus)) < 0 || (r = sd_bus_set_address(*bus, address)) < 0 ||
      (r = sd_bus_set_bus_client(*bus, true)) < 0)
    return r;
  return sd_bus_start(*bus);
}

static int updated(sd_bus_message *message, void *data, sd_bus_error *error)
{
  double latitude = 0, longitude = 0;
  const char *key, *level = "";
  int r;

  if ((r = sd_bus_message_enter_container(message, 'a', "{sv}")) < 0)
    return r;
  while ((r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
    if ((r = sd_bus_message_read(message, "s", &key)) < 0)
      return r;
    if (!strcmp(key, "Latitude"))
      r = sd_bus_message_read(message, "v", "d", &latitude);
    else if (!strcmp(key, "Longitude"))
      r = sd_bus_message_read(message, "v", "d", &longitude);
    else if (!strcmp(key, "Level"))
      r = sd_bus_message_read(message, "v", "s", &level);
    else
      r = sd_bus_message_skip(message, "v");
    if (r < 0 || (r = sd_bus_message_exit_container(message)) < 0)
      return r;
  }
  printf("location %.4f %.4f %s\n", latitude, longitude, level);
  fflush(stdout);
  return r;
}

static int authorization_changed(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *status, *reason;
  int r = sd_bus_message_read(message, "ss", &status, &reason);

  if (r >= 0) {
    printf("authorization %s%s%s\n", status, *reason ? " " : "", reason);
    fflush(stdout);
  }
  return r;
}

static int closed(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *reason;
  int r = sd_bus_message_read(message, "s", &reason);

  if (r >= 0)
    printf("closed %s\n", reason);
  is_closed = true;
  return r;
}

static int watch(sd_bus *bus, char **argv, sd_bus_error *error)
{
  sd_bus_message *reply = NULL;
  const char *path;
  int r;

  if ((r = sd_bus_call_method(
         bus, NAME, "/org/geopublicist/Location1", NAME, "CreateSubscription", error, &reply, "a{sv}", 3, "accuracy", "s",
         argv[2], "distance-threshold", "d", atof(argv[3]), "max-updates", "u", (unsigned)atoi(argv[4]))) < 0 ||
      (r = sd_bus_message_read(reply, "o", &path)) < 0 ||
      (r = sd_bus_match_signal(bus, NULL, NAME, path, NAME ".Subscription", "LocationUpdated", updated, NULL)) < 0 ||
      (r = sd_bus_match_signal(
         bus, NULL, NAME, path, NAME ".Subscription", "AuthorizationChanged", authorization_changed, NULL)) < 0 ||
      (r = sd_bus_match_signal(bus, NULL, NAME, path, NAME ".Subscription", "Closed", closed, NULL)) < 0 ||
      (r = sd_bus_call_method(bus, NAME, path, NAME ".Subscription", "Start", error, NULL, "")) < 0)
    return r;
  sd_bus_message_unref(reply);
  while (!is_closed) {
    if ((r = sd_bus_process(bus, NULL)) < 0 || (r == 0 && (r = sd_bus_wait(bus, UINT64_MAX)) < 0))
      return r;
  }
  return 0;
}

int main(int argc, char **argv)
{
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus *bus = NULL;
  int r;

  if (argc != 5) {
    fprintf(stderr, "usage: %s BUS LEVEL METRES COUNT\n", argv[0]);
    return 2;
  }
  if ((r = connect_to(argv[1], &bus)) < 0 || (r = watch(bus, argv, &error)) < 0) {
    fprintf(stderr, "%s\n", error.message ? error.message : strerror(-r));
    return 1;
  }
  sd_bus_flush_close_unref(bus);
  return 0;
}
