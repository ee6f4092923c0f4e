/* Stands in for the library of HiGHS: records the calls of the adapter, and answers what a test
 * told it to. Signatures are those of its documentation of the C interface. */
#include <stdint.h>

#include "call_log.h"

typedef void callback_function(int type, const char* message, const void* out, void* in,
                               void* user_data);

static callback_function* callback;
static void* callback_user;
static int runs;

const char* Highs_version(void) {
  return "1.10.0";
}
int Highs_getSizeofHighsInt(const void* highs) {
  (void)highs;
  return (int)answer_number("sizeof", sizeof(int));
}
void* Highs_create(void) {
  runs = 0;
  note("create\n");
  return call_log;
}
void Highs_destroy(void* highs) {
  (void)highs;
  note("destroy\n");
}

int Highs_setBoolOptionValue(void* highs, const char* option, int value) {
  (void)highs;
  note("setBoolOptionValue %s %d", option, value);
  return done("Highs_setBoolOptionValue");
}
int Highs_setIntOptionValue(void* highs, const char* option, int value) {
  (void)highs;
  note("setIntOptionValue %s %d", option, value);
  return done("Highs_setIntOptionValue");
}
int Highs_setDoubleOptionValue(void* highs, const char* option, double value) {
  (void)highs;
  note("setDoubleOptionValue %s %g", option, value);
  return done("Highs_setDoubleOptionValue");
}
int Highs_setStringOptionValue(void* highs, const char* option, const char* value) {
  (void)highs;
  note("setStringOptionValue %s %s", option, value);
  return done("Highs_setStringOptionValue");
}

static void note_model(int columns, int rows, int terms, int format, int sense, double offset,
                       const double* cost, const double* lower, const double* upper,
                       const double* row_lower, const double* row_upper, const int* begin,
                       const int* index, const double* coefficient) {
  note(" format=%d sense=%d offset=%g", format, sense, offset);
  note_doubles("cost", columns, cost);
  note_doubles("lower", columns, lower);
  note_doubles("upper", columns, upper);
  note_doubles("row_lower", rows, row_lower);
  note_doubles("row_upper", rows, row_upper);
  note_ints("begin", rows, begin);
  note_ints("index", terms, index);
  note_doubles("coefficient", terms, coefficient);
}
int Highs_passMip(void* highs, int columns, int rows, int terms, int format, int sense,
                  double offset, const double* cost, const double* lower, const double* upper,
                  const double* row_lower, const double* row_upper, const int* begin,
                  const int* index, const double* coefficient, const int* kind) {
  (void)highs;
  note("passMip");
  note_model(columns, rows, terms, format, sense, offset, cost, lower, upper, row_lower, row_upper,
             begin, index, coefficient);
  note_ints("kind", columns, kind);
  return done("Highs_passMip");
}
int Highs_passLp(void* highs, int columns, int rows, int terms, int format, int sense,
                 double offset, const double* cost, const double* lower, const double* upper,
                 const double* row_lower, const double* row_upper, const int* begin,
                 const int* index, const double* coefficient) {
  (void)highs;
  note("passLp");
  note_model(columns, rows, terms, format, sense, offset, cost, lower, upper, row_lower, row_upper,
             begin, index, coefficient);
  return done("Highs_passLp");
}
int Highs_addCols(void* highs, int count, const double* cost, const double* lower,
                  const double* upper, int terms, const int* begin, const int* row,
                  const double* coefficient) {
  (void)highs;
  note("addCols");
  note_doubles("cost", count, cost);
  note_doubles("lower", count, lower);
  note_doubles("upper", count, upper);
  note_ints("begin", count, begin);
  note_ints("row", terms, row);
  note_doubles("coefficient", terms, coefficient);
  return done("Highs_addCols");
}
int Highs_addRows(void* highs, int count, const double* lower, const double* upper, int terms,
                  const int* begin, const int* column, const double* coefficient) {
  (void)highs;
  note("addRows");
  note_doubles("lower", count, lower);
  note_doubles("upper", count, upper);
  note_ints("begin", count, begin);
  note_ints("column", terms, column);
  note_doubles("coefficient", terms, coefficient);
  return done("Highs_addRows");
}
int Highs_changeColBounds(void* highs, int column, double lower, double upper) {
  (void)highs;
  note("changeColBounds %d %g %g", column, lower, upper);
  return done("Highs_changeColBounds");
}
int Highs_setSolution(void* highs, const double* values, const double* row_values,
                      const double* column_duals, const double* row_duals) {
  (void)highs;
  note("setSolution %s%s%s%s", values ? "v" : "-", row_values ? "r" : "-", column_duals ? "c" : "-",
       row_duals ? "d" : "-");
  return done("Highs_setSolution");
}

int Highs_setCallback(void* highs, callback_function* function, void* user) {
  (void)highs;
  callback = function;
  callback_user = user;
  note("setCallback %s", function ? "set" : "none");
  return done("Highs_setCallback");
}
int Highs_startCallback(void* highs, int type) {
  (void)highs;
  note("startCallback %d", type);
  return done("Highs_startCallback");
}
const void* Highs_getCallbackDataOutItem(const void* out, const char* name) {
  static int64_t nodes;
  (void)out;
  const struct canned* found = answer(name);
  if (!found) return NULL;
  if (strcmp(name, "mip_node_count") != 0) return found->values;
  nodes = (int64_t)found->values[0];
  return &nodes;
}

/* Calls back as the search does: a better solution, a line of its log, the question whether to
 * stop.
 */
#ifndef STUB_WITHOUT_RUN
int Highs_run(void* highs) {
  int interrupt = 0;
  (void)highs;
  note("run\n");
  ++runs;
  if (callback) {
    if (answer("mip_solution")) callback(4, "", call_log, NULL, callback_user);
    callback(5, "", call_log, NULL, callback_user);
    callback(6, "", call_log, &interrupt, callback_user);
    if (interrupt) note("interrupted\n");
  }
  return strcmp("Highs_run", failing) == 0 ? failure : 0;
}
#endif

/* "status" of the second run is "status2" where that is told. */
int Highs_getModelStatus(const void* highs) {
  (void)highs;
  const int status = (int)answer_number("status", 0);
  return runs > 1 ? (int)answer_number("status2", status) : status;
}
int Highs_getSolution(const void* highs, double* values, double* column_duals, double* row_values,
                      double* row_duals) {
  (void)highs, (void)column_duals, (void)row_values;
  const struct canned* found = answer("values");
  if (found) memcpy(values, found->values, (size_t)found->count * sizeof(double));
  found = answer("duals");
  if (found) memcpy(row_duals, found->values, (size_t)found->count * sizeof(double));
  return strcmp("Highs_getSolution", failing) == 0 ? failure : 0;
}
int Highs_getIntInfoValue(const void* highs, const char* info, int* value) {
  (void)highs;
  if (!answer(info)) return -1;
  *value = (int)answer_number(info, 0);
  return 0;
}
int Highs_getInt64InfoValue(const void* highs, const char* info, int64_t* value) {
  (void)highs;
  if (!answer(info)) return -1;
  *value = (int64_t)answer_number(info, 0);
  return 0;
}
int Highs_getDoubleInfoValue(const void* highs, const char* info, double* value) {
  (void)highs;
  if (!answer(info)) return -1;
  *value = answer_number(info, 0);
  return 0;
}
