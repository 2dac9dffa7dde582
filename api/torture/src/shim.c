/* Preloaded into the server: shifts the real-time clock and makes writes to files fail, as a control file says. It holds
   two 64-bit numbers: seconds to add, and of how many writes one fails (0: none). A write fails with EIO, or with the number
   in TORTURE_ERRNO. */
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
static atomic_ullong writes;
static int reason = EIO;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TORTURE_CONTROL"), *number = getenv("TORTURE_ERRNO");
  if (number) reason = atoi(number);
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *map = mmap(NULL, 16, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

#define NEXT(type, name, ...) \
  static type (*next)(__VA_ARGS__); \
  if (!next) next = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

/* Standard output and error are the log, and sockets are the proxies' matter. */
static int fails(int fd) {
  struct stat about;
  long long of = control ? control[1] : 0;
  if (of <= 0 || fd <= 2 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  if (atomic_fetch_add(&writes, 1) % (unsigned long long)of != 0) return 0;
  errno = reason;
  return 1;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  NEXT(int, "clock_gettime", clockid_t, struct timespec *);
  int result = next(clock, at);
  if (result == 0 && clock == CLOCK_REALTIME && control) at->tv_sec += control[0];
  return result;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  return fails(fd) ? -1 : next(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
  return fails(fd) ? -1 : next(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  return fails(fd) ? -1 : next(fd, bytes, count, at);
}

int fsync(int fd) {
  NEXT(int, "fsync", int);
  return fails(fd) ? -1 : next(fd);
}

int fdatasync(int fd) {
  NEXT(int, "fdatasync", int);
  return fails(fd) ? -1 : next(fd);
}
