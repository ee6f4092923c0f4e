#pragma once

#include "poet/base/result.h"

// As libpq declares them.
struct pg_conn;
struct pg_result;

namespace poet {

// A row of a list of notices, as libpq lays it out (PGnotify).
struct PostgresNotice {
  char* channel;
  int process;
  char* text;
  PostgresNotice* next;
};

// What we call of libpq, PostgreSQL's client in C. It is loaded when a store in a database is asked
// for, and declared by ourselves: nobody else needs it, neither to build nor to run, and a worker
// that reads what came from outside has none of the libraries that it brings. Numbers stand for its
// enumerations; a test compares them with its header.
struct PostgresLibrary {
  static constexpr int kConnectionOk = 0;
  static constexpr int kConnectionBad = 1;
  static constexpr int kCommandOk = 1;
  static constexpr int kTuplesOk = 2;

  pg_conn* (*begin_to_connect)(const char* const* keywords, const char* const* values,
                               int expand_dbname) = nullptr;
  void (*connect_anew)(pg_conn* connection) = nullptr;
  void (*finish)(pg_conn* connection) = nullptr;
  int (*status)(const pg_conn* connection) = nullptr;
  char* (*error_message)(const pg_conn* connection) = nullptr;
  char* (*host)(const pg_conn* connection) = nullptr;
  char* (*database)(const pg_conn* connection) = nullptr;
  int (*socket)(const pg_conn* connection) = nullptr;
  void (*(*set_notice_processor)(pg_conn* connection, void (*hear)(void*, const char*),
                                 void* self))(void*, const char*) = nullptr;

  pg_result* (*exec)(pg_conn* connection, const char* script) = nullptr;
  pg_result* (*exec_params)(pg_conn* connection, const char* command, int count,
                            const unsigned* types, const char* const* values, const int* lengths,
                            const int* formats, int result_format) = nullptr;
  int (*result_status)(const pg_result* result) = nullptr;
  char* (*result_error_field)(const pg_result* result, int field) = nullptr;
  int (*rows)(const pg_result* result) = nullptr;
  char* (*value)(const pg_result* result, int row, int column) = nullptr;
  int (*length)(const pg_result* result, int row, int column) = nullptr;
  int (*is_null)(const pg_result* result, int row, int column) = nullptr;
  void (*clear)(pg_result* result) = nullptr;

  int (*consume_input)(pg_conn* connection) = nullptr;
  PostgresNotice* (*notifies)(pg_conn* connection) = nullptr;
  void (*free_memory)(void* memory) = nullptr;

  // Loads it, once for all; an Error of code Unsupported says what is missing.
  static Result<const PostgresLibrary*> load();
};

}  // namespace poet
