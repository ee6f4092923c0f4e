#include "poet/store/postgres_library.h"

#include "poet/base/dynamic_library.h"

namespace poet {
namespace {

Result<PostgresLibrary> load_library() {
  Result<DynamicLibrary> library = DynamicLibrary::open("PostgreSQL's client", {"libpq.so.5"}, {});
  if (!library.ok()) {
    Error error = library.error();
    error.message += "; Debian's package libpq5 has it";
    return error;
  }
  PostgresLibrary calls;
  library->bind(calls.begin_to_connect, "PQconnectStartParams");
  library->bind(calls.connect_anew, "PQreset");
  library->bind(calls.finish, "PQfinish");
  library->bind(calls.status, "PQstatus");
  library->bind(calls.error_message, "PQerrorMessage");
  library->bind(calls.host, "PQhost");
  library->bind(calls.database, "PQdb");
  library->bind(calls.socket, "PQsocket");
  library->bind(calls.set_notice_processor, "PQsetNoticeProcessor");
  library->bind(calls.exec, "PQexec");
  library->bind(calls.exec_params, "PQexecParams");
  library->bind(calls.result_status, "PQresultStatus");
  library->bind(calls.result_error_field, "PQresultErrorField");
  library->bind(calls.rows, "PQntuples");
  library->bind(calls.value, "PQgetvalue");
  library->bind(calls.length, "PQgetlength");
  library->bind(calls.is_null, "PQgetisnull");
  library->bind(calls.clear, "PQclear");
  library->bind(calls.consume_input, "PQconsumeInput");
  library->bind(calls.notifies, "PQnotifies");
  library->bind(calls.free_memory, "PQfreemem");
  if (Failure failure = library->complete()) return *failure;
  return calls;
}

}  // namespace

Result<const PostgresLibrary*> PostgresLibrary::load() {
  static const Result<PostgresLibrary> loaded = load_library();
  if (!loaded.ok()) return loaded.error();
  return &*loaded;
}

}  // namespace poet
