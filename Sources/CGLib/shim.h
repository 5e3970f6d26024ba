#pragma once
#include <glib.h>
#include <glib-unix.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
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
