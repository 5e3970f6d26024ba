// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "driver.h"

struct client {
  struct connection connection;
  char name[32];
  double latitude;
  bool has_it;
};

static enum kind kind;
static struct client *all;
static int count, poller = -1;
static double wanted;
static int holding;
static bool adds_rules = true;

static DBusMessage *method(const char *name, const char *path, const char *interface, const char *member) {
  return dbus_message_new_method_call(name, path, interface, member);
}

static void append_variant(DBusMessageIter *iterator, int type, const void *value) {
  DBusMessageIter variant;
  char signature[] = {(char)type, 0};
  dbus_message_iter_open_container(iterator, DBUS_TYPE_VARIANT, signature, &variant);
  dbus_message_iter_append_basic(&variant, type, value);
  dbus_message_iter_close_container(iterator, &variant);
}

static void set_property(struct connection *connection, const char *path, const char *property, int type,
                         const void *value) {
  const char *interface = GEOCLUE_CLIENT;
  DBusMessage *call = method(GEOCLUE, path, DBUS_INTERFACE_PROPERTIES, "Set");
  DBusMessageIter iterator;
  dbus_message_iter_init_append(call, &iterator);
  dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &property);
  append_variant(&iterator, type, value);
  dbus_message_unref(connection_call(connection, call));
}

/* As every library does before it receives a signal. */
static void add_match(struct connection *connection, const char *sender, const char *interface, const char *path) {
  char rule[512];
  const char *text = rule;
  if (!adds_rules) return;
  snprintf(rule, sizeof rule, "type='signal',sender='%s',interface='%s',member='LocationUpdated',path='%s'", sender,
           interface, path);
  DBusMessage *call = bus_method("AddMatch");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
  dbus_message_unref(connection_call(connection, call));
}

static char *path_in(DBusMessage *answer) {
  const char *path = NULL;
  if (!dbus_message_get_args(answer, NULL, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID)) fail("no path in an answer");
  char *copy = strdup(path);
  dbus_message_unref(answer);
  return copy;
}

static void join_geoclue(struct connection *connection) {
  char *path = path_in(connection_call(
    connection, method(GEOCLUE, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "CreateClient")));
  const char *id = "benchmark";
  dbus_uint32_t exact = 8;
  set_property(connection, path, "DesktopId", DBUS_TYPE_STRING, &id);
  set_property(connection, path, "RequestedAccuracyLevel", DBUS_TYPE_UINT32, &exact);
  add_match(connection, GEOCLUE, GEOCLUE_CLIENT, path);
  dbus_message_unref(connection_call(connection, method(GEOCLUE, path, GEOCLUE_CLIENT, "Start")));
  free(path);
}

static void join_service(struct connection *connection) {
  DBusMessage *call = method(SERVICE_NAME, SERVICE_PATH, SERVICE_NAME, "CreateSubscription");
  append_options(call);
  char *path = path_in(connection_call(connection, call));
  add_match(connection, SERVICE_NAME, SERVICE_SUBSCRIPTION, path);
  dbus_message_unref(connection_call(connection, method(SERVICE_NAME, path, SERVICE_SUBSCRIPTION, "Start")));
  free(path);
}

void append_options(DBusMessage *call) {
  DBusMessageIter iterator, options;
  dbus_message_iter_init_append(call, &iterator);
  dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&iterator, &options);
}

static void read_name(struct client *client) {
  /* The bus addresses replies to the client's unique name, so any call reveals it. */
  const char *whom = DBUS_SERVICE_DBUS;
  DBusMessage *call = bus_method("NameHasOwner");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &whom, DBUS_TYPE_INVALID);
  DBusMessage *answer = connection_call(&client->connection, call);
  snprintf(client->name, sizeof client->name, "%s", dbus_message_get_destination(answer));
  dbus_message_unref(answer);
}

void clients_join(enum kind as, const char *address, int how_many, const char *sender) {
  kind = as;
  count = how_many;
  all = calloc((size_t)count, sizeof *all);
  poller = epoll_create1(EPOLL_CLOEXEC);
  for (int index = 0; index < count; index++) {
    struct client *client = &all[index];
    struct connection *connection = &client->connection;
    connection_open(connection, address);
    switch (kind) {
      case DIRECT: join_geoclue(connection); break;
      case SERVICE: join_service(connection); break;
      case RAW:
        read_name(client);
        add_match(connection, sender, SERVICE_SUBSCRIPTION, RAW_PATH);
        break;
    }
    epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = client});
  }
}

void clients_add_rules(bool add) { adds_rules = add; }

void clients_leave(void) {
  for (int index = 0; index < count; index++) connection_close(&all[index].connection);
  free(all);
  close(poller);
  all = NULL;
  count = 0;
  poller = -1;
}

void clients_print_names(int fd) {
  for (int index = 0; index < count; index++) dprintf(fd, "%s\n", all[index].name);
}

/* Finds the value of "Latitude" in the wire format of an a{sv}. */
static bool find_latitude(const struct frame *frame, double *latitude) {
  const uint8_t *key = memmem(frame->body, frame->body_length, "Latitude\0\1d", 12);
  if (!key) return false;
  size_t offset = ((size_t)(key - frame->body) + 12 + 7) & ~(size_t)7;
  if (offset + 8 > frame->body_length) return false;
  memcpy(latitude, frame->body + offset, 8);
  return true;
}

/* GeoClue's signal contains the paths of the old and the new location, whose properties must be read. */
static void ask_for_location(struct client *client, const struct frame *frame) {
  uint32_t first;
  memcpy(&first, frame->body, 4);
  size_t second = (4 + first + 1 + 3) & ~(size_t)3;
  if (second + 5 > frame->body_length) return;
  const char *path = (const char *)frame->body + second + 4, *interface = "org.freedesktop.GeoClue2.Location";
  DBusMessage *call = method(GEOCLUE, path, DBUS_INTERFACE_PROPERTIES, "GetAll");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_INVALID);
  connection_send(&client->connection, call);
}

static void take(struct client *client, const struct frame *frame) {
  if (kind == DIRECT && frame->type == DBUS_MESSAGE_TYPE_SIGNAL) {
    if (memmem(frame->start, (size_t)(frame->body - frame->start), "LocationUpdated", 16)) ask_for_location(client, frame);
    return;
  }
  if (!find_latitude(frame, &client->latitude)) return;
  bool has_it = fabs(client->latitude - wanted) < 1e-6;
  holding += (int)has_it - (int)client->has_it;
  client->has_it = has_it;
}

static void serve(int timeout_ms) {
  struct epoll_event events[256];
  int ready = epoll_wait(poller, events, 256, timeout_ms);
  for (int index = 0; index < ready; index++) {
    struct client *client = events[index].data.ptr;
    struct frame frame;
    if (!connection_receive(&client->connection)) fail("the bus has disconnected a client");
    while (connection_next(&client->connection, &frame)) take(client, &frame);
  }
}

long long clients_await(double latitude) {
  wanted = latitude;
  holding = 0;
  for (int index = 0; index < count; index++) all[index].has_it = false;
  long long deadline = now_ns() + 30 * 1000000000LL;
  while (holding < count) {
    serve(1000);
    if (now_ns() > deadline) fail("%d of %d clients received no fix within 30 s", count - holding, count);
  }
  return now_ns();
}

void clients_drain(void) {
  for (int quiet = 0; quiet < 2; quiet++) {
    for (int turn = 0; turn < 64; turn++) serve(0);
    settle();
  }
}
