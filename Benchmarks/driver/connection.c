// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "driver.h"

enum { PATIENCE_MS = 30000 };

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("driver: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void write_all(int fd, const void *data, size_t length) {
  const char *rest = data;
  while (length > 0) {
    ssize_t written = send(fd, rest, length, MSG_NOSIGNAL);
    if (written < 0 && errno == EAGAIN) {
      poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, PATIENCE_MS);
    } else if (written < 0 && errno != EINTR) {
      fail("the bus takes nothing: %s", strerror(errno));
    } else if (written > 0) {
      rest += written;
      length -= (size_t)written;
    }
  }
}

static void authenticate(int fd) {
  char user[32], words[128], answer[256];
  snprintf(user, sizeof user, "%u", (unsigned)getuid());
  int length = snprintf(words, sizeof words, "%cAUTH EXTERNAL ", 0);
  for (const char *digit = user; *digit; digit++) length += snprintf(words + length, 4, "%02x", (unsigned char)*digit);
  length += snprintf(words + length, 4, "\r\n");
  write_all(fd, words, (size_t)length);
  size_t got = 0;
  while (got < 2 || answer[got - 1] != '\n') {
    ssize_t part = read(fd, answer + got, sizeof answer - got);
    if (part <= 0) fail("the bus hangs up: %s", strerror(errno));
    got += (size_t)part;
  }
  if (strncmp(answer, "OK ", 3) != 0) fail("the bus does not let this user in");
  write_all(fd, "BEGIN\r\n", 7);
}

DBusMessage *bus_method(const char *member) {
  return dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, member);
}

void connection_open(struct connection *connection, const char *address) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (strncmp(address, "unix:path=", 10) != 0) fail("not a bus of this kind: %s", address);
  snprintf(place.sun_path, sizeof place.sun_path, "%s", address + 10);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("no more sockets: %s", strerror(errno));
  while (connect(fd, (struct sockaddr *)&place, sizeof place) != 0) {
    if (errno != EINTR && errno != EAGAIN) fail("cannot connect to %s: %s", address, strerror(errno));
  }
  authenticate(fd);
  *connection = (struct connection){.fd = fd, .size = 4096, .bytes = malloc(4096)};
  dbus_message_unref(connection_call(connection, bus_method("Hello")));
}

void connection_close(struct connection *connection) {
  close(connection->fd);
  free(connection->bytes);
  *connection = (struct connection){.fd = -1};
}

void connection_send(struct connection *connection, DBusMessage *message) {
  char *bytes;
  int length;
  dbus_message_set_serial(message, ++connection->serial);
  if (!dbus_message_marshal(message, &bytes, &length)) fail("out of memory");
  dbus_message_unref(message);
  write_all(connection->fd, bytes, (size_t)length);
  dbus_free(bytes);
}

/* The answer to the latest call, still in the buffer. Each connection has one call at a time. */
static struct frame wait_for_answer(struct connection *connection) {
  struct frame frame;
  for (;;) {
    while (connection_next(connection, &frame))
      if (frame.type == DBUS_MESSAGE_TYPE_METHOD_RETURN || frame.type == DBUS_MESSAGE_TYPE_ERROR) return frame;
    if (poll(&(struct pollfd){.fd = connection->fd, .events = POLLIN}, 1, PATIENCE_MS) <= 0) fail("no answer came");
    if (!connection_receive(connection)) fail("the bus has gone");
  }
}

DBusMessage *connection_call(struct connection *connection, DBusMessage *call) {
  connection_send(connection, call);
  struct frame frame = wait_for_answer(connection);
  DBusMessage *answer = dbus_message_demarshal((const char *)frame.start, (int)frame.length, NULL);
  if (!answer) fail("an answer that cannot be read");
  DBusError error = DBUS_ERROR_INIT;
  if (dbus_set_error_from_message(&error, answer)) fail("%s: %s", error.name, error.message);
  return answer;
}

bool connection_exchange(struct connection *connection, DBusMessage *call) {
  connection_send(connection, call);
  return wait_for_answer(connection).type == DBUS_MESSAGE_TYPE_METHOD_RETURN;
}

bool connection_receive(struct connection *connection) {
  memmove(connection->bytes, connection->bytes + connection->taken, connection->used - connection->taken);
  connection->used -= connection->taken;
  connection->taken = 0;
  if (connection->used == connection->size) {
    connection->size *= 2;
    connection->bytes = realloc(connection->bytes, connection->size);
    if (!connection->bytes) fail("out of memory");
  }
  ssize_t got = recv(connection->fd, connection->bytes + connection->used, connection->size - connection->used,
                     MSG_DONTWAIT);
  if (got > 0) connection->used += (size_t)got;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

static uint32_t number(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

bool connection_next(struct connection *connection, struct frame *frame) {
  const uint8_t *start = connection->bytes + connection->taken;
  size_t here = connection->used - connection->taken;
  if (here < 16) return false;
  size_t header = 16 + ((number(start + 12) + 7u) & ~7u);
  size_t length = header + number(start + 4);
  if (here < length) return false;
  *frame = (struct frame){
    .type = start[1], .start = start, .length = length, .body = start + header, .body_length = length - header};
  connection->taken += length;
  return true;
}
