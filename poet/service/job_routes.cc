#include <fmt/core.h>

#include <set>
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
constexpr std::int64_t kJobRoomBytes = 16 << 10;  // of a question, before it has an answer

// The fields of a request, and the model that came with a form, kept.
struct GivenFields {
  FieldTexts texts = {};
  std::optional<HttpResponse> refused = {};
};

// Before anything of it is kept. A file is the model.
std::optional<ServiceError> fault_of_form(const std::vector<FormPart>& form) {
  std::set<std::string> seen;
  for (const FormPart& part : form) {
    if (!part.filename.empty() && part.name != "model")
      return ServiceError{
          .message = "a form has one file, 'model', found a file " + in_quotes(part.name),
          .field = part.name.substr(0, 100)};
    if (!seen.insert(part.name).second) return given_twice(part.name);
  }
  return std::nullopt;
}

GivenFields given_fields(Service& service, const RoutedRequest& routed) {
  const HttpRequest& request = routed.http;
  GivenFields given;
  if (request.form.empty()) {
    Result<FieldTexts> texts = fields_in_json(request.body);
    if (texts.ok())
      given.texts = *std::move(texts);
    else
      given.refused = error_response(service_error(texts.error()));
    return given;
  }
  if (const auto error = fault_of_form(request.form)) {
    given.refused = error_response(*error);
    return given;
  }
  for (const FormPart& part : request.form) {
    if (part.filename.empty()) {
      given.texts[part.name] = part.bytes;
      continue;
    }
    KeptUpload kept = keep_upload(service, routed, part.filename, part.bytes);
    if (kept.refused) {
      given.refused = std::move(kept.refused);
      return given;
    }
    given.texts["model"] = kept.id;
  }
  return given;
}

HttpResponse queue_full(JobQueue::Submitted why) {
  HttpResponse response =
      error_response({.status = 429,
                      .code = "queue_full",
                      .message = why == JobQueue::Submitted::Full
                                     ? "the queue is full; try again later"
                                     : "you already have as many jobs waiting as this service "
                                       "allows; try again when one has begun"});
  response.headers.emplace_back("Retry-After", "5");
  return response;
}

HttpResponse job_response(Service& service, const Caller& caller, const std::string& id,
                          int status) {
  const Result<std::optional<JobView>> view = service.view_for(caller, id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view) return error_response(not_found("there is no such job"));
  HttpResponse response{.status = status, .body = job_text(**view)};
  response.headers.emplace_back("Location", "/v1/plans/" + id);
  return response;
}

HttpResponse post_job(Service& service, const RoutedRequest& request,
                      QuestionOrError (*read)(const FieldTexts&, const QuestionLimits&)) {
  const GivenFields given = given_fields(service, request);
  if (given.refused) return *given.refused;
  const QuestionOrError asked = read(given.texts, service.options().questions);
  if (const ServiceError* const error = std::get_if<ServiceError>(&asked))
    return error_response(*error);
  const JobQuestion& question = std::get<JobQuestion>(asked);
  const WaitedJobs::Lock held = service.waited().hold();
  service.waited().keep(held, question_id(question), share_of(request.caller));
  return submit_job(service, request.caller, question);
}

bool is_listed(const StoredJob& job) {
  return job.kind == "plan" || job.kind == "curve";
}

std::string event_text(std::int64_t number, const std::string& name, const std::string& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", number, name, data);
}

// The job on one line, as data of the last event.
std::string job_line(Service& service, const Caller& caller, const std::string& id) {
  const Result<std::optional<JobView>> view = service.view_for(caller, id);
  if (!view.ok() || !*view) return "{}";
  return json_line(json_of_text(job_text(**view)));
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

void stream_events(Service& service, const RoutedRequest& request, const std::string& id,
                   std::int64_t number, const StreamWriter& write) {
  while (!service.queue().stopping() && service.still_known(request.caller)) {
    const std::optional<JobQueue::News> news = news_for(service, request.http, id, number);
    if (!news) return;
    std::string text;
    for (const JobEvent& event : news->events) {
      text += event_text(event.number, event.name, event.data);
      number = event.number;
    }
    if (news->ended) text += event_text(number + 1, "done", job_line(service, request.caller, id));
    if (!write(text.empty() ? ": still there\n\n" : text) || news->ended) return;
  }
}

// One owner gives up a job that others may still have; the last one ends it.
HttpResponse forget_plan(Service& service, const RoutedRequest& request) {
  // From here on nobody else begins to own it.
  const std::unique_lock<std::mutex> hold = service.budget().hold();
  if (request.caller.owner) {
    const Result<std::int64_t> left =
        service.store().remove_owner(request.id, *request.caller.owner);
    if (!left.ok()) return internal_error(left.error());
    if (*left > 0) return {.status = 204, .content_type = "", .body = ""};
  }
  const Result<bool> gone = service.queue().forget(request.id);
  if (!gone.ok()) return internal_error(gone.error());
  static_cast<void>(service.store().compact());
  return {.status = 204, .content_type = "", .body = ""};
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

HttpResponse submit_job(Service& service, const Caller& caller, const JobQuestion& question) {
  const std::string& model = question.asked.model;
  const std::string id = question_id(question);
  // What the job needs is not forgotten between here and its place in the queue.
  const std::unique_lock<std::mutex> hold = service.budget().hold();
  const Result<std::optional<std::string>> name = service.shelf().name_of_model(model, caller);
  if (!name.ok()) return internal_error(name.error());
  if (!*name)
    return error_response({.status = 404,
                           .code = "not_found",
                           .message = "this model was not uploaded: POST /v1/models takes it",
                           .field = "model"});
  const Result<bool> known = service.queue().has(id);
  if (!known.ok()) return internal_error(known.error());
  if (!*known) {
    const Result<bool> room = service.budget().make_room(
        hold, kJobRoomBytes, {.models = {model}, .jobs = {question.plan_id}});
    if (!room.ok()) return internal_error(room.error());
    if (!*room) return error_response(store_full());
  }
  const Result<JobQueue::Submitted> submitted =
      service.queue().submit(question, **name, {.owner = caller.owner, .share = share_of(caller)});
  if (!submitted.ok()) return internal_error(submitted.error());
  switch (*submitted) {
    case JobQueue::Submitted::Full:
    case JobQueue::Submitted::ShareIsFull:
      service.metrics().count_refused();
      return queue_full(*submitted);
    case JobQueue::Submitted::Ended:
      return job_response(service, caller, id, 200);
    case JobQueue::Submitted::Accepted:
      break;
  }
  return job_response(service, caller, id, 202);
}

HttpResponse post_plan(Service& service, const RoutedRequest& request) {
  return post_job(service, request, read_plan_question);
}

HttpResponse post_curve(Service& service, const RoutedRequest& request) {
  return post_job(service, request, read_curve_question);
}

const std::vector<RequestField>& list_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "limit",
       .type = FieldType::Whole,
       .what = "how many at most, up to 200; default 50",
       .words = {}},
      {.name = "state",
       .what = "of the jobs",
       .words = {"queued", "running", "done", "failed", "cancelled"}},
      {.name = "kind", .what = "of the jobs", .words = {"plan", "curve"}},
  };
  return fields;
}

HttpResponse list_plans(Service& service, const RoutedRequest& request) {
  JobFilter filter{.owner = request.caller.owner};
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
  return job_response(service, request.caller, request.id, 200);
}

const std::vector<RequestField>& delete_fields() {
  static const std::vector<RequestField> fields = {
      {.name = "forget",
       .type = FieldType::Switch,
       .what = "whether a job that has ended goes for good, with its files; default false",
       .words = {}}};
  return fields;
}

HttpResponse delete_plan(Service& service, const RoutedRequest& request) {
  bool forget = false;
  for (const auto& [name, text] : request.http.query) {
    const Result<bool> read = read_switch(text);
    if (!read.ok()) return error_response(service_error(read.error(), name));
    forget = *read;
  }
  const Result<std::optional<JobView>> view = service.view_for(request.caller, request.id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view || !is_listed((*view)->job)) return error_response(not_found("there is no such job"));
  const bool ended = has_ended((*view)->job.state);
  if (forget && ended) return forget_plan(service, request);
  if (forget)
    return error_response({.status = 409,
                           .code = "not_ready",
                           .message = "the job has not ended; DELETE without 'forget' cancels it"});
  // With owners, each gives up their own part in it; without, whoever asks speaks for all.
  std::optional<Share> share;
  if (request.caller.owner) share = share_of(request.caller);
  if (Failure failure = service.queue().cancel(request.id, share)) return internal_error(*failure);
  return job_response(service, request.caller, request.id, ended ? 200 : 202);
}

HttpResponse get_events(Service& service, const RoutedRequest& request) {
  const std::string id = request.id;
  const Result<std::optional<JobView>> view = service.view_for(request.caller, id);
  if (!view.ok()) return internal_error(view.error());
  if (!*view) return error_response(not_found("there is no such job"));
  const WaitingPlaces::Place place = service.places().take(request.http.address);
  if (!place) return no_place_to_wait("GET /v1/plans/{id} still works");
  const Result<std::int64_t> last = read_whole(request.http.header("last-event-id"), 0);
  const std::int64_t number = last.ok() ? *last : 0;
  HttpResponse response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = [&service, http = request.http, caller = request.caller, id, number,
                     place](const StreamWriter& write) {
    stream_events(service, {http, id, caller}, id, number, write);
  };
  return response;
}

}  // namespace poet
