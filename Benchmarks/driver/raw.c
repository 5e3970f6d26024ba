// SPDX-License-Identifier: Apache-2.0
/* The raw limit: the minimum that a C program can do with libdbus, the library that the service uses.
 *
 *   raw BUS-ADDRESS send       reads receivers' names, one per line, up to an empty line, then latitudes, one per
 *                              line, and sends each to all receivers in the same signal as the service
 *   raw BUS-ADDRESS respond    acquires the service's name and answers Get with a boolean, all other calls with a
 *                              location
 *   raw BUS-ADDRESS read NAME  acquires the service's name, answers the calls of a connection with a location and
 *                              everyone's CreateSubscription and Start with a path, and drops other calls
 *
 * First prints its unique name, or the acquired one. */
#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "names.h"

enum { MOST_RECEIVERS = 5000 };

static void die(const char *what) {
  fprintf(stderr, "raw: %s\n", what);
  exit(1);
}

static void entry(DBusMessageIter *dictionary, const char *key, const char *signature, const void *value) {
  DBusMessageIter pair, variant;
  dbus_message_iter_open_container(dictionary, DBUS_TYPE_DICT_ENTRY, NULL, &pair);
  dbus_message_iter_append_basic(&pair, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&pair, DBUS_TYPE_VARIANT, signature, &variant);
  if (signature[0] == '(') {
    DBusMessageIter structure;
    const dbus_uint64_t *numbers = value;
    dbus_message_iter_open_container(&variant, DBUS_TYPE_STRUCT, NULL, &structure);
    dbus_message_iter_append_basic(&structure, DBUS_TYPE_UINT64, &numbers[0]);
    dbus_message_iter_append_basic(&structure, DBUS_TYPE_UINT64, &numbers[1]);
    dbus_message_iter_close_container(&variant, &structure);
  } else {
    dbus_message_iter_append_basic(&variant, signature[0], value);
  }
  dbus_message_iter_close_container(&pair, &variant);
  dbus_message_iter_close_container(dictionary, &pair);
}

/* The service's location for a GPS receiver's fix. */
static void append_location(DBusMessage *message, double latitude) {
  DBusMessageIter iterator, dictionary;
  const char *level = "exact";
  dbus_bool_t no = FALSE;
  dbus_uint64_t timestamp[] = {(dbus_uint64_t)time(NULL), 0}, counter = 1;
  double longitude = 13.3666, accuracy = 1, altitude = 34;
  dbus_message_iter_init_append(message, &iterator);
  dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "{sv}", &dictionary);
  entry(&dictionary, "Latitude", "d", &latitude);
  entry(&dictionary, "Longitude", "d", &longitude);
  entry(&dictionary, "Level", "s", &level);
  entry(&dictionary, "Reduced", "b", &no);
  entry(&dictionary, "Simulated", "b", &no);
  entry(&dictionary, "Sequence", "t", &counter);
  entry(&dictionary, "Timestamp", "(tt)", timestamp);
  entry(&dictionary, "MonotonicUSec", "t", &counter);
  entry(&dictionary, "Accuracy", "d", &accuracy);
  entry(&dictionary, "Altitude", "d", &altitude);
  dbus_message_iter_close_container(&iterator, &dictionary);
}

static void send_for_ever(DBusConnection *connection) {
  static char receivers[MOST_RECEIVERS][64];
  char line[64];
  int count = 0;
  while (fgets(line, sizeof line, stdin) && line[0] != '\n') {
    if (count == MOST_RECEIVERS) die("too many receivers");
    line[strcspn(line, "\n")] = 0;
    snprintf(receivers[count++], sizeof receivers[0], "%s", line);
  }
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    DBusMessage *message = dbus_message_new_signal(RAW_PATH, SERVICE_SUBSCRIPTION, "LocationUpdated");
    append_location(message, strtod(line, NULL));
    for (int index = 0; index < count; index++) {
      DBusMessage *copy = dbus_message_copy(message);
      dbus_message_set_destination(copy, receivers[index]);
      dbus_connection_send(connection, copy, NULL);
      dbus_message_unref(copy);
    }
    dbus_message_unref(message);
    dbus_connection_flush(connection);
  }
}

/* Returns the answer to a call, or NULL if it is dropped. */
static DBusMessage *answer_to(DBusMessage *call, const char *witness) {
  if (dbus_message_get_type(call) != DBUS_MESSAGE_TYPE_METHOD_CALL) return NULL;
  dbus_bool_t is_flood = witness && !dbus_message_has_sender(call, witness);
  if (is_flood && !dbus_message_has_member(call, "CreateSubscription") && !dbus_message_has_member(call, "Start"))
    return NULL;
  DBusMessage *answer = dbus_message_new_method_return(call);
  if (is_flood) {
    const char *path = RAW_PATH;
    dbus_message_append_args(answer, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
  } else if (!witness && dbus_message_has_member(call, "Get")) {
    DBusMessageIter iterator, variant;
    dbus_bool_t yes = TRUE;
    dbus_message_iter_init_append(answer, &iterator);
    dbus_message_iter_open_container(&iterator, DBUS_TYPE_VARIANT, "b", &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &yes);
    dbus_message_iter_close_container(&iterator, &variant);
  } else {
    append_location(answer, 52);
  }
  return answer;
}

static void answer_for_ever(DBusConnection *connection, const char *witness) {
  dbus_connection_set_route_peer_messages(connection, witness != NULL);
  while (dbus_connection_read_write(connection, -1)) {
    DBusMessage *call;
    while ((call = dbus_connection_pop_message(connection))) {
      DBusMessage *answer = answer_to(call, witness);
      if (answer) {
        dbus_connection_send(connection, answer, NULL);
        dbus_message_unref(answer);
      }
      dbus_message_unref(call);
    }
  }
}

int main(int count, char **arguments) {
  if (count < 3) die("BUS-ADDRESS send|respond|read NAME");
  DBusConnection *connection = dbus_connection_open_private(arguments[1], NULL);
  if (!connection || !dbus_bus_register(connection, NULL)) die("no bus");
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (strcmp(arguments[2], "send") == 0) {
    puts(dbus_bus_get_unique_name(connection));
    send_for_ever(connection);
  } else {
    if (dbus_bus_request_name(connection, SERVICE_NAME, DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) != 1) die("the name is taken");
    puts(SERVICE_NAME);
    answer_for_ever(connection, count > 3 ? arguments[3] : NULL);
  }
  return 0;
}
