// SPDX-License-Identifier: Apache-2.0
/* Follows the location with sd-bus (package libsystemd-dev), across restarts of the service:
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

/* The state kept across subscriptions. */
static bool is_closed;
static unsigned shown;
static char authorization[128];
static char **arguments;

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
  shown++;
  printf("location %.4f %.4f %s\n", latitude, longitude, level);
  fflush(stdout);
  return r;
}

static int authorization_changed(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *status, *reason;
  char text[sizeof authorization];
  int r = sd_bus_message_read(message, "ss", &status, &reason);

  if (r < 0)
    return r;
  snprintf(text, sizeof text, "%s%s%s", status, *reason ? " " : "", reason);
  /* Each subscription reports it once. */
  if (strcmp(text, authorization)) {
    printf("authorization %s\n", text);
    fflush(stdout);
  }
  strcpy(authorization, text);
  return r;
}

static int closed(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *reason;
  int r = sd_bus_message_read(message, "s", &reason);

  if (r < 0 || !strcmp(reason, "shutdown") || !strcmp(reason, "by-consumer"))
    return r;
  printf("closed %s\n", reason);
  is_closed = true;
  return r;
}

static int ignore(sd_bus_message *message, void *data, sd_bus_error *error) { return 0; }

static int subscribe(sd_bus *bus, sd_bus_error *error)
{
  static char last[256];
  sd_bus_message *reply = NULL;
  const char *path;
  int r;

  /* The service keeps the last subscription if the bus has closed the service's connection. */
  if (*last)
    sd_bus_call_method_async(bus, NULL, NAME, last, NAME ".Subscription", "Close", ignore, NULL, "");
  if ((r = sd_bus_call_method(
         bus, NAME, "/org/geopublicist/Location1", NAME, "CreateSubscription", error, &reply, "a{sv}", 3, "accuracy", "s",
         arguments[2], "distance-threshold", "d", atof(arguments[3]), "max-updates", "u",
         (unsigned)atoi(arguments[4]) - shown)) >= 0 &&
      (r = sd_bus_message_read(reply, "o", &path)) >= 0) {
    snprintf(last, sizeof last, "%s", path);
    r = sd_bus_call_method(bus, NAME, path, NAME ".Subscription", "Start", error, NULL, "");
  }
  sd_bus_message_unref(reply);
  return r;
}

/* Subscribes once for each owner of the name. Asks the bus to start the service if there is no owner. */
static int use_owner(sd_bus *bus, const char *owner, sd_bus_error *error)
{
  static char used[256];

  if (!*owner) {
    *used = 0;
    return sd_bus_call_method_async(
      bus, NULL, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "StartServiceByName", ignore, NULL, "su", NAME, 0);
  }
  if (!strcmp(owner, used))
    return 0;
  snprintf(used, sizeof used, "%s", owner);
  return subscribe(bus, error);
}

static int owner_changed(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *name, *old, *new;
  int r = sd_bus_message_read(message, "sss", &name, &old, &new);

  return r < 0 ? r : use_owner(sd_bus_message_get_bus(message), new, error);
}

static int owner_told(sd_bus_message *message, void *data, sd_bus_error *error)
{
  const char *owner = "";

  if (!sd_bus_message_is_method_error(message, NULL))
    sd_bus_message_read(message, "s", &owner);
  return use_owner(sd_bus_message_get_bus(message), owner, error);
}

static int watch(sd_bus *bus)
{
  int r;

  /* Signals reach only the owner of a subscription, so one match without a path serves every later subscription, too. */
  if ((r = sd_bus_match_signal(bus, NULL, NAME, NULL, NAME ".Subscription", "LocationUpdated", updated, NULL)) < 0 ||
      (r = sd_bus_match_signal(
         bus, NULL, NAME, NULL, NAME ".Subscription", "AuthorizationChanged", authorization_changed, NULL)) < 0 ||
      (r = sd_bus_match_signal(bus, NULL, NAME, NULL, NAME ".Subscription", "Closed", closed, NULL)) < 0 ||
      (r = sd_bus_add_match(
         bus, NULL,
         "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" NAME "'", owner_changed,
         NULL)) < 0 ||
      (r = sd_bus_call_method_async(
         bus, NULL, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner", owner_told, NULL, "s",
         NAME)) < 0)
    return r;
  while (!is_closed) {
    if ((r = sd_bus_process(bus, NULL)) < 0 || (r == 0 && (r = sd_bus_wait(bus, UINT64_MAX)) < 0))
      return r;
  }
  return 0;
}

int main(int argc, char **argv)
{
  sd_bus *bus = NULL;
  int r;

  arguments = argv;
  if (argc != 5) {
    fprintf(stderr, "usage: %s BUS LEVEL METRES COUNT\n", argv[0]);
    return 2;
  }
  if ((r = connect_to(argv[1], &bus)) < 0 || (r = watch(bus)) < 0) {
    fprintf(stderr, "%s\n", strerror(-r));
    return 1;
  }
  sd_bus_flush_close_unref(bus);
  return 0;
}
