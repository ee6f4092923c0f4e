/* Preloaded, makes a process's clock that of the processor's time it has had: on a machine that
 * others work on, a limit of ten seconds is then what ten seconds are on one that nobody else uses.
 * Of a process with one thread at work. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
  if (clock == CLOCK_MONOTONIC) clock = CLOCK_PROCESS_CPUTIME_ID;
  return (int)syscall(SYS_clock_gettime, clock, time);
}
