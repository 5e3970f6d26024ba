// SPDX-License-Identifier: Apache-2.0
/* Drives one measurement at a time: writes fixes and acts as the clients that receive them, in one thread with one
 * poll.
 *
 *   driver BUS-ADDRESS RECEIVER-SOCKET RAW-PROGRAM
 *
 * Commands on standard input, one per line, each answered with a line of JSON:
 *
 *   watch NAME PID            measures this process's processor time from now on
 *   join geoclue|service|raw N N clients connect
 *   fixes N                   N fixes, each written when all clients have the previous one
 *   fix                       a single one
 *   leave                     the clients leave
 *   calls WHAT N              N consecutive calls, see calls.c
 *   start NAME PROGRAM …      starts a program, waits until it owns the name, and kills it
 *   drain                     reads pending input
 *   rules on|off              whether clients add match rules, which unicast signals do not need (on)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

static const char *address, *raw_program;
static enum kind kind;
static FILE *to_raw, *from_raw;
static pid_t raw;
static long step;

static pid_t start_sender(char *name, size_t size) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) fail("no pipe");
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(raw_program, raw_program, address, "send", NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_raw = fdopen(in[1], "w");
  from_raw = fdopen(out[0], "r");
  if (!fgets(name, (int)size, from_raw)) fail("%s does not start", raw_program);
  name[strcspn(name, "\n")] = 0;
  return child;
}

static void stop_sender(void) {
  if (raw <= 0) return;
  kill(raw, SIGKILL);
  waitpid(raw, NULL, 0);
  fclose(to_raw);
  fclose(from_raw);
  raw = 0;
}

static void join(const char *what, int count) {
  char sender[64] = "";
  kind = strcmp(what, "geoclue") == 0 ? DIRECT : strcmp(what, "service") == 0 ? SERVICE : RAW;
  if (kind == RAW) raw = start_sender(sender, sizeof sender);
  long long begun = now_ns();
  clients_join(kind, address, count, sender);
  if (kind == RAW) {
    char line[16];
    fflush(to_raw);
    clients_print_names(fileno(to_raw));
    fputs("\n", to_raw);
    fflush(to_raw);
    if (!fgets(line, sizeof line, from_raw)) fail("the raw sender has ended");
    watch_process("raw", raw);
  } else {
    receiver_await(1);
  }
  printf("{\"seconds\": %.3f}\n", (double)(now_ns() - begun) / 1e9);
}

static void leave(void) {
  clients_leave();
  if (kind == RAW) {
    stop_sender();
    unwatch_last();
  } else {
    receiver_await(0);
  }
  puts("{}");
}

static long long write_fix(double latitude) {
  if (kind != RAW) return receiver_write(latitude);
  long long begun = now_ns();
  fprintf(to_raw, "%.9f\n", latitude);
  fflush(to_raw);
  return begun;
}

static void print_times(const long long *times, int count) {
  printf("{\"microseconds\": [");
  for (int index = 0; index < count; index++) printf("%s%.1f", index ? ", " : "", (double)times[index] / 1e3);
  printf("]");
}

static void fixes(int count) {
  long long *times = calloc((size_t)count, sizeof *times);
  long long before[MAXIMUM_WATCHED];
  struct rusage own[2];
  clients_drain();
  /* The first fix is not counted, because it wakes up sleeping processes. */
  for (int index = -1; index < count; index++) {
    double latitude = receiver_step(++step);
    if (index == 0) {
      for (int process = 0; process < watched_count(); process++) before[process] = watched_cpu(process);
      getrusage(RUSAGE_SELF, &own[0]);
    }
    long long begun = write_fix(latitude);
    long long ended = clients_await(latitude);
    if (index >= 0) times[index] = ended - begun;
  }
  /* Work caused by the last fix counts as well. */
  settle();
  getrusage(RUSAGE_SELF, &own[1]);
  print_times(times, count);
  printf(", \"cpu\": {");
  for (int process = 0; process < watched_count(); process++)
    printf("\"%s\": %.1f, ", watched_name(process), (double)(watched_cpu(process) - before[process]) / 1e3 / count);
  double used = 0;
  for (int side = 0; side < 2; side++) {
    struct timeval user = own[side].ru_utime, system = own[side].ru_stime;
    used += (side ? 1 : -1) * ((double)(user.tv_sec + system.tv_sec) * 1e6 + (double)(user.tv_usec + system.tv_usec));
  }
  printf("\"clients\": %.1f}}\n", used / count);
  free(times);
}

static void calls(const char *what, int count) {
  long long *times = calloc((size_t)count, sizeof *times);
  measure_calls(address, what, count, times);
  print_times(times, count);
  puts("}");
  free(times);
}

static void start(char *rest) {
  char *arguments[32];
  int count = 0;
  char *name = strtok(rest, " ");
  for (char *word; count < 31 && (word = strtok(NULL, " "));) arguments[count++] = word;
  arguments[count] = NULL;
  if (!name || count == 0) fail("start: a name and a program");
  struct connection watcher;
  connection_open(&watcher, address);
  watch_owner(&watcher, name);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  long long begun = now_ns();
  pid_t child = vfork();
  if (child == 0) {
    dup2(nowhere, 2);
    execv(arguments[0], arguments);
    _exit(127);
  }
  await_owner(&watcher, true);
  long long ended = now_ns();
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  await_owner(&watcher, false);
  close(nowhere);
  connection_close(&watcher);
  printf("{\"microseconds\": %.1f}\n", (double)(ended - begun) / 1e3);
}

static void obey(char *line) {
  char *command = strtok(line, " \n"), *what = NULL;
  if (!command) return;
  if (strcmp(command, "start") == 0) {
    char *rest = strtok(NULL, "\n");
    return start(rest ? rest : "");
  }
  what = strtok(NULL, " \n");
  char *number = strtok(NULL, " \n");
  if (strcmp(command, "watch") == 0 && number) {
    watch_process(what, atoi(number));
    puts("{}");
  } else if (strcmp(command, "join") == 0 && number) {
    join(what, atoi(number));
  } else if (strcmp(command, "fixes") == 0 && what) {
    fixes(atoi(what));
  } else if (strcmp(command, "fix") == 0) {
    double latitude = receiver_step(++step);
    write_fix(latitude);
    clients_await(latitude);
    puts("{}");
  } else if (strcmp(command, "calls") == 0 && number) {
    calls(what, atoi(number));
  } else if (strcmp(command, "rules") == 0 && what) {
    clients_add_rules(strcmp(what, "on") == 0);
    puts("{}");
  } else if (strcmp(command, "leave") == 0) {
    leave();
  } else if (strcmp(command, "drain") == 0) {
    clients_drain();
    puts("{}");
  } else {
    fail("unknown command %s", command);
  }
}

int main(int count, char **arguments) {
  char line[4096];
  if (count != 4) fail("BUS-ADDRESS RECEIVER-SOCKET RAW-PROGRAM");
  address = arguments[1];
  raw_program = arguments[3];
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  signal(SIGPIPE, SIG_IGN);
  receiver_listen(arguments[2]);
  puts("{}");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    obey(line);
    fflush(stdout);
  }
  stop_sender();
  return 0;
}
