#include "poet/service/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/service/access.h"
#include "poet/service/local_queue.h"
#include "poet/service/request_fields.h"
#include "poet/service/routes.h"
#include "poet/service/store_budget.h"
#include "poet/service/team_models.h"
#include "poet/service/team_queue.h"
#include "poet/store/sqlite_jobs.h"
#include "poet/store/team_store.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 512;
constexpr std::size_t kMostQueryFields = 64;

HttpResponse wrong_method(const FoundRoute& found) {
  HttpResponse response = error_response(
      {.status = 405,
       .code = "method_not_allowed",
       .message = fmt::format("this path takes {}", fmt::join(found.methods, ", "))});
  response.headers.emplace_back("Allow", fmt::format("{}", fmt::join(found.methods, ", ")));
  return response;
}

HttpResponse too_many(double wait_s) {
  HttpResponse response = error_response(
      {.status = 429, .code = "rate_limited", .message = "too many requests from this address"});
  response.headers.emplace_back("Retry-After", fmt::format("{}", std::ceil(wait_s)));
  return response;
}

std::optional<ServiceError> check_query(const Route& route, const HttpRequest& request) {
  if (request.query.size() > kMostQueryFields)
    return ServiceError{.message = "the query has too many fields"};
  // The page's own addresses may carry what they like.
  if (route.pattern == "/" || route.pattern == "/{file}") return std::nullopt;
  std::set<std::string> seen;
  for (const auto& [name, value] : request.query) {
    bool known = false;
    if (route.query != nullptr)
      for (const RequestField& field : route.query()) known = known || field.name == name;
    if (!known)
      return ServiceError{.message = fmt::format("unknown field {}", in_quotes(name)),
                          .field = name.substr(0, 100)};
    if (!seen.insert(name).second) return given_twice(name);
  }
  return std::nullopt;
}

// What the service keeps in its folder is for its owner alone, also where an earlier one let others
// read it.
Failure close_to_others(const fs::path& folder) {
  const auto others = fs::perms::group_all | fs::perms::others_all;
  // One that somebody else made stays as it is; what lies in it is closed.
  std::error_code not_ours;
  fs::permissions(folder, others, fs::perm_options::remove, not_ours);
  for (const char* const name : {"jobs.db", "jobs.db-wal", "jobs.db-shm", "jobs.db-journal",
                                 "jobs.db-reserve", "models", "work"}) {
    std::error_code error;
    const fs::path path = folder / name;
    if (!fs::exists(path, error)) continue;
    fs::permissions(path, others, fs::perm_options::remove, error);
    if (error)
      return Error{
          ErrorCode::Io,
          fmt::format("cannot close {} to others: {}", in_quotes(path.string()), error.message()),
          {}};
  }
  return std::nullopt;
}

// Of one service.
Result<ServiceStore> store_in(const fs::path& folder, std::int64_t most_bytes) {
  Result<SqliteJobs> opened = SqliteJobs::open((folder / "jobs.db").string(), most_bytes);
  if (!opened.ok()) return opened.error();
  auto jobs = std::make_unique<SqliteJobs>(*std::move(opened));
  auto models = std::make_unique<FolderModels>((folder / "models").string(), *jobs);
  const auto make_queue = [jobs = jobs.get()](Service& service, DoJob do_job) {
    return std::make_unique<LocalQueue>(
        service.options().queue, *jobs, service.metrics(), service.clock(), std::move(do_job),
        [&service](std::int64_t bytes, const std::function<Failure()>& write) {
          return service.budget().write(bytes, write);
        });
  };
  return ServiceStore{
      .jobs = std::move(jobs), .models = std::move(models), .make_queue = make_queue};
}

// Of a team: in the folder is only what passes.
Result<ServiceStore> store_of_team(const ServiceOptions& options, const ServiceClock& clock,
                                   const WorkComplaint& complaint) {
  Result<std::unique_ptr<TeamStore>> opened = TeamStore::open(options.team_uri, clock.elapsed_s);
  if (!opened.ok()) return opened.error();
  const std::shared_ptr<TeamStore> team = *std::move(opened);
  return ServiceStore{.jobs = {team, &team->jobs()},
                      .models = std::make_unique<TeamModels>(
                          (fs::path(options.store_folder) / "models").string(), team->jobs()),
                      .used_bytes = [team] { return team->jobs().used_bytes(); },
                      .make_queue =
                          [team, complaint](Service& service, DoJob do_job) {
                            return std::make_unique<TeamQueue>(
                                service.options().queue, service.options().places, *team,
                                service.metrics(), service.clock(), std::move(do_job), complaint);
                          }};
}

// What kind of body came, if it is one that the route takes.
std::optional<ServiceError> check_body(const Route& route, const HttpRequest& head,
                                       const ServiceOptions& options) {
  const std::string length = head.header("content-length");
  if (!head.header("transfer-encoding").empty())
    return ServiceError{
        .status = 411, .code = "bad_request", .message = "a body needs a Content-Length"};
  if (length.empty() || length == "0") return std::nullopt;
  const bool is_number =
      length.size() < 19 && length.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) return ServiceError{.message = "the Content-Length is not a number"};
  const std::int64_t size = std::stoll(length);
  const bool form = head.header("content-type").starts_with("multipart/form-data");
  const bool has_model = route.body == TakesBody::Model || (form && route.body == TakesBody::Json);
  const std::int64_t most = has_model ? options.most_model_bytes : options.most_body_bytes;
  if (route.body == TakesBody::Nothing)
    return ServiceError{.status = 413, .code = "too_large", .message = "this takes no body"};
  if (size > most)
    return ServiceError{
        .status = 413,
        .code = "too_large",
        .message = fmt::format("the body is larger than the {} bytes that this takes",
                               grouped_digits(most))};
  if (!head.header("content-encoding").empty())
    return ServiceError{.status = 415,
                        .code = "unsupported_media_type",
                        .message = "a body is taken as it is, without a Content-Encoding"};
  if (route.body == TakesBody::Json && !form &&
      !head.header("content-type").starts_with("application/json"))
    return ServiceError{.status = 415,
                        .code = "unsupported_media_type",
                        .message = "this takes application/json or multipart/form-data"};
  return std::nullopt;
}

void add_general_headers(const HttpRequest& request, const ServiceOptions& options,
                         HttpResponse& response) {
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  if (options.access.cors_origin.empty() || request.header("origin").empty()) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", options.access.cors_origin);
  response.headers.emplace_back("Vary", "Origin");
  if (request.method != "OPTIONS") return;
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.headers.emplace_back("Access-Control-Max-Age", "3600");
}

}  // namespace

Service::Service(ServiceOptions options, ServiceClock clock, ServiceStore store,
                 WorkComplaint complaint)
    : options_(std::move(options)),
      clock_(std::move(clock)),
      store_(std::move(store.jobs)),
      files_(std::move(store.models)),
      shelf_((fs::path(options_.store_folder) / "models").string(), *files_, *store_),
      rate_(options_.access.requests_per_s, options_.access.burst),
      places_(options_.most_waiting, options_.most_waiting_each),
      tokens_(std::make_shared<const std::optional<TokenOwners>>(options_.access.tokens)),
      budget_(
          options_.store_folder, options_.most_store_bytes, *store_, shelf_,
          [this] { return queue_->in_use(); }, std::move(store.used_bytes)) {
  works_ = std::make_unique<WorkRoom>(
      WorkRoomOptions{.folder = (fs::path(options_.store_folder) / "work").string(),
                      .program = options_.worker_program,
                      .most_curve_s = options_.most_curve_s,
                      .looks = {.most_waiting = options_.most_waiting,
                                .most_waiting_each = options_.most_waiting_each}},
      shelf_, *store_, clock_, std::move(complaint));
  queue_ = store.make_queue(*this, [this](const StoredJob& job, const ProgressLine& progress,
                                          const std::function<WorkerWish()>& wish) {
    return works_->do_job(job, progress, wish);
  });
}

Service::~Service() {
  stop();
}

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options, ServiceClock clock,
                                               WorkComplaint complaint) {
  const fs::path folder(options.store_folder);
  if (Failure failure = make_store_folder(options.store_folder)) return *failure;
  Result<ServiceStore> store = options.team_uri.empty() ? store_in(folder, options.most_store_bytes)
                                                        : store_of_team(options, clock, complaint);
  if (!store.ok()) return store.error();
  // Only now: the folder is of no other service.
  if (Failure failure = WorkRoom::prepare((folder / "work").string())) return *failure;
  if (Failure failure = ModelShelf::prepare((folder / "models").string())) return *failure;
  if (Failure failure = close_to_others(folder)) return *failure;
  std::unique_ptr<Service> service(
      new Service(std::move(options), std::move(clock), *std::move(store), std::move(complaint)));
  // What a service left that ended between a file and what is known of it; and a store that was
  // given less room.
  const Result<std::int64_t> leftovers = service->shelf_.tidy();
  if (!leftovers.ok()) return leftovers.error();
  if (Failure failure = service->queue_->start()) return *failure;
  const std::unique_lock<std::mutex> held = service->budget_.hold();
  const Result<bool> room =
      service->budget_.make_room(held, 0, {}, StoreBudget::IfTooLittle::ForgetAll);
  if (!room.ok()) return room.error();
  return service;
}

void Service::set_tokens(TokenOwners tokens) {
  auto changed =
      std::make_shared<const std::optional<TokenOwners>>(std::in_place, std::move(tokens));
  const std::lock_guard<std::mutex> lock(tokens_mutex_);
  tokens_ = std::move(changed);
}

std::shared_ptr<const std::optional<TokenOwners>> Service::tokens() const {
  const std::lock_guard<std::mutex> lock(tokens_mutex_);
  return tokens_;
}

bool Service::still_known(const Caller& caller) const {
  const auto now = tokens();
  return !*now || (*now)->contains(caller.token_hash);
}

Result<std::optional<JobView>> Service::view_for(const Caller& caller, const std::string& id) {
  if (!is_hex_digest(id)) return std::optional<JobView>();
  if (caller.owner) {
    const Result<bool> theirs = store_->is_owner(id, *caller.owner);
    if (!theirs.ok()) return theirs.error();
    if (!*theirs) return std::optional<JobView>();
  }
  Result<std::optional<JobView>> view = queue_->view(id);
  if (view.ok() && *view && has_ended((*view)->job.state)) store_->touch_job(id);
  return view;
}

void Service::stop() {
  works_->stop();
  queue_->stop();
}

std::optional<HttpResponse> Service::refuse_early(const HttpRequest& head) {
  const FoundRoute found = find_route(head.method, head.path);
  const bool always = found.route != nullptr && found.route->always;
  const auto wait_s = always ? std::nullopt : rate_.refuse(head.address, clock_.elapsed_s());
  if (wait_s) {
    metrics_.count_refused();
    return too_many(*wait_s);
  }
  if (head.path.size() > kLongestPath)
    return error_response(
        {.status = 414, .code = "too_large", .message = "the address is too long"});
  if (const auto error = check_origin(head, options_.access)) return error_response(*error);
  if (head.method == "OPTIONS" && !options_.access.cors_origin.empty()) return std::nullopt;
  if (found.methods.empty())
    return error_response(not_found(fmt::format("there is nothing at {}", in_quotes(head.path))));
  if (found.route == nullptr) return wrong_method(found);
  if (found.route->takes_work || found.route->method != "GET")
    if (const auto error = check_site(head, options_.access)) return error_response(*error);
  if (!found.route->is_public)
    if (const auto error = check_token(head, *tokens()).error) {
      HttpResponse response = error_response(*error);
      response.headers.emplace_back("WWW-Authenticate", "Bearer");
      return response;
    }
  if (const auto error = check_body(*found.route, head, options_)) return error_response(*error);
  if (const auto error = check_query(*found.route, head)) return error_response(*error);
  return std::nullopt;
}

HttpResponse Service::routed(const HttpRequest& request, Checked checked, std::string& route) {
  if (checked == Checked::No)
    if (std::optional<HttpResponse> refused = refuse_early(request)) return *std::move(refused);
  if (request.method == "OPTIONS") return {.status = 204, .content_type = "", .body = ""};
  const FoundRoute found = find_route(request.method, request.path);
  route = std::string(found.route->pattern);
  const CallerOrError from = check_token(request, *tokens());
  // A route without a token answers everybody the same.
  if (from.error && !found.route->is_public) return error_response(*from.error);
  return found.route->answer(*this, {request, found.id, from.caller});
}

HttpResponse Service::answer(const HttpRequest& request, Checked checked) {
  const double start_s = clock_.elapsed_s();
  std::string route = "none";
  HttpResponse response = routed(request, checked, route);
  add_general_headers(request, options_, response);
  metrics_.count_request(route, response.status, clock_.elapsed_s() - start_s);
  return response;
}

}  // namespace poet
