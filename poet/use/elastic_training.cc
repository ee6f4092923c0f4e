#include "poet/use/elastic_training.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/use/budget_levels.h"
#include "poet/use/budget_watch.h"
#include "poet/use/plan_in_budget.h"
#include "poet/use/training_run.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMovesPrefix = "poet-moves-";

// A folder of our own beside the store, gone with its owner. A process that is killed leaves it
// behind: locked folders have an owner, and what has none is removed by the next process.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make(const std::string& storage) {
    std::error_code ignored;
    fs::path parent =
        fs::is_directory(storage, ignored) ? fs::path(storage) : fs::path(storage).parent_path();
    if (parent.empty()) parent = ".";
    remove_left_behind(parent);
    std::string path = (parent / (std::string(kMovesPrefix) + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr)
      return Error{ErrorCode::Io,
                   fmt::format("cannot make a folder in {}: {}", in_quotes(parent.string()),
                               std::generic_category().message(errno)),
                   {}};
    return PrivateFolder(path, locked(path));
  }
  PrivateFolder(PrivateFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
  }
  std::string file(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  PrivateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  // Negative where another process has it, or the file system has no locks.
  static int locked(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    ::close(file);
    return -1;
  }

  // Only folders that are empty, as a kill leaves them (values lie in files without a name), and
  // that have been so for a minute: between making a folder and locking it lies a moment.
  static void remove_left_behind(const fs::path& parent) {
    const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
      if (!entry.path().filename().string().starts_with(kMovesPrefix)) continue;
      const int lock = locked(entry.path());
      if (lock < 0) continue;
      if (entry.last_write_time(ignored) < old) ::rmdir(entry.path().c_str());
      ::close(lock);
    }
  }

  std::string path_;
  int lock_ = -1;
};

TrainRequest at_level(const TrainRequest& request, std::int64_t bytes) {
  TrainRequest one = request;
  one.plan.ram_budget = RamBytes{bytes};
  one.least_ram_budget.reset();
  return one;
}

Result<std::int64_t> bytes_of(const FormsRequest& asked, FormsMaker& maker,
                              const RamBudget& budget) {
  FormsRequest one = asked;
  one.question.ram_budget = budget;
  const Result<StepForms> forms = maker.forms(one);
  if (!forms.ok()) return forms.error();
  return forms->ram_budget_bytes;
}

Failure check_range(const TrainRequest& request) {
  if (request.split == SplitBy::Cost)
    return bad_input(
        "--micro-batches auto chooses for one RAM budget; with a range of them say how many");
  if (!request.cache.folder)
    return bad_input(
        "a range of RAM budgets needs a place where its plans are kept, and none is wanted");
  return std::nullopt;
}

Result<std::vector<std::int64_t>> levels_of(const TrainRequest& request, const FormsRequest& asked,
                                            FormsMaker& maker) {
  Result<StepForms> most = maker.forms(asked);
  if (!most.ok()) return most.error();
  const Result<std::int64_t> least = bytes_of(asked, maker, *request.least_ram_budget);
  if (!least.ok()) return least.error();
  if (*least <= 0)
    return bad_input("the smallest of a range of RAM budgets must be more than 0 bytes");
  if (*least >= most->ram_budget_bytes)
    return bad_input(fmt::format(
        "--ram-budget goes from the largest to the smallest: {} is not less than {} bytes",
        grouped_digits(*least), grouped_digits(most->ram_budget_bytes)));
  return budget_levels(most->ram_budget_bytes, *least, request.ram_levels,
                       asked.question.alignment_bytes);
}

// What keeps a level from being used; `levels` are told what is known of all.
Failure plan_level(const TrainRequest& request, FormsRequest asked, FormsMaker& maker,
                   std::int64_t bytes, const Stop& stop, const ProgressSink& progress,
                   TrainReport& report) {
  asked.question.ram_budget = RamBytes{bytes};
  Result<StepForms> forms = maker.forms(asked);
  if (!forms.ok()) return forms.error();
  const Result<PlannedForms> planned =
      plan_in_budget(asked, maker, *forms,
                     {.cache = telling(request.cache, report.search_notes),
                      .only_from_cache = request.only_cached_plans,
                      .steps = expected_steps(request)},
                     stop, progress);
  if (!planned.ok()) return planned.error();
  if (!planned->no.empty())
    report.no = fmt::format("in {} bytes of RAM: {}", grouped_digits(bytes), planned->no);
  report.plans_are_missing |= planned->steps.empty() && planned->no.empty();
  report.search_notes.insert(report.search_notes.end(), planned->search_notes.begin(),
                             planned->search_notes.end());
  return std::nullopt;
}

// Plans for every level, kept; what is missing or cannot be is in the report.
Result<std::vector<std::int64_t>> planned_levels(const TrainRequest& request, const Stop& stop,
                                                 const ProgressSink& progress,
                                                 TrainReport& report) {
  if (Failure failure = check_range(request)) return *failure;
  const Result<FormsRequest> asked = forms_request(request);
  if (!asked.ok()) return asked.error();
  FormsMaker maker;
  Result<std::vector<std::int64_t>> levels = levels_of(request, *asked, maker);
  if (!levels.ok()) return levels;
  for (const std::int64_t bytes : *levels) {
    if (Failure failure = plan_level(request, *asked, maker, bytes, stop, progress, report))
      return *failure;
    if (!report.no.empty() || report.plans_are_missing) break;
  }
  return levels;
}

void append_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& text : more)
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// One training through all its parts.
class Levels {
 public:
  Levels(const TrainRequest& request, std::vector<std::int64_t> levels, std::string state_path,
         const Stop& stop, const TrainEvents& events)
      : request_(request),
        levels_(std::move(levels)),
        stop_(stop),
        events_(events),
        watch_(request.ram_wishes) {
    part_.state_path = std::move(state_path);
    part_.is_to_leave = [this](std::int64_t overhead_bytes) { return wants_other(overhead_bytes); };
  }

  Result<TrainReport> run() {
    level_ = watch_.level(levels_, 0);
    for (bool goes_on = true; goes_on;) {
      const double begin_s = stop_.now_s();
      TrainRequest request = at_level(request_, levels_[level_]);
      request.only_cached_plans = true;
      if (!whole_.stretches.empty()) request.traced_steps = 0;
      Result<RunPartReport> part = run_part(request, part_, stop_, events_of_part());
      if (!part.ok()) return part.error();
      goes_on = part->leaves;
      part_.state = std::move(part->state);
      add(std::move(*part), begin_s);
      if (goes_on) move();
    }
    append_new(whole_.notes, watch_.take_notes());
    return std::move(whole_);
  }

 private:
  bool wants_other(std::int64_t overhead_bytes) {
    overhead_bytes_ = std::max(overhead_bytes_, overhead_bytes);
    wanted_ = watch_.level(levels_, overhead_bytes_);
    return wanted_ != level_;
  }

  // A part counts from its own beginning; who looks on sees one training.
  TrainEvents events_of_part() const {
    TrainEvents events = events_;
    if (events_.step)
      events.step = [this, before_j = whole_.energy_j,
                     before_bytes = whole_.peak_rss_bytes](StepLine line) {
        line.energy_j += before_j;
        line.peak_bytes = std::max(line.peak_bytes, before_bytes);
        events_.step(line);
      };
    return events;
  }

  void move() {
    const std::int64_t before_bytes = levels_[std::exchange(level_, wanted_)];
    if (events_.moved)
      events_.moved({.step = whole_.first_step + whole_.steps - 1,
                     .from_bytes = before_bytes,
                     .to_bytes = levels_[level_]});
  }

  void add(RunPartReport part, double begin_s) {
    TrainReport& now = part.report;
    append(step_times_s_, part.step_times_s);
    append(work_times_s_, part.work_times_s);
    const double taken_s = stop_.now_s() - begin_s;
    double steps_s = 0;
    for (const double step_s : part.step_times_s) steps_s += step_s;
    std::vector<BudgetStretch> stretches = std::move(whole_.stretches);
    stretches.push_back({.first_step = now.first_step,
                         .steps = now.steps,
                         .ram_budget_bytes = levels_[level_],
                         .arena_bytes = now.arena_bytes,
                         .step_s = now.step_s,
                         .beside_steps_s = taken_s - steps_s});
    if (stretches.size() > 1) take_over(now);
    whole_ = std::move(now);
    whole_.stretches = std::move(stretches);
    whole_.step_s = median(step_times_s_);
    whole_.step_work_s = median(work_times_s_);
  }

  // What is of all parts comes from the parts before, too; the rest is of the last.
  void take_over(TrainReport& now) const {
    const TrainReport& before = whole_;
    std::vector<float> losses = before.losses;
    append(losses, now.losses);
    now.losses = std::move(losses);
    now.first_step = before.first_step;
    now.steps += before.steps;
    now.energy_j += before.energy_j;
    now.paged_in_bytes += before.paged_in_bytes;
    now.paged_out_bytes += before.paged_out_bytes;
    for (std::int64_t TrainReport::*most :
         {&TrainReport::peak_rss_bytes, &TrainReport::fixed_overhead_bytes,
          &TrainReport::address_space_overhead_bytes, &TrainReport::storage_bytes})
      now.*most = std::max(now.*most, before.*most);
    std::vector<TestedStep> tested = before.tested;
    append(tested, now.tested);
    now.tested = std::move(tested);
    if (!now.score) now.score = before.score;
    now.trace = before.trace;
    std::vector<std::string> notes = before.notes;
    append_new(notes, now.notes);
    now.notes = std::move(notes);
    std::vector<std::string> search_notes = before.search_notes;
    append_new(search_notes, now.search_notes);
    now.search_notes = std::move(search_notes);
  }

  const TrainRequest& request_;
  std::vector<std::int64_t> levels_;
  const Stop& stop_;
  const TrainEvents& events_;
  BudgetWatch watch_;
  RunPart part_ = {};
  std::size_t level_ = 0;
  std::size_t wanted_ = 0;
  std::int64_t overhead_bytes_ = 0;
  std::vector<double> step_times_s_ = {};
  std::vector<double> work_times_s_ = {};
  TrainReport whole_ = {};
};

}  // namespace

Result<TrainReport> train_in_levels(const TrainRequest& request, const Stop& stop,
                                    const TrainEvents& events) {
  TrainReport report;
  Result<std::vector<std::int64_t>> levels = planned_levels(request, stop, events.planning, report);
  if (!levels.ok()) return levels.error();
  if (!report.no.empty() || report.plans_are_missing) return report;
  const Result<PrivateFolder> folder = PrivateFolder::make(request.storage.path);
  if (!folder.ok()) return folder.error();
  return Levels(request, *std::move(levels), folder->file("state"), stop, events).run();
}

Result<TrainReport> plan_levels(const TrainRequest& request, const Stop& stop,
                                const ProgressSink& progress) {
  TrainReport report;
  const Result<std::vector<std::int64_t>> levels = planned_levels(request, stop, progress, report);
  if (!levels.ok()) return levels.error();
  return report;
}

}  // namespace poet
