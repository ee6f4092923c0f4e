#include <fmt/core.h>

#include <utility>

#include "poet/base/closest_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/upload.h"

namespace poet {
namespace {

constexpr double kHeartbeatS = 10;
constexpr std::int64_t kMostListed = 200;

// The fields of a request, and the model that came with a form, kept.
struct GivenFields {
  FieldTexts texts = {};
  std::optional<HttpResponse> refused = {};
};

GivenFields given_fields(Service& service, const HttpRequest& request) {
  GivenFields given;
  if (request.form.empty()) {
    Result<FieldTexts> texts = fields_in_json(request.body);
    if (texts.ok())
      given.texts = *std::move(texts);
    else
      given.refused = error_response(service_error(texts.error()));
    return given;
  }
  for (const FormPart& part : request.form) {
    if (part.filename.empty()) {
      given.texts[part.name] = part.bytes;
      continue;
    }
    KeptUpload kept = keep_upload(service, part.filename, part.bytes);
    if (kept.refused) {
      given.refused = std::move(kept.refused);
      return given;
    }
    given.texts["model"] = kept.id;
  }
  return given;
}

HttpResponse queue_full() {
  HttpResponse response = error_response(
      {.status = 429, .code = "queue_full", .message = "the queue is full; try again later"});
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

HttpResponse job_response(Service& service, const std::string& id, int status) {
  const Result<std::optional<JobView>> view = service.queue().view(id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view) return error_response(not_found("there is no such job"));
  HttpResponse response{.status = status, .body = job_text(**view)};
  response.headers.emplace_back("Location", "/v1/plans/" + id);
  return response;
}

HttpResponse post_job(Service& service, const HttpRequest& request,
                      QuestionOrError (*read)(const FieldTexts&, const QuestionLimits&)) {
  const GivenFields given = given_fields(service, request);
  if (given.refused) return *given.refused;
  const QuestionOrError asked = read(given.texts, service.options().questions);
  if (const ServiceError* const error = std::get_if<ServiceError>(&asked))
    return error_response(*error);
  return submit_job(service, std::get<JobQuestion>(asked));
}

bool is_listed(const StoredJob& job) {
  return job.kind == "plan" || job.kind == "curve";
}

std::string event_text(std::int64_t number, const std::string& name, const std::string& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", number, name, data);
}

// The job on one line, as data of the last event.
std::string job_line(Service& service, const std::string& id) {
  const Result<std::optional<JobView>> view = service.queue().view(id);
  if (!view.ok() || !*view) return "{}";
  return json_line(JsonOut::parse(job_text(**view), nullptr, false));
}

// What happened after `number`; nothing when the client has gone meanwhile. A heartbeat without
// news is an answer, too.
std::optional<JobQueue::News> news_for(Service& service, const HttpRequest& request,
                                       const std::string& id, std::int64_t number) {
  for (double waited_s = 0; waited_s < kHeartbeatS; waited_s += kLookForClientS) {
    Result<JobQueue::News> news = service.queue().news_after(id, number, kLookForClientS);
    if (!news.ok() || request.is_given_up()) return std::nullopt;
    if (!news->events.empty() || news->ended || service.queue().stopping()) return *std::move(news);
  }
  return JobQueue::News();
}

void stream_events(Service& service, const HttpRequest& request, const std::string& id,
                   std::int64_t number, const StreamWriter& write) {
  while (!service.queue().stopping()) {
    const std::optional<JobQueue::News> news = news_for(service, request, id, number);
    if (!news) return;
    std::string text;
    for (const JobEvent& event : news->events) {
      text += event_text(event.number, event.name, event.data);
      number = event.number;
    }
    if (news->ended) text += event_text(number + 1, "done", job_line(service, id));
    if (!write(text.empty() ? ": still there\n\n" : text) || news->ended) return;
  }
}

}  // namespace

HttpResponse no_place_to_wait(const std::string& instead) {
  HttpResponse response =
      error_response({.status = 503,
                      .code = "unavailable",
                      .message = "too many requests wait for jobs; " + instead});
  response.headers.emplace_back("Retry-After", "2");
  return response;
}

HttpResponse submit_job(Service& service, const JobQuestion& question) {
  const std::string& model = question.asked.plan.model;
  const Result<std::optional<std::string>> name = service.shelf().name_of_model(model);
  if (!name.ok()) return internal_error(name.error());
  if (!*name)
    return error_response({.status = 404,
                           .code = "not_found",
                           .message = "this model was not uploaded: POST /v1/models takes it",
                           .field = "model"});
  const Result<std::int64_t> size_bytes = service.store().size_bytes();
  if (size_bytes.ok() && *size_bytes > service.options().most_store_bytes)
    return error_response(
        {.status = 507, .code = "store_full", .message = "the store of this service is full"});
  const Result<JobQueue::Submitted> submitted = service.queue().submit(question, **name);
  if (!submitted.ok()) return internal_error(submitted.error());
  if (*submitted == JobQueue::Submitted::Full) {
    service.metrics().count_refused();
    return queue_full();
  }
  return job_response(service, question_id(question),
                      *submitted == JobQueue::Submitted::Ended ? 200 : 202);
}

HttpResponse post_plan(Service& service, const RoutedRequest& request) {
  return post_job(service, request.http, read_plan_question);
}

HttpResponse post_curve(Service& service, const RoutedRequest& request) {
  return post_job(service, request.http, read_curve_question);
}

const std::vector<RequestField>& list_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "limit",
       .type = FieldType::Whole,
       .what = "how many at most, up to 200; default 50",
       .words = {},
       .read = {},
       .write = {}},
      {.name = "state",
       .what = "of the jobs",
       .words = {"queued", "running", "done", "failed", "cancelled"},
       .read = {},
       .write = {}},
      {.name = "kind", .what = "of the jobs", .words = {"plan", "curve"}, .read = {}, .write = {}},
  };
  return fields;
}

HttpResponse list_plans(Service& service, const RoutedRequest& request) {
  JobFilter filter;
  for (const auto& [name, text] : request.http.query) {
    if (name == "limit") {
      const Result<std::int64_t> most = read_whole(text, 1, kMostListed);
      if (!most.ok()) return error_response(service_error(most.error(), name));
      filter.most = *most;
    } else if (name == "state") {
      filter.state = value_of(kJobStates, text);
      if (!filter.state)
        return error_response({.message = "unknown state " + in_quotes(text), .field = name});
    } else if (text == "plan" || text == "curve") {
      filter.kind = text;
    } else {
      return error_response({.message = "unknown kind " + in_quotes(text), .field = name});
    }
  }
  const Result<std::vector<StoredJob>> jobs = service.store().list(filter);
  if (!jobs.ok()) return internal_error(jobs.error());
  JsonOut list = JsonOut::array();
  for (const StoredJob& job : *jobs) list.push_back(job_line_json(job));
  return {.body = json_text({{"plans", std::move(list)}})};
}

HttpResponse get_plan(Service& service, const RoutedRequest& request) {
  if (!is_hex_digest(request.id)) return error_response(not_found("there is no such job"));
  return job_response(service, request.id, 200);
}

HttpResponse delete_plan(Service& service, const RoutedRequest& request) {
  if (!is_hex_digest(request.id)) return error_response(not_found("there is no such job"));
  const Result<std::optional<JobView>> view = service.queue().view(request.id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view || !is_listed((*view)->job)) return error_response(not_found("there is no such job"));
  const bool ended = has_ended((*view)->job.state);
  if (Failure failure = service.queue().cancel(request.id)) return internal_error(*failure);
  return job_response(service, request.id, ended ? 200 : 202);
}

HttpResponse get_events(Service& service, const RoutedRequest& request) {
  const std::string id = request.id;
  if (!is_hex_digest(id)) return error_response(not_found("there is no such job"));
  const Result<std::optional<JobView>> view = service.queue().view(id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view) return error_response(not_found("there is no such job"));
  const WaitingPlaces::Place place = service.places().take(request.http.address);
  if (!place) return no_place_to_wait("GET /v1/plans/{id} still works");
  const Result<std::int64_t> last = read_whole(request.http.header("last-event-id"), 0);
  const std::int64_t number = last.ok() ? *last : 0;
  HttpResponse response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = [&service, http = request.http, id, number, place](const StreamWriter& write) {
    stream_events(service, http, id, number, write);
  };
  return response;
}

}  // namespace poet
