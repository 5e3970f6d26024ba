// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A simulation of the kernel's clocks, waiting, random numbers and files below /etc. The program and the
   libraries in it (GLib, libdbus, Swift's) call the functions of the C library that are defined here. */

/* The world's reaction when the process polls. */
typedef struct {
  /* Something is ready, or the caller does not wait. The world may run actions that are due. */
  void (*busy)(void);
  /* The caller waits until `deadline`, in microseconds of the monotonic clock. The world runs the next action and
     moves the clock. Returns false if nothing comes before the deadline, to which the clock has been moved. */
  bool (*idle)(int64_t deadline);
} kernel_world;

/* Begins the simulation: from now on, time passes only when the world moves it. */
void kernel_begin(const kernel_world *world, uint64_t seed);

/* CLOCK_MONOTONIC in microseconds. */
int64_t kernel_monotonic(void);
/* CLOCK_REALTIME in microseconds. */
int64_t kernel_realtime(void);
/* CLOCK_BOOTTIME in microseconds. */
int64_t kernel_boottime(void);
void kernel_advance_to(int64_t monotonic);
/* Suspends the machine: the boot clock and the wall clock advance, the monotonic clock does not. */
void kernel_suspend(int64_t microseconds);
/* Sets the wall clock. */
void kernel_set_clock(int64_t difference);
/* The user that the process appears to run as. */
void kernel_set_user(uint32_t user);
/* Files below /etc/geoclue and /etc/geopublicist are found below this folder. */
void kernel_set_files(const char *folder);
/* The processes whose root directory is not there, and is that of a sandbox. */
void kernel_set_roots(uint32_t hidden, uint32_t sandboxed);

/* 64-bit FNV-1a of more bytes. */
uint64_t kernel_hash(uint64_t hash, const void *bytes, size_t count);

/* poll(2) of the real kernel. */
int kernel_poll(struct pollfd *descriptors, nfds_t count);
/* How often the process has polled. */
uint64_t kernel_polls(void);
/* Lets the world continue until the deadline while nothing waits for it. */
void kernel_idle(int64_t monotonic);
