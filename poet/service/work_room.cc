#include "poet/service/work_room.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestOutputBytes = std::int64_t{1} << 30;
constexpr double kSpareCpuS = 5;  // so that the clock comes first

Error io_error(const std::string& what, const std::error_code& code) {
  return {ErrorCode::Io, fmt::format("{}: {}", what, code.message()), {}};
}

// A folder that is gone with it.
class FolderOfWork {
 public:
  explicit FolderOfWork(std::string path) : path_(std::move(path)) {}
  ~FolderOfWork() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  FolderOfWork(const FolderOfWork&) = delete;
  FolderOfWork& operator=(const FolderOfWork&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

WorkOutput failed(int status, std::string code, std::string message) {
  WorkOutput output;
  output.error = ServiceError{.status = status, .code = std::move(code), .message = message};
  return output;
}

WorkOutput failed_with(ServiceError error) {
  WorkOutput output;
  output.error = std::move(error);
  return output;
}

// Of what the system did not let us do.
WorkOutput failed_because(const Error& error, std::string message) {
  if (says_disk_is_full(error.message)) return failed_with(disk_full());
  return failed(500, "internal", std::move(message));
}

// Whether a worker that ended without an answer had no room for it; then there may have been none
// for its complaint, either.
bool had_no_room(const std::string& folder, const std::string& complaint) {
  if (says_disk_is_full(complaint)) return true;
  const Failure failure = write_text_file((fs::path(folder) / "room").string(), "x");
  return failure && says_disk_is_full(failure->message);
}

WorkOutput failed_with(WorkerEnd end) {
  switch (end) {
    case WorkerEnd::OutOfMemory:
      return failed(422, "memory_limit", "it needs more memory than this service gives it");
    case WorkerEnd::OutOfTime:
      return failed(422, "time_limit", "it needs more time than this service gives it");
    case WorkerEnd::Killed:
      return failed(503, "unavailable", "it was stopped before it had an answer");
    case WorkerEnd::KilledBySystem:
      return failed(422, "memory_limit",
                    "the system ended its worker, as it does when the machine's memory runs out");
    case WorkerEnd::Finished:
    case WorkerEnd::Crashed:
    case WorkerEnd::Died:
      break;
  }
  return failed(500, "internal", "the worker ended without an answer");
}

WorkOutput output_in(const std::string& folder) {
  const Result<std::string> text =
      read_text_file((fs::path(folder) / kOutputFile).string(), kLargestOutputBytes);
  if (!text.ok()) return failed_with(WorkerEnd::Crashed);
  Result<WorkOutput> output = parse_output(*text);
  if (!output.ok()) return failed_with(WorkerEnd::Crashed);
  return *std::move(output);
}

// A curve searches at each of its points, as long as each may, but not for ever.
double search_limit_s(const JobQuestion& question, double most_curve_s) {
  if (question.kind != JobKind::Curve) return question.asked.time_limit_s;
  const auto budgets = question.budgets.empty() ? question.points : std::ssize(question.budgets);
  return std::min(most_curve_s,
                  question.asked.time_limit_s *
                      static_cast<double>(budgets * (std::ssize(question.methods) + 1)));
}

// As much processor time as its threads could take before it is ended by the clock.
double cpu_limit_s(const JobQuestion& question, double wall_limit_s) {
  return std::ceil(wall_limit_s * std::max(1, question.asked.solve.threads)) + kSpareCpuS;
}

// What whoever runs the service is told of a worker that ended without an answer.
std::string crash_text(const std::string& what, const WorkerReport& report) {
  return fmt::format("the worker of {} ended by {}{}{}", what, report.how,
                     report.complaint.empty() ? "" : ": ", report.complaint);
}

bool struck(WorkerEnd end) {
  return end == WorkerEnd::Died || end == WorkerEnd::KilledBySystem;
}

}  // namespace

Failure WorkRoom::prepare(const std::string& folder) {
  // A worker of a service that was killed may still be at its last write. Moved away, its folder
  // need not go before the service starts; what is left of it goes at the next start.
  const std::string left = folder + "-left";
  std::error_code ignored;
  fs::remove_all(left, ignored);
  std::error_code error;
  fs::rename(folder, left, error);
  if (error == std::errc::no_such_file_or_directory) error.clear();
  if (!error) fs::create_directories(folder, error);
  fs::remove_all(left, ignored);
  if (error) return io_error(fmt::format("cannot make the folder {}", in_quotes(folder)), error);
  return std::nullopt;
}

WorkRoom::WorkRoom(WorkRoomOptions options, const ModelShelf& shelf, const JobStore& store,
                   ServiceClock clock, WorkComplaint complaint)
    : options_(std::move(options)),
      shelf_(shelf),
      store_(store),
      clock_(std::move(clock)),
      complaint_(std::move(complaint)),
      turns_(options_.looks) {}

Result<std::string> WorkRoom::make_folder(const WorkOrder& order, const Files& files) {
  const fs::path folder = fs::path(options_.folder) / fmt::format("{}", ++next_folder_);
  std::error_code error;
  fs::create_directory(folder, error);
  if (!error) fs::create_directory((folder / kModelFile).parent_path(), error);
  if (error) return io_error("cannot make a folder for a work", error);
  const std::string model = (folder / kModelFile).string();
  if (!files.model_path.empty()) fs::create_hard_link(files.model_path, model, error);
  if (error) return io_error("cannot reach a model", error);
  if (!files.model_id.empty())
    if (Failure failure = shelf_.bring(files.model_id, model)) return *failure;
  if (files.plan_text)
    if (Failure failure = write_text_file((folder / kPlanFile).string(), *files.plan_text))
      return *failure;
  if (Failure failure = write_text_file((folder / kOrderFile).string(), order_text(order)))
    return *failure;
  return folder.string();
}

JobOutcome WorkRoom::run(const std::string& what, WorkOrder order, const Files& files,
                         double limit_s, const ProgressLine& progress,
                         const std::function<WorkerWish()>& wish) {
  order.limits.cpu_s = cpu_limit_s(order.question, limit_s);
  const Result<std::string> made = make_folder(order, files);
  if (!made.ok()) {
    complaint_(to_string(made.error()));
    if (made.error().code == ErrorCode::NotFound)
      return {.output = failed(404, "not_found", made.error().message)};
    return {.output = failed_because(made.error(), "the service cannot write into its store"),
            .unreachable = !files.model_id.empty() && made.error().code == ErrorCode::Io};
  }
  const FolderOfWork folder(*made);
  const Result<WorkerReport> report =
      run_worker({.words = options_.program,
                  .folder = folder.path(),
                  .wall_limit_s = limit_s,
                  .cpu_limit_s = order.limits.cpu_s},
                 {.elapsed_s = clock_.elapsed_s, .wish = wish, .line = progress});
  if (!report.ok()) {
    complaint_(to_string(report.error()));
    return {.output = failed_because(report.error(), "the service cannot start a worker")};
  }
  if (report->end == WorkerEnd::Crashed && had_no_room(folder.path(), report->complaint)) {
    complaint_(
        fmt::format("the worker of {} had no room for its answer: {}", what, report->complaint));
    return {.output = failed_with(disk_full()), .wall_s = report->wall_s};
  }
  if (report->end == WorkerEnd::Crashed || struck(report->end))
    complaint_(crash_text(what, *report));
  return {.output = report->end == WorkerEnd::Finished ? output_in(folder.path())
                                                       : failed_with(report->end),
          .lost = report->end == WorkerEnd::Killed && wish() == WorkerWish::Die,
          .struck = struck(report->end),
          .wall_s = report->wall_s};
}

JobOutcome WorkRoom::do_job(const StoredJob& job, const ProgressLine& progress,
                            const std::function<WorkerWish()>& wish) {
  Result<JobQuestion> question = parse_question(job.request);
  if (!question.ok())
    return {.output = failed(500, "internal", "the question was stored by another version")};
  WorkOrder order{.question = *std::move(question), .model_name = job.model_name};
  const std::string& model = order.question.asked.model;
  Files files;
  if (names_upload(model)) files.model_id = model;
  if (!order.question.plan_id.empty()) {
    Result<std::optional<std::string>> plan = store_.file(order.question.plan_id, "plan");
    if (!plan.ok())
      return {.output = failed(500, "internal", "the store could not be read"),
              .unreachable = plan.error().code == ErrorCode::Io};
    const std::string& sha256 = order.question.plan_sha256;
    if (!*plan || (!sha256.empty() && sha256_of(**plan) != sha256))
      return {.output = failed(404, "no_schedule", "the plan is not there any more")};
    files.plan_text = **std::move(plan);
  }
  order.limits.search_s = search_limit_s(order.question, options_.most_curve_s);
  const double limit_s = order.limits.search_s + options_.job_extra_s;
  return run("job " + job.id, std::move(order), files, limit_s, progress, wish);
}

WorkOutput WorkRoom::look(const WorkOrder& order, const std::string& model_path,
                          const Looker& looker) {
  const auto is_given_up = [&looker] { return looker.is_given_up && looker.is_given_up(); };
  const LookTurns::Turn turn = turns_.take(looker.share, is_given_up);
  if (is_given_up()) return failed(499, "client_left", "the client has closed its connection");
  if (!turn) return failed(503, "unavailable", "too many models are being looked at; try again");
  Files files{.model_path = model_path};
  const std::string& model = order.question.asked.model;
  if (model_path.empty() && names_upload(model)) files.model_id = model;
  const std::string what = "a look at the model " + in_quotes(order.model_name);
  return run(what, order, files, options_.look_limit_s, {},
             [this, &is_given_up] {
               return turns_.is_stopped() || is_given_up() ? WorkerWish::Die : WorkerWish::GoOn;
             })
      .output;
}

void WorkRoom::stop() {
  turns_.stop();
}

}  // namespace poet
