/* The server preloads this library, which shifts the real-time clock and makes writes to files fail. The file TORTURE_CONTROL holds
   two 64-bit integers: the seconds to add to the clock, and N: one of N writes fails (0: no write fails). A failing write sets errno
   to the number in TORTURE_ERRNO, by default EIO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static volatile long long *control;
static atomic_ullong write_count;
static int write_errno = EIO;

__attribute__((constructor)) static void load_control(void) {
  const char *path = getenv("TORTURE_CONTROL"), *errno_text = getenv("TORTURE_ERRNO");
  if (errno_text) write_errno = atoi(errno_text);
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *mapping = mmap(NULL, 16, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapping != MAP_FAILED) control = mapping;
}

/* Defines `next`, the C library's function that this library replaces. */
#define NEXT(type, name, ...) \
  static type (*next)(__VA_ARGS__); \
  if (!next) next = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Only writes to regular files fail. Standard output and standard error are the log, and the proxies break network connections. */
static int should_fail(int fd) {
  struct stat file_stat;
  long long interval = control ? control[1] : 0;
  if (interval <= 0 || fd <= 2 || fstat(fd, &file_stat) != 0 || !S_ISREG(file_stat.st_mode)) return 0;
  if (atomic_fetch_add(&write_count, 1) % (unsigned long long)interval != 0) return 0;
  errno = write_errno;
  return 1;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  NEXT(int, "clock_gettime", clockid_t, struct timespec *);
  int result = next(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && control) time->tv_sec += control[0];
  return result;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  return should_fail(fd) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
  return should_fail(fd) ? -1 : next(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  return should_fail(fd) ? -1 : next(fd, bytes, count, offset);
}

int fsync(int fd) {
  NEXT(int, "fsync", int);
  return should_fail(fd) ? -1 : next(fd);
}

int fdatasync(int fd) {
  NEXT(int, "fdatasync", int);
  return should_fail(fd) ? -1 : next(fd);
}
