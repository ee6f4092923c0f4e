#include "poet/service/routes.h"

#include <algorithm>

#include "poet/service/request_fields.h"
#include "poet/service/route_answers.h"

namespace poet {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

// Whether a path is of a pattern; `id` gets what stands for {id} or {file}.
bool is_of(std::string_view path, std::string_view pattern, std::string& id) {
  if (pattern == "/{file}") {
    id = std::string(path.substr(1));
    return !path.starts_with("/v1/");
  }
  const std::vector<std::string_view> given = parts_of(path);
  const std::vector<std::string_view> wanted = parts_of(pattern);
  if (given.size() != wanted.size()) return false;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (wanted[k] == "{id}" && !given[k].empty())
      id = std::string(given[k]);
    else if (wanted[k] != given[k])
      return false;
  }
  return true;
}

}  // namespace

const std::vector<Route>& route_table() {
  static const std::vector<Route> table = {
      {.method = "GET",
       .pattern = "/v1/models",
       .what = "the networks by name, and the models that were uploaded",
       .answer = list_models},
      {.method = "POST",
       .pattern = "/v1/models",
       .what = "keeps an ONNX file",
       .body = TakesBody::Model,
       .query = upload_fields,
       .answer = post_model},
      {.method = "GET",
       .pattern = "/v1/models/{id}",
       .what = "how large a step of it is on a device: what a budget can be",
       .query = size_fields,
       .takes_work = true,
       .answer = get_model},
      {.method = "DELETE",
       .pattern = "/v1/models/{id}",
       .what = "forgets an uploaded model",
       .answer = delete_model},
      {.method = "GET",
       .pattern = "/v1/devices",
       .what = "the devices with all their figures",
       .answer = list_devices},
      {.method = "POST",
       .pattern = "/v1/plans",
       .what = "a job: the best schedule for a request",
       .body = TakesBody::Json,
       .answer = post_plan},
      {.method = "GET",
       .pattern = "/v1/plans",
       .what = "the jobs, the newest first",
       .query = list_fields,
       .answer = list_plans},
      {.method = "GET",
       .pattern = "/v1/plans/{id}",
       .what = "one job: its state, progress and result",
       .answer = get_plan},
      {.method = "DELETE",
       .pattern = "/v1/plans/{id}",
       .what = "cancels a job, whose best schedule so far is kept, or forgets one that has ended",
       .query = delete_fields,
       .answer = delete_plan},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/events",
       .what = "what happens to a job, as server-sent events",
       .answers = "text/event-stream",
       .takes_work = true,
       .answer = get_events},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/plan",
       .what = "the plan, as a file",
       .answer = get_plan_file},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/report",
       .what = "the page with pictures",
       .answers = "text/html",
       .answer = get_report},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/step",
       .what = "the step of a plan, for the page's charts",
       .answer = get_step},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/explain",
       .what = "why each tensor is absent",
       .takes_work = true,
       .answer = get_explain},
      {.method = "GET",
       .pattern = "/v1/plans/{id}/project",
       .what = "the training as a project of C",
       .answers = "application/zip",
       .takes_work = true,
       .answer = get_project},
      {.method = "POST",
       .pattern = "/v1/curves",
       .what = "a job: energy and time over RAM budgets, for several methods",
       .body = TakesBody::Json,
       .answer = post_curve},
      {.method = "GET",
       .pattern = "/v1/trainings",
       .what = "the trainings whose progress is shown, the newest first",
       .answer = get_trainings},
      {.method = "GET",
       .pattern = "/v1/trainings/{id}/events",
       .what = "how a training goes, as server-sent events",
       .answers = "text/event-stream",
       .takes_work = true,
       .answer = get_training_events},
      {.method = "GET",
       .pattern = "/solve",
       .what = "the released service's request and answer",
       .query = released_fields,
       .takes_work = true,
       .answer = get_solve},
      {.method = "GET",
       .pattern = "/healthz",
       .what = "whether it serves",
       .is_public = true,
       .always = true,
       .answer = get_health},
      {.method = "GET",
       .pattern = "/metrics",
       .what = "figures as Prometheus text",
       .answers = "text/plain",
       .answer = get_metrics},
      {.method = "GET",
       .pattern = "/openapi.json",
       .what = "this contract for programs",
       .is_public = true,
       .answer = get_openapi},
      {.method = "GET",
       .pattern = "/",
       .what = "the page",
       .answers = "text/html",
       .is_public = true,
       .answer = get_page},
      {.method = "GET",
       .pattern = "/{file}",
       .what = "a file of the page",
       .answers = "*/*",
       .is_public = true,
       .answer = get_page},
  };
  return table;
}

FoundRoute find_route(const std::string& method, const std::string& path) {
  FoundRoute found;
  if (!path.starts_with('/')) return found;
  const std::string wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : route_table()) {
    std::string id;
    // Files of the page are what no other route has.
    if (route.pattern == "/{file}" && !found.methods.empty()) continue;
    if (!is_of(path, route.pattern, id)) continue;
    found.methods.emplace_back(route.method);
    if (route.method != wanted) continue;
    found.route = &route;
    found.id = id;
  }
  return found;
}

}  // namespace poet
