#include <fmt/core.h>

#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/sha256.h"
#include "poet/plan/plan_file.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/step_view.h"
#include "poet/service/upload.h"

namespace poet {
namespace {

// A page of ours with what users named in it: it may run its own script and do nothing else.
constexpr const char* kReportPolicy =
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:";

constexpr std::int64_t kAskAgainS = 10;  // after a failure that may be over

// A file of a job, or why there is none.
struct FileOrNot {
  std::string bytes = {};
  JobState state = JobState::Queued;  // of the job
  std::optional<HttpResponse> refused = {};
};

FileOrNot no_file(HttpResponse response) {
  FileOrNot file;
  file.refused = std::move(response);
  return file;
}

FileOrNot file_of(Service& service, const Caller& caller, const std::string& id,
                  const std::string& name) {
  const Result<std::optional<JobView>> view = service.view_for(caller, id);
  if (!view.ok()) return no_file(internal_error(view.error()));
  if (!*view) return no_file(error_response(not_found("there is no such job")));
  if (!has_ended((*view)->job.state))
    return no_file(error_response(
        {.status = 409, .code = "not_ready", .message = "the job has not ended yet"}));
  Result<std::optional<std::string>> bytes = service.store().file(id, name);
  if (!bytes.ok()) return no_file(internal_error(bytes.error()));
  if (!*bytes)
    return no_file(error_response(
        {.status = 404, .code = "no_schedule", .message = "the job has no schedule"}));
  return {.bytes = **std::move(bytes), .state = (*view)->job.state};
}

HttpResponse attachment(std::string bytes, const std::string& type, const std::string& name) {
  HttpResponse response{.content_type = type, .body = std::move(bytes)};
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}\"", name));
  return response;
}

ServiceError error_in(const StoredJob& job) {
  const JsonOut error = json_of_text(job.error);
  if (!error.is_object()) return {.status = 500, .code = "internal", .message = "it failed"};
  const std::string code = error.text_or("code", "internal");
  return {.status = status_of_failed(code),
          .code = code,
          .message = error.text_or("message", "it failed")};
}

// What is made of a plan by a job of its own when it is asked for the first time.
FileOrNot made_of_plan(Service& service, const RoutedRequest& request, JobKind kind) {
  const std::string& plan_id = request.id;
  FileOrNot plan = file_of(service, request.caller, plan_id, "plan");
  if (plan.refused) return plan;
  const Result<std::optional<JobView>> about = service.queue().view(plan_id);
  if (!about.ok()) return no_file(internal_error(about.error()));
  if (!*about) return no_file(error_response(not_found("there is no such job")));
  Result<JobQuestion> question = parse_question((*about)->job.request);
  if (!question.ok()) return no_file(internal_error(question.error()));
  if (question->kind != JobKind::Plan)
    return no_file(error_response(not_found("only plans have this file")));
  if (kind == JobKind::Project && question->asked.graph == GraphKind::Released)
    return no_file(
        error_response(not_found("a released graph cannot be trained, so it has no project")));
  question->kind = kind;
  question->plan_id = plan_id;
  if (kind == JobKind::Explain) question->plan_sha256 = sha256_of(plan.bytes);
  const std::string id = question_id(*question);
  const Result<std::optional<JobView>> made = service.view_for(request.caller, id);
  if (!made.ok()) return no_file(internal_error(made.error()));
  if (*made && (*made)->job.state == JobState::Done)
    return file_of(service, request.caller, id, std::string(name_of(kJobKinds, kind)));
  if (*made && (*made)->job.state == JobState::Failed) {
    const ServiceError error = error_in((*made)->job);
    // A disk that was full may have room by now; there is no other way to ask for it again.
    const bool is_over =
        error.code == "store_full" &&
        service.clock().unix_s() > (*made)->job.finished_unix_s.value_or(0) + kAskAgainS;
    if (!is_over) return no_file(error_response(error));
  }
  HttpResponse submitted = submit_job(service, request.caller, *question);
  if (submitted.status >= 400) return no_file(std::move(submitted));
  HttpResponse later{.status = 202, .body = json_text({{"state", "running"}, {"id", id}})};
  later.headers.emplace_back("Retry-After", "1");
  return no_file(std::move(later));
}

std::string short_id(const std::string& id) {
  return id.substr(0, 12);
}

}  // namespace

HttpResponse get_plan_file(Service& service, const RoutedRequest& request) {
  FileOrNot file = file_of(service, request.caller, request.id, "plan");
  if (file.refused) return *file.refused;
  return attachment(std::move(file.bytes), "application/json",
                    fmt::format("plan-{}.json", short_id(request.id)));
}

HttpResponse get_report(Service& service, const RoutedRequest& request) {
  FileOrNot file = file_of(service, request.caller, request.id, "report");
  if (file.refused) return *file.refused;
  HttpResponse response{.content_type = "text/html; charset=utf-8", .body = std::move(file.bytes)};
  response.headers.emplace_back("Content-Security-Policy", kReportPolicy);
  return response;
}

HttpResponse get_step(Service& service, const RoutedRequest& request) {
  const FileOrNot file = file_of(service, request.caller, request.id, "plan");
  if (file.refused) return *file.refused;
  const Result<Plan> plan = parse_plan(file.bytes, "the plan");
  if (!plan.ok()) return internal_error(plan.error());
  Result<std::string> view = step_view(*plan);
  if (!view.ok()) return internal_error(view.error());
  HttpResponse response{.body = *std::move(view)};
  // What a cancelled job came to is another plan once the job was begun anew.
  response.headers.emplace_back(
      "Cache-Control", file.state == JobState::Done ? "private, max-age=3600" : "no-store");
  return response;
}

HttpResponse get_explain(Service& service, const RoutedRequest& request) {
  FileOrNot file = made_of_plan(service, request, JobKind::Explain);
  if (file.refused) return *file.refused;
  return {.body = std::move(file.bytes)};
}

HttpResponse get_project(Service& service, const RoutedRequest& request) {
  FileOrNot file = made_of_plan(service, request, JobKind::Project);
  if (file.refused) return *file.refused;
  return attachment(std::move(file.bytes), "application/zip",
                    fmt::format("poet-project-{}.zip", short_id(request.id)));
}

}  // namespace poet
