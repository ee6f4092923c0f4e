#pragma once

#include <string>
#include <string_view>

#include "poet/base/json_out_fwd.h"
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

// Of bad input that an Error describes: 400, or 500 where the system refused something.
ServiceError service_error(const Error& error, std::string_view field = {});

ServiceError not_found(std::string message);

// Of what there is no room for, though everything was forgotten that can be: 507.
ServiceError store_full();

// Of something that the service itself cannot do: 500.
HttpResponse internal_error(const Error& error);

}  // namespace poet
