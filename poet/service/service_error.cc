#include "poet/service/service_error.h"

#include <utility>

#include "poet/base/json_out.h"

namespace poet {

JsonOut error_object(const ServiceError& error) {
  return {{"code", error.code},
          {"message", error.message},
          {"field", error.field.empty() ? JsonOut(nullptr) : JsonOut(error.field)}};
}

HttpResponse error_response(const ServiceError& error) {
  return {.status = error.status, .body = json_text({{"error", error_object(error)}})};
}

ServiceError service_error(const Error& error, std::string_view field) {
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

HttpResponse internal_error(const Error& error) {
  return error_response({.status = 500, .code = "internal", .message = to_string(error)});
}

}  // namespace poet
