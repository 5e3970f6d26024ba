// SPDX-License-Identifier: Apache-2.0
/* Clocks, and the processor time of other processes. */
#pragma once

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
