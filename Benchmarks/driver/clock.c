// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver.h"

static struct {
  char name[24];
  clockid_t clock;
} watched[MAXIMUM_WATCHED];
static int count;

static long long read_clock(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

long long now_ns(void) { return read_clock(CLOCK_MONOTONIC); }

void pause_us(long microseconds) {
  nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}, NULL);
}

void watch_process(const char *name, int pid) {
  if (count == MAXIMUM_WATCHED) fail("too many processes to watch");
  snprintf(watched[count].name, sizeof watched[count].name, "%s", name);
  if (clock_getcpuclockid(pid, &watched[count].clock) != 0) fail("there is no process %d", pid);
  count++;
}

void unwatch_last(void) { count--; }
int watched_count(void) { return count; }
const char *watched_name(int index) { return watched[index].name; }
long long watched_cpu(int index) { return read_clock(watched[index].clock); }

void settle(void) {
  long long before = -1;
  for (int quiet = 0, tries = 0; quiet < 2 && tries < 500; tries++) {
    long long sum = 0;
    for (int index = 0; index < count; index++) sum += watched_cpu(index);
    quiet = sum == before ? quiet + 1 : 0;
    before = sum;
    pause_us(1000);
  }
}
