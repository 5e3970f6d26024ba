// SPDX-License-Identifier: Apache-2.0
/* A minimal connection to a bus, so that the clients' own cost does not distort the measurement.
 *
 * libdbus builds the messages and parses the answers while clients join. During a measurement, input is only split into
 * messages and searched for the expected value. */
#pragma once
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct connection {
  int fd;
  uint32_t serial;
  uint8_t *bytes;
  size_t used, size, taken;
};

/* A message in the buffer, valid until the next one is requested. */
struct frame {
  uint8_t type;
  const uint8_t *start, *body;
  size_t length, body_length;
};

/* Connects to unix:path=… and says hello. Exits the program on failure. */
void connection_open(struct connection *connection, const char *address);
void connection_close(struct connection *connection);

/* Sends a message and releases it. */
void connection_send(struct connection *connection, DBusMessage *message);
/* Sends a call and waits for its answer, dropping other messages. Exits the program on an error. */
DBusMessage *connection_call(struct connection *connection, DBusMessage *call);
/* The same without parsing the answer, for timed calls. Returns false for an error. */
bool connection_exchange(struct connection *connection, DBusMessage *call);

/* Reads pending input. Returns false if the connection is lost. */
bool connection_receive(struct connection *connection);
/* Returns the next complete message, if any. */
bool connection_next(struct connection *connection, struct frame *frame);

/* Creates a call to the bus itself. */
DBusMessage *bus_method(const char *member);
/* Prints an error and exits. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
