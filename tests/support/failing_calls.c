/* Loaded before the C library (LD_PRELOAD): makes one call of the operating system fail, once.
 *
 *   POET_FAIL_CALL   which: open, read, pread, pwrite, write, fsync, fallocate, ftruncate, rename,
 *                    unlink, close, mmap, malloc
 *   POET_FAIL_AT     the how manieth of them in the process, from 0
 *   POET_FAIL_ERRNO  with which error number; 0: the process is killed instead
 *   POET_FAIL_MARK   a file that is made when it has failed
 *
 * What does not fail is passed on as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char* failing_call;
static const char* mark;
static long failing_at = -1;
static int failing_errno;
static atomic_long calls;

__attribute__((constructor)) static void begin(void) {
  const char* at = getenv("POET_FAIL_AT");
  const char* number = getenv("POET_FAIL_ERRNO");
  failing_call = getenv("POET_FAIL_CALL");
  mark = getenv("POET_FAIL_MARK");
  failing_errno = number ? atoi(number) : EIO;
  failing_at = at ? atol(at) : -1;
}

/* The file is made past the functions of this library. */
static void leave_mark(void) {
  long file;
  if (!mark) return;
  file = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) syscall(SYS_close, file);
}

static int fails(const char* call) {
  if (failing_at < 0 || !failing_call || strcmp(call, failing_call) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) != failing_at) return 0;
  leave_mark();
  if (failing_errno == 0) syscall(SYS_kill, getpid(), SIGKILL);
  errno = failing_errno;
  return 1;
}

#define NEXT(type, name) \
  static type next;      \
  if (!next) *(void**)(&next) = dlsym(RTLD_NEXT, name)

typedef int (*open_function)(const char*, int, ...);
#define OPEN(name)                                       \
  int name(const char* path, int flags, ...) {           \
    mode_t mode = 0;                                     \
    NEXT(open_function, #name);                          \
    if (flags & (O_CREAT | O_TMPFILE)) {                 \
      va_list more;                                      \
      va_start(more, flags);                             \
      mode = (mode_t)va_arg(more, int);                  \
      va_end(more);                                      \
    }                                                    \
    return fails("open") ? -1 : next(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

typedef ssize_t (*read_function)(int, void*, size_t);
ssize_t read(int file, void* into, size_t size) {
  NEXT(read_function, "read");
  return fails("read") ? -1 : next(file, into, size);
}

typedef ssize_t (*write_function)(int, const void*, size_t);
ssize_t write(int file, const void* from, size_t size) {
  NEXT(write_function, "write");
  return fails("write") ? -1 : next(file, from, size);
}

typedef ssize_t (*pread_function)(int, void*, size_t, off_t);
#define PREAD(name)                                               \
  ssize_t name(int file, void* into, size_t size, off_t offset) { \
    NEXT(pread_function, #name);                                  \
    return fails("pread") ? -1 : next(file, into, size, offset);  \
  }
PREAD(pread)
PREAD(pread64)

typedef ssize_t (*pwrite_function)(int, const void*, size_t, off_t);
#define PWRITE(name)                                                    \
  ssize_t name(int file, const void* from, size_t size, off_t offset) { \
    NEXT(pwrite_function, #name);                                       \
    return fails("pwrite") ? -1 : next(file, from, size, offset);       \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

typedef int (*file_function)(int);
#define OF_FILE(name)                      \
  int name(int file) {                     \
    NEXT(file_function, #name);            \
    return fails(#name) ? -1 : next(file); \
  }
OF_FILE(fsync)

/* The file is closed all the same, as by the system. */
int close(int file) {
  NEXT(file_function, "close");
  {
    const int failing = fails("close");
    const int result = next(file);
    if (!failing) return result;
    errno = failing_errno;
    return -1;
  }
}

typedef int (*fallocate_function)(int, int, off_t, off_t);
#define FALLOCATE(name)                                              \
  int name(int file, int mode, off_t offset, off_t size) {           \
    NEXT(fallocate_function, #name);                                 \
    return fails("fallocate") ? -1 : next(file, mode, offset, size); \
  }
FALLOCATE(fallocate)
FALLOCATE(fallocate64)

typedef int (*ftruncate_function)(int, off_t);
#define FTRUNCATE(name)                                \
  int name(int file, off_t size) {                     \
    NEXT(ftruncate_function, #name);                   \
    return fails("ftruncate") ? -1 : next(file, size); \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

typedef int (*rename_function)(const char*, const char*);
int rename(const char* from, const char* to) {
  NEXT(rename_function, "rename");
  return fails("rename") ? -1 : next(from, to);
}

typedef int (*unlink_function)(const char*);
int unlink(const char* path) {
  NEXT(unlink_function, "unlink");
  return fails("unlink") ? -1 : next(path);
}

typedef void* (*mmap_function)(void*, size_t, int, int, int, off_t);
#define MMAP(name)                                                                       \
  void* name(void* at, size_t size, int protection, int flags, int file, off_t offset) { \
    NEXT(mmap_function, #name);                                                          \
    return fails("mmap") ? MAP_FAILED : next(at, size, protection, flags, file, offset); \
  }
MMAP(mmap)
MMAP(mmap64)

/* dlsym() itself may allocate, so these go to the C library's own functions by name. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return fails("malloc") ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return fails("malloc") ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return fails("malloc") ? NULL : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails("malloc") ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** into, size_t alignment, size_t size) {
  if (fails("malloc")) return ENOMEM;
  *into = __libc_memalign(alignment, size);
  return *into ? 0 : ENOMEM;
}
