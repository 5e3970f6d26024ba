// SPDX-License-Identifier: Apache-2.0
/* Time, and the processor time of other processes. */
#pragma once

long long now_ns(void);
void pause_us(long microseconds);

/* The processes that are watched, by name; several may have the same. */
void watch_process(const char *name, int pid);
void unwatch_last(void);
enum { MAXIMUM_WATCHED = 16 };
int watched_count(void);
const char *watched_name(int index);
/* All processor time that a process has used, its threads and the kernel for it included, ns. */
long long watched_cpu(int index);
/* Waits until none of them does anything any more, for half a second at most. */
void settle(void);
