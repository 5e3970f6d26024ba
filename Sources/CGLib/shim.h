// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <glib.h>
#include <glib-unix.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* A source for one file descriptor that carries its own poll record, so that what it waits for can be changed in place:
   g_source_modify_unix_fd() costs a system call each time. */
typedef struct {
  GSource source;
  GPollFD poll;
} cglib_file_source;

#include <sys/prctl.h>
#include <sys/resource.h>

/* No memory of this process in a file or in a crash handler's hands: prctl() too, which the importer drops for its variable
   arguments, because a handler behind a pipe is not bound by the limit. Swift's own handler, which has another program
   look into this one, would then wait for ever: a crash has to be the end. */
static inline int cglib_forbid_core_dumps(void) {
  static const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  for (unsigned i = 0; i < sizeof crashes / sizeof crashes[0]; i++) signal(crashes[i], SIG_DFL);
  struct rlimit none = {0, 0};
  int limited = setrlimit(RLIMIT_CORE, &none);
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) | limited;
}
