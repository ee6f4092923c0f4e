/* What a stub of a solver's library shares with another: it writes down every call with its
 * arguments, gives canned answers, and fails where it is told to. C99, included once per library.
 */
#ifndef POET_TESTS_SUPPORT_CALL_LOG_H_
#define POET_TESTS_SUPPORT_CALL_LOG_H_

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { kLogSize = 1 << 16, kNameSize = 64, kMostCanned = 32, kMostValues = 16 };

static char call_log[kLogSize];
static char failing[kNameSize];
static int failure;

/* Answers by name: attributes, infos, callback items. */
struct canned {
  char name[kNameSize];
  int count;
  double values[kMostValues];
};
static struct canned canned[kMostCanned];
static int canned_count;

static void note(const char* format, ...) {
  const size_t used = strlen(call_log);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(call_log + used, kLogSize - used, format, arguments);
  va_end(arguments);
}

static void note_doubles(const char* name, int count, const double* values) {
  note(" %s=[", name);
  for (int i = 0; values && i < count; ++i) note(i ? " %g" : "%g", values[i]);
  note("]");
}

static void note_ints(const char* name, int count, const int* values) {
  note(" %s=[", name);
  for (int i = 0; values && i < count; ++i) note(i ? " %d" : "%d", values[i]);
  note("]");
}

/* Ends the line of a call; its result: 0, or the failure it was told to return. */
static int done(const char* function) {
  note("\n");
  return strcmp(function, failing) == 0 ? failure : 0;
}

static const struct canned* answer(const char* name) {
  for (int i = 0; i < canned_count; ++i)
    if (strcmp(canned[i].name, name) == 0) return &canned[i];
  return NULL;
}

static double answer_number(const char* name, double otherwise) {
  const struct canned* found = answer(name);
  return found ? found->values[0] : otherwise;
}

/* The controls, found by the tests with dlsym. */
void stub_reset(void) {
  call_log[0] = '\0';
  failing[0] = '\0';
  canned_count = 0;
}
const char* stub_log(void) {
  return call_log;
}
void stub_fail(const char* function, int code) {
  snprintf(failing, sizeof failing, "%s", function);
  failure = code;
}
void stub_answer(const char* name, int count, const double* values) {
  struct canned* row = &canned[canned_count++];
  snprintf(row->name, sizeof row->name, "%s", name);
  row->count = count;
  memcpy(row->values, values, (size_t)count * sizeof *values);
}

#endif
