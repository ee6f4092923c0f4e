#pragma once

#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/service/http_message.h"

namespace poet {

// What a service says when it does not do what was asked (docs/formats/service.md, "Errors").
struct ServiceError {
  int status = 400;
  std::string code = "bad_request";
  std::string message = {};
  std::string field = {};  // empty: no one field is at fault
};

// {"code", "message", "field"}
JsonOut error_object(const ServiceError& error);
HttpResponse error_response(const ServiceError& error);

// Of bad input that an Error describes: 400, or 500 where the system refused something,
// or 507 where it has no room.
ServiceError service_error(const Error& error, std::string_view field = {});

ServiceError not_found(std::string message);

// Of a field that stands twice in a request: which of the two is meant?
ServiceError given_twice(const std::string& name);

// Of what there is no room for, though everything was forgotten that can be: 507.
ServiceError store_full();
ServiceError larger_than_the_store();

// Whether a sentence says at its end that the system has no room for a file.
bool says_disk_is_full(std::string_view sentence);
// 507, where that is so.
ServiceError disk_full();

// The status that tells why a job has failed, by the code of its error.
int status_of_failed(std::string_view code);

// Of something that the service itself cannot do: 500, or 507 on a full disk.
HttpResponse internal_error(const Error& error);

}  // namespace poet
