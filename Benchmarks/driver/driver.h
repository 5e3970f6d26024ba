// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* connection.c: a minimal connection to a bus, so that the clients' own cost does not distort the measurement.
 *
 * libdbus builds the messages and parses the answers while clients join. During a measurement, input is only split into
 * messages and searched for the expected value. */

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

/* clients.c: N clients of one kind, each with its own connection, served by one poll. */

enum kind {
  /* Each has a GeoClue client: a signal, then GetAll on the location that it names. */
  DIRECT,
  /* Each has a subscription: one signal. */
  SERVICE,
  /* Receivers of the minimal sender's signal. */
  RAW,
};

void clients_join(enum kind kind, const char *address, int count, const char *sender);
void clients_leave(void);
/* Sets whether new clients add match rules, as most libraries do. */
void clients_add_rules(bool add);
/* Writes the unique names to the descriptor, one per line. */
void clients_print_names(int fd);
/* Serves all clients until each has this latitude. Returns the time at which the last one received it, in ns. */
long long clients_await(double latitude);
/* Reads pending input. */
void clients_drain(void);
/* Appends an empty a{sv}. */
void append_options(DBusMessage *call);

/* calls.c: consecutive calls, and waiting for names. */

/* `what`: get (a property) or location, from the owner of the service's name; or geoclue-get. */
void measure_calls(const char *address, const char *what, int count, long long *times);

void watch_owner(struct connection *connection, const char *name);
/* Waits until the name has an owner, or has none if `owned` is false. */
void await_owner(struct connection *connection, bool owned);

/* clock.c: clocks, and the processor time of other processes. */

long long now_ns(void);
void pause_us(long microseconds);

/* The watched processes, by name. Names may be repeated. */
void watch_process(const char *name, int pid);
void unwatch_last(void);
enum { MAXIMUM_WATCHED = 16 };
int watched_count(void);
const char *watched_name(int index);
/* The processor time of a process with all its threads, including kernel time, in ns. */
long long watched_cpu(int index);
/* Waits until all of them are idle, at most half a second. */
void settle(void);

/* receiver.c: a GPS receiver, a Unix socket from which GeoClue reads NMEA sentences. */

void receiver_listen(const char *path);
/* Waits until GeoClue reads or, if `wanted` is 0, has hung up. If the receiver closed first, GeoClue would lose the source. */
void receiver_await(int wanted);
/* Writes a fix at this latitude. GeoClue must have read the previous one. Returns the start of the write in ns. */
long long receiver_write(double latitude);
/* Returns the latitude that GeoClue derives from the sentence. */
double receiver_step(long number);
