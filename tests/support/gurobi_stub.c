/* Stands in for Gurobi's library: records the calls of the adapter, and answers what a test told it
 * to. Signatures are those of the reference manual, with void pointers for its own types. */
#include "call_log.h"

typedef int callback_function(void* model, void* data, int where, void* user_data);

static callback_function* callback;
static void* callback_user;
static int columns;
static int runs;

void GRBversion(int* major, int* minor, int* technical) {
  *major = 11;
  *minor = 0;
  *technical = 2;
}

int GRBemptyenv(void** env) {
  *env = call_log;
  note("emptyenv");
  return done("GRBemptyenv");
}
int GRBstartenv(void* env) {
  (void)env;
  note("startenv");
  return done("GRBstartenv");
}
void GRBfreeenv(void* env) {
  (void)env;
  note("freeenv\n");
}
const char* GRBgeterrormsg(void* env) {
  (void)env;
  return failure ? "as the stub was told" : "";
}
void* GRBgetenv(void* model) {
  return model;
}

int GRBsetintparam(void* env, const char* name, int value) {
  (void)env;
  note("setintparam %s %d", name, value);
  return done("GRBsetintparam");
}
int GRBsetdblparam(void* env, const char* name, double value) {
  (void)env;
  note("setdblparam %s %g", name, value);
  return done("GRBsetdblparam");
}

int GRBnewmodel(void* env, void** model, const char* name, int count, double* cost, double* lower,
                double* upper, char* kind, char** names) {
  (void)env, (void)cost, (void)lower, (void)upper, (void)kind, (void)names;
  *model = &columns;
  columns = count;
  runs = 0;
  note("newmodel %s", name);
  return done("GRBnewmodel");
}
int GRBfreemodel(void* model) {
  (void)model;
  note("freemodel");
  return done("GRBfreemodel");
}

int GRBaddvars(void* model, int count, int terms, int* begin, int* row, double* coefficient,
               double* cost, double* lower, double* upper, char* kind, char** names) {
  (void)model, (void)names;
  columns += count;
  note("addvars");
  note_ints("begin", count, begin);
  note_ints("row", terms, row);
  note_doubles("coefficient", terms, coefficient);
  note_doubles("cost", count, cost);
  note_doubles("lower", count, lower);
  note_doubles("upper", count, upper);
  note(" kind=%.*s", count, kind);
  return done("GRBaddvars");
}
int GRBaddconstrs(void* model, int count, int terms, int* begin, int* column, double* coefficient,
                  char* sense, double* side, char** names) {
  (void)model, (void)names;
  note("addconstrs");
  note_ints("begin", count, begin);
  note_ints("column", terms, column);
  note_doubles("coefficient", terms, coefficient);
  note(" sense=%.*s", count, sense);
  note_doubles("side", count, side);
  return done("GRBaddconstrs");
}
int GRBupdatemodel(void* model) {
  (void)model;
  note("updatemodel");
  return done("GRBupdatemodel");
}
int GRBreset(void* model, int clear_all) {
  (void)model;
  note("reset %d", clear_all);
  return done("GRBreset");
}

/* Calls back once as the search does, and once more for a solution when there is one to tell. */
#ifndef STUB_WITHOUT_OPTIMIZE
int GRBoptimize(void* model) {
  note("optimize\n");
  ++runs;
  if (callback) {
    callback(model, call_log, 3, callback_user);
    if (answer("4001")) callback(model, call_log, 4, callback_user);
  }
  return strcmp("GRBoptimize", failing) == 0 ? failure : 0;
}
#endif
void GRBterminate(void* model) {
  (void)model;
  note("terminate\n");
}

int GRBsetcallbackfunc(void* model, callback_function* function, void* user) {
  (void)model;
  callback = function;
  callback_user = user;
  note("setcallbackfunc %s", function ? "set" : "none");
  return done("GRBsetcallbackfunc");
}
int GRBcbget(void* data, int where, int what, void* result) {
  (void)data, (void)where;
  char name[kNameSize];
  snprintf(name, sizeof name, "%d", what);
  const struct canned* found = answer(name);
  if (!found) return 10005;
  memcpy(result, found->values, (size_t)found->count * sizeof(double));
  return 0;
}

/* "Status" of the second run is "Status2" where that is told. */
int GRBgetintattr(void* model, const char* name, int* value) {
  (void)model;
  *value = (int)answer_number(name, 0);
  if (strcmp(name, "Status") == 0 && runs > 1) *value = (int)answer_number("Status2", *value);
  return strcmp("GRBgetintattr", failing) == 0 ? failure : 0;
}
int GRBgetdblattr(void* model, const char* name, double* value) {
  (void)model;
  const struct canned* found = answer(name);
  if (!found) return 10005;
  *value = found->values[0];
  return 0;
}
int GRBgetdblattrarray(void* model, const char* name, int first, int length, double* values) {
  (void)model, (void)first;
  const struct canned* found = answer(name);
  if (!found || found->count < length) return 10005;
  memcpy(values, found->values, (size_t)length * sizeof(double));
  return 0;
}
int GRBsetdblattrarray(void* model, const char* name, int first, int length, double* values) {
  (void)model;
  note("setdblattrarray %s %d", name, first);
  note_doubles("values", length, values);
  return done("GRBsetdblattrarray");
}
int GRBsetdblattrelement(void* model, const char* name, int element, double value) {
  (void)model;
  note("setdblattrelement %s %d %g", name, element, value);
  return done("GRBsetdblattrelement");
}
