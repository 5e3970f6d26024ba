// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

static DBusMessage *get(const char *name, const char *path, const char *interface, const char *property) {
  DBusMessage *call = dbus_message_new_method_call(name, path, DBUS_INTERFACE_PROPERTIES, "Get");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property, DBUS_TYPE_INVALID);
  return call;
}

static DBusMessage *get_location(void) {
  DBusMessage *call = dbus_message_new_method_call(SERVICE_NAME, SERVICE_PATH, SERVICE_NAME, "GetLocation");
  append_options(call);
  return call;
}

static DBusMessage *make(const char *what) {
  if (strcmp(what, "get") == 0) return get(SERVICE_NAME, SERVICE_PATH, SERVICE_NAME, "InUse");
  if (strcmp(what, "location") == 0) return get_location();
  if (strcmp(what, "geoclue-get") == 0)
    return get(GEOCLUE, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "InUse");
  fail("unknown call %s", what);
}

void measure_calls(const char *address, const char *what, int count, long long *times) {
  struct connection connection;
  connection_open(&connection, address);
  /* Some uncounted calls first, so that all programs are awake and have identified the caller. */
  for (int index = -20; index < count; index++) {
    DBusMessage *call = make(what);
    long long begun = now_ns();
    if (!connection_exchange(&connection, call)) fail("%s was refused", what);
    if (index >= 0) times[index] = now_ns() - begun;
  }
  connection_close(&connection);
}

void watch_owner(struct connection *connection, const char *name) {
  char rule[256];
  const char *text = rule;
  snprintf(rule, sizeof rule, "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg0='%s'", name);
  DBusMessage *call = bus_method("AddMatch");
  dbus_message_append_args(call, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
  dbus_message_unref(connection_call(connection, call));
}

/* The third string of NameOwnerChanged is the new owner; its length is where those of the first two end. */
static bool has_new_owner(const struct frame *frame) {
  size_t offset = 0;
  uint32_t length = 0;
  for (int field = 0; field < 3; field++) {
    offset = (offset + 3) & ~(size_t)3;
    if (offset + 4 > frame->body_length) return false;
    memcpy(&length, frame->body + offset, 4);
    offset += 4 + length + 1;
  }
  return length > 0;
}

void await_owner(struct connection *connection, bool owned) {
  struct frame frame;
  for (;;) {
    while (connection_next(connection, &frame)) {
      bool is_change = memmem(frame.start, (size_t)(frame.body - frame.start), "NameOwnerChanged", 17) != NULL;
      if (is_change && has_new_owner(&frame) == owned) return;
    }
    if (poll(&(struct pollfd){.fd = connection->fd, .events = POLLIN}, 1, 10000) <= 0) fail("the program does not start");
    if (!connection_receive(connection)) fail("the bus has gone");
  }
}
