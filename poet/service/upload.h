#pragma once

#include <optional>
#include <string>

#include "poet/service/access.h"
#include "poet/service/http_message.h"
#include "poet/service/job_question.h"
#include "poet/service/routes.h"

namespace poet {

class Service;

// A model that came with a request, looked at by a worker and kept; or why it is not.
struct KeptUpload {
  std::string id = {};  // "sha256:..."
  bool is_new = false;
  std::string body = {};  // the object of GET /v1/models, as text
  std::optional<HttpResponse> refused = {};
};
KeptUpload keep_upload(Service& service, const RoutedRequest& request, const std::string& name,
                       const std::string& bytes);

// Submits a question and answers with its job: 200, 202, 429, or 507 when the store has no room.
HttpResponse submit_job(Service& service, const Caller& caller, const JobQuestion& question);

}  // namespace poet
