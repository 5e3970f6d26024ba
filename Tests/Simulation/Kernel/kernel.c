// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "kernel.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The real kernel: syscall(2) is one of the functions that are replaced. */
static long enter_kernel(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#else
#error "How does a program enter the kernel here?"
#endif
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

#define real(number, a, b, c, d, e) enter_kernel(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static const kernel_world *world;
static bool in_world;
static int64_t monotonic = 1000000000, slept, offset = 1700000000000000;
static int64_t processor;
static uint64_t random_state, polls;
static uint32_t user;
static bool has_user;
static char files[PATH_MAX];
/* The processes whose root directories are special. */
static uint32_t hidden_root, sandboxed_root;
static int alarms[16], alarm_count;

void kernel_begin(const kernel_world *new_world, uint64_t seed) {
  world = new_world;
  random_state = seed;
}

int64_t kernel_monotonic(void) { return monotonic; }
int64_t kernel_boottime(void) { return monotonic + slept; }
int64_t kernel_realtime(void) { return monotonic + slept + offset; }
void kernel_advance_to(int64_t time) { if (time > monotonic) monotonic = time; }
void kernel_set_user(uint32_t new_user) { user = new_user; has_user = true; }
void kernel_set_files(const char *folder) { snprintf(files, sizeof files, "%s", folder); }
void kernel_set_roots(uint32_t hidden, uint32_t sandboxed) {
  hidden_root = hidden;
  sandboxed_root = sandboxed;
}
uint64_t kernel_polls(void) { return polls; }

uint64_t kernel_hash(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
  return hash;
}

/* The kernel cancels timers of the wall clock, which the process reads as an expiration. */
static void cancel_timers(void) {
  uint64_t one = 1;
  for (int i = 0; i < alarm_count; i++) (void)!write(alarms[i], &one, sizeof one);
}

void kernel_suspend(int64_t microseconds) {
  slept += microseconds;
  cancel_timers();
}

void kernel_set_clock(int64_t difference) {
  offset += difference;
  cancel_timers();
}

/* Clocks */

static int64_t microseconds_of(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_TAI: return kernel_realtime();
  case CLOCK_BOOTTIME: return kernel_boottime();
  case CLOCK_THREAD_CPUTIME_ID:
  case CLOCK_PROCESS_CPUTIME_ID: return processor += 10;
  default: return monotonic;
  }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!world) return (int)real(SYS_clock_gettime, clock, time, 0, 0, 0);
  int64_t now = microseconds_of(clock);
  time->tv_sec = now / 1000000;
  time->tv_nsec = now % 1000000 * 1000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  if (!world) return (int)real(SYS_gettimeofday, time, zone, 0, 0, 0);
  int64_t now = kernel_realtime();
  time->tv_sec = now / 1000000;
  time->tv_usec = now % 1000000;
  return 0;
}

/* Such a timer never expires: the service uses it to learn that the wall clock has jumped. */
int timerfd_create(clockid_t clock, int flags) {
  (void)clock;
  int descriptor = eventfd(0, (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0) | (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0));
  if (descriptor >= 0 && alarm_count < 16) alarms[alarm_count++] = descriptor;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *before) {
  (void)descriptor, (void)flags, (void)time, (void)before;
  return 0;
}

int close(int descriptor) {
  for (int i = 0; i < alarm_count; i++) {
    if (alarms[i] == descriptor) alarms[i--] = alarms[--alarm_count];
  }
  return (int)real(SYS_close, descriptor, 0, 0, 0, 0);
}

/* Waiting */

static int poll_now(struct pollfd *descriptors, nfds_t count) {
  struct timespec none = {0, 0};
  return (int)real(SYS_ppoll, descriptors, count, &none, NULL, 8);
}

int kernel_poll(struct pollfd *descriptors, nfds_t count) { return poll_now(descriptors, count); }

static int wait_for(struct pollfd *descriptors, nfds_t count, int64_t microseconds) {
  if (in_world) return poll_now(descriptors, count);
  polls++;
  int64_t deadline = microseconds < 0 ? INT64_MAX : monotonic + microseconds;
  int ready;
  in_world = true;
  for (;;) {
    ready = poll_now(descriptors, count);
    if (ready != 0 || microseconds == 0) {
      world->busy();
      break;
    }
    if (!world->idle(deadline)) break;
  }
  in_world = false;
  return ready;
}

void kernel_idle(int64_t deadline) {
  in_world = true;
  world->idle(deadline);
  in_world = false;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  if (world) return wait_for(descriptors, count, milliseconds < 0 ? -1 : (int64_t)milliseconds * 1000);
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  return (int)real(SYS_ppoll, descriptors, count, milliseconds < 0 ? NULL : &time, NULL, 8);
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *time, const sigset_t *mask) {
  if (!world) return (int)real(SYS_ppoll, descriptors, count, time, mask, 8);
  return wait_for(descriptors, count, time ? time->tv_sec * 1000000LL + (time->tv_nsec + 999) / 1000 : -1);
}

/* Random numbers and users */

static uint64_t next_random(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* Swift's SystemRandomNumberGenerator enters the kernel through this function. */
long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
  va_end(arguments);
  if (!world || number != SYS_getrandom) return enter_kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  for (long i = 0; i < a[1]; i++) ((uint8_t *)a[0])[i] = (uint8_t)(next_random() >> 24);
  return a[1];
}

uid_t getuid(void) { return has_user ? user : (uid_t)real(SYS_getuid, 0, 0, 0, 0, 0); }

/* All users of the world exist, whoever exists on this machine. */
struct passwd *getpwuid(uid_t id) {
  static struct passwd entry;
  entry = (struct passwd){.pw_name = "user", .pw_passwd = "*", .pw_uid = id, .pw_gid = id, .pw_dir = "/", .pw_shell = ""};
  return &entry;
}

/* Files */

static const char *mapped(const char *path, char *buffer) {
  /* The root directories of simulated processes are empty. */
  size_t length = strlen(path);
  if (*files && length > 5 && !strncmp(path, "/proc/", 6) && !strcmp(path + length - 5, "/root")) {
    uint32_t process = (uint32_t)strtoul(path + 6, NULL, 10);
    const char *folder = "etc";
    if (process && process == hidden_root) folder = "none";
    if (process && process == sandboxed_root) folder = "flatpak";
    snprintf(buffer, PATH_MAX, "%s/%s", files, folder);
    return buffer;
  }
  if (!*files || (strncmp(path, "/etc/geoclue", 12) && strncmp(path, "/etc/geopublicist", 17) &&
                  strcmp(path, "/etc/subuid") && strcmp(path, "/etc/passwd")))
    return path;
  snprintf(buffer, PATH_MAX, "%s%s", files, path);
  return buffer;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  char buffer[PATH_MAX];
  return (int)real(SYS_openat, AT_FDCWD, mapped(path, buffer), flags, mode, 0);
}

int stat(const char *restrict path, struct stat *restrict status) {
  char buffer[PATH_MAX];
  return fstatat(AT_FDCWD, mapped(path, buffer), status, 0);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int stat64(const char *restrict path, struct stat64 *restrict status) {
  return stat(path, (struct stat *)status);
}

int access(const char *path, int mode) {
  char buffer[PATH_MAX];
  return faccessat(AT_FDCWD, mapped(path, buffer), mode, 0);
}

DIR *opendir(const char *path) {
  char buffer[PATH_MAX];
  int descriptor = openat(AT_FDCWD, mapped(path, buffer), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return descriptor < 0 ? NULL : fdopendir(descriptor);
}

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
  char buffer[PATH_MAX];
  return (int)real(SYS_inotify_add_watch, descriptor, mapped(path, buffer), mask, 0, 0);
}
