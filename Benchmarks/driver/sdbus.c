// SPDX-License-Identifier: Apache-2.0
/* Prints the processor time of a call on the session bus with sd-bus, in microseconds: consecutive calls that the bus itself
 * answers, as in Benchmarks/Tasks.
 *
 *   sdbus handler   with a handler for the reply, served by the bus's own loop
 *   sdbus blocking  with sd_bus_call */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

enum { COUNT = 20000 };

static const char *const BUS = "org.freedesktop.DBus", *const PATH = "/org/freedesktop/DBus";
static int left;

static void check(int result) {
  if (result >= 0) return;
  fprintf(stderr, "sdbus: %s\n", strerror(-result));
  exit(1);
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void read_reply(sd_bus_message *reply) {
  int owned;
  check(sd_bus_message_is_method_error(reply, NULL) ? -EIO : 0);
  check(sd_bus_message_read(reply, "b", &owned));
}

static int replied(sd_bus_message *reply, void *data, sd_bus_error *error) {
  sd_bus *bus = sd_bus_message_get_bus(reply);
  (void)error;
  read_reply(reply);
  if (--left > 0) check(sd_bus_call_method_async(bus, NULL, BUS, PATH, BUS, "NameHasOwner", replied, data, "s", BUS));
  return 0;
}

static void handle(sd_bus *bus, int count) {
  left = count;
  check(sd_bus_call_method_async(bus, NULL, BUS, PATH, BUS, "NameHasOwner", replied, NULL, "s", BUS));
  while (left > 0) {
    int worked = sd_bus_process(bus, NULL);
    check(worked);
    if (!worked) check(sd_bus_wait(bus, UINT64_MAX));
  }
}

static void block(sd_bus *bus, int count) {
  for (int index = 0; index < count; index++) {
    sd_bus_message *reply = NULL;
    check(sd_bus_call_method(bus, BUS, PATH, BUS, "NameHasOwner", NULL, &reply, "s", BUS));
    read_reply(reply);
    sd_bus_message_unref(reply);
  }
}

int main(int count, char **arguments) {
  sd_bus *bus = NULL;
  void (*measured)(sd_bus *, int) = count > 1 && strcmp(arguments[1], "blocking") == 0 ? block : handle;
  check(sd_bus_open_user(&bus));
  /* The first calls are not counted. */
  measured(bus, COUNT / 10);
  double before = processor_time();
  measured(bus, COUNT);
  printf("%.2f\n", (processor_time() - before) / COUNT);
  return 0;
}
