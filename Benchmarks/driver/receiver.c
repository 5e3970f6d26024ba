// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

static int listener = -1, reader = -1;

void receiver_listen(const char *path) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  snprintf(place.sun_path, sizeof place.sun_path, "%s", path);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&place, sizeof place) != 0 || chmod(path, 0777) != 0 || listen(listener, 8) != 0)
    fail("no receiver at %s: %s", path, strerror(errno));
}

static void hang_up_check(void) {
  char byte;
  if (reader >= 0 && recv(reader, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
    close(reader);
    reader = -1;
  }
}

void receiver_await(int wanted) {
  long long deadline = now_ns() + 30 * 1000000000LL;
  for (;;) {
    hang_up_check();
    if (reader < 0 && poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 0) > 0)
      reader = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if ((reader >= 0) == wanted) return;
    if (now_ns() > deadline) fail(wanted ? "GeoClue does not read from the receiver" : "GeoClue does not hang up");
    pause_us(500);
  }
}

double receiver_step(long number) { return 52 + (double)(number % 60000) * 3 / 180000; }

long long receiver_write(double latitude) {
  char body[96], sentence[112];
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  struct tm clock;
  gmtime_r(&time.tv_sec, &clock);
  /* HDOP 1.4 is an accuracy of 1 m to GeoClue. */
  int degrees = (int)latitude;
  snprintf(body, sizeof body, "GPGGA,%02d%02d%02d.%02d,%02d%010.7f,N,01322.0000000,E,1,08,1.4,34.0,M,46.9,M,,",
           clock.tm_hour, clock.tm_min, clock.tm_sec, (int)(time.tv_nsec / 10000000), degrees,
           (latitude - degrees) * 60);
  unsigned checksum = 0;
  for (const char *letter = body; *letter; letter++) checksum ^= (unsigned char)*letter;
  int length = snprintf(sentence, sizeof sentence, "$%s*%02X\r\n", body, checksum);
  long long begun = now_ns();
  if (send(reader, sentence, (size_t)length, MSG_NOSIGNAL) != length) fail("GeoClue has hung up");
  return begun;
}
