// SPDX-License-Identifier: Apache-2.0
/* One connection to a bus, as thin as can be: what a consumer costs must not hide what is measured.
 *
 * libdbus makes the messages and reads the answers while consumers join. What arrives while the clock runs is only cut
 * into messages here, and searched for what is waited for. */
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

/* One message as it lies in the buffer, until the next one is asked for. */
struct frame {
  uint8_t type;
  const uint8_t *start, *body;
  size_t length, body_length;
};

/* Connects to unix:path=… and says hello. Ends the program when it cannot. */
void connection_open(struct connection *connection, const char *address);
void connection_close(struct connection *connection);

/* Sends a message, which is given up. */
void connection_send(struct connection *connection, DBusMessage *message);
/* Sends a call and waits for its answer; what else comes meanwhile is dropped. Ends the program for an error. */
DBusMessage *connection_call(struct connection *connection, DBusMessage *call);
/* The same without looking into the answer: for calls that are timed. False for an error. */
bool connection_exchange(struct connection *connection, DBusMessage *call);

/* Reads what has come; false when the bus has gone. */
bool connection_receive(struct connection *connection);
/* The next whole message that was read. */
bool connection_next(struct connection *connection, struct frame *frame);

/* The bus's own object. */
DBusMessage *bus_method(const char *member);
/* The error's name and words, and the end. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
