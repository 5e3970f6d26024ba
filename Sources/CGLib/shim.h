// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <glib.h>
#include <glib-unix.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <libintl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* GLib 2.88 and later mark sets of flags, which the importer makes option sets without constants. These have the same name
   and type with every version. */
static const GLogLevelFlags cglib_log_level_critical = G_LOG_LEVEL_CRITICAL;
static const GLogLevelFlags cglib_log_level_warning = G_LOG_LEVEL_WARNING;
static const GLogLevelFlags cglib_log_level_message = G_LOG_LEVEL_MESSAGE;
static const GLogLevelFlags cglib_log_level_info = G_LOG_LEVEL_INFO;
static const GLogLevelFlags cglib_log_level_debug = G_LOG_LEVEL_DEBUG;
static const GKeyFileFlags cglib_key_file_none = G_KEY_FILE_NONE;
static const GFileSetContentsFlags cglib_file_set_contents_consistent = G_FILE_SET_CONTENTS_CONSISTENT;
static const GFileTest cglib_file_test_exists = G_FILE_TEST_EXISTS;
static const GFileTest cglib_file_test_is_executable = G_FILE_TEST_IS_EXECUTABLE;
static const GSpawnFlags cglib_spawn_search_path = G_SPAWN_SEARCH_PATH;

/* A source for one file descriptor that carries its own poll record, so that what it waits for can be changed in place:
   g_source_modify_unix_fd() costs a system call each time. */
typedef struct {
  GSource source;
  GPollFD poll;
} cglib_file_source;

#include <sys/syscall.h>

/* Debian 12's header for this cannot be imported, and the importer drops syscall() for its variable arguments. */
static inline int cglib_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

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
