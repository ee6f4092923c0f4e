#include "poet/service/service_error.h"

#include <cerrno>
#include <utility>

#include "poet/base/file_calls.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// An Error has no place for this. Where the database is, is nobody's business.
bool says_database_is_away(const Error& error) {
  return error.code == ErrorCode::Io && (error.message.starts_with("cannot reach the database") ||
                                         error.message.starts_with("cannot use the database"));
}

}  // namespace

JsonOut error_object(const ServiceError& error) {
  return {{"code", error.code},
          {"message", error.message},
          {"field", error.field.empty() ? JsonOut(nullptr) : JsonOut(error.field)}};
}

HttpResponse error_response(const ServiceError& error) {
  return {.status = error.status, .body = json_text({{"error", error_object(error)}})};
}

ServiceError service_error(const Error& error, std::string_view field) {
  if (error.code == ErrorCode::Io && says_disk_is_full(error.message)) return disk_full();
  if (error.code == ErrorCode::Io)
    return {.status = 500, .code = "internal", .message = to_string(error)};
  return {.message = to_string(error), .field = std::string(field)};
}

ServiceError not_found(std::string message) {
  return {.status = 404, .code = "not_found", .message = std::move(message)};
}

ServiceError store_full() {
  return {
      .status = 507,
      .code = "store_full",
      .message = "the store of this service has no room for it, and nothing that it may forget"};
}

ServiceError larger_than_the_store() {
  return {.status = 507,
          .code = "store_full",
          .message = "the file is larger than all that the store of this service may hold"};
}

ServiceError given_twice(const std::string& name) {
  return {.message = "the field " + in_quotes(name) + " is given twice",
          .field = name.substr(0, 100)};
}

// An Error has no place for the number. All who write into the store end their sentences with the
// system's words for it. EFBIG: a file may not be larger, by `ulimit -f` or the file system.
bool says_disk_is_full(std::string_view sentence) {
  while (sentence.ends_with('\n') || sentence.ends_with('?') || sentence.ends_with(' '))
    sentence.remove_suffix(1);
  for (const int number : {ENOSPC, EDQUOT, EFBIG})
    if (sentence.ends_with(reason_of(number))) return true;
  return false;
}

ServiceError disk_full() {
  return {.status = 507,
          .code = "store_full",
          .message = "the disk of this service has no room for it"};
}

int status_of_failed(std::string_view code) {
  if (code == "internal") return 500;
  if (code == "unavailable") return 503;
  return code == "store_full" ? 507 : 422;
}

HttpResponse internal_error(const Error& error) {
  if (says_disk_is_full(error.message)) return error_response(disk_full());
  if (!says_database_is_away(error))
    return error_response({.status = 500, .code = "internal", .message = to_string(error)});
  HttpResponse response =
      error_response({.status = 503,
                      .code = "unavailable",
                      .message = "the database of this service does not answer; try again later"});
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

}  // namespace poet
