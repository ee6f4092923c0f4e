#include "apps/cli/plain_commands.h"

#include <fmt/core.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/host_machine.h"
#include "apps/cli/idle_options.h"
#include "apps/cli/mpi_ranks.h"
#include "apps/cli/output_files.h"
#include "apps/cli/own_process.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/progress_file.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/train_display.h"
#include "apps/cli/train_flags.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/report/trace_file.h"
#include "poet/tell/train_page.h"
#include "poet/tell/train_text.h"
#include "poet/train/rank_conference.h"
#include "poet/use/plan_again.h"

namespace poet::cli {
namespace {

// In the environment of a process that plans for another, which trains. Of several ranks it plans
// as that one, by its place in the environment that both have, and must not join the others.
constexpr const char* kPlansForAnother = "POET_PLANS_FOR_ANOTHER";

bool plans_for_another() {
  return !environment_variable(kPlansForAnother).empty();
}

int answer(const TrainFlags& flags, const TrainReport& report) {
  for (const std::string& note : report.search_notes) warn(note);
  for (const std::string& note : report.notes) warn(note);
  const int code = report.no.empty() ? kExitFound : kExitNo;
  if (flags.solve.report_path && report.no.empty())
    if (Failure failure =
            write_text_file(*flags.solve.report_path, train_page(flags.request, report)))
      return refuse(*failure, flags.solve.output);
  // Also of a training that came to nothing: it shows how far it came.
  if (flags.solve.trace_path && report.trace)
    if (Failure failure = write_trace(*flags.solve.trace_path, *report.trace))
      return refuse(*failure, flags.solve.output);
  return flags.solve.output == Output::Json ? print_json(train_to_json(report), code)
                                            : print_text(train_text(report), code);
}

// The process beside a training that plans again. It ends with the training, and yields to it.
int plan_beside(const TrainFlags& flags) {
  go_on_beside_parent();
  const Result<std::string> text = read_text_file(*flags.figures_path);
  if (!text.ok()) return refuse(text.error(), flags.solve.output);
  Result<StepFigures> figures = parse_step_figures(*text, *flags.figures_path);
  if (!figures.ok()) return refuse(figures.error(), flags.solve.output);
  TrainRequest request = flags.request;
  request.figures = std::make_shared<const StepFigures>(*std::move(figures));
  Search search(flags.solve);
  const Result<PlannedAgain> planned = plan_again(request, search.stop(), search.progress());
  if (!planned.ok()) return refuse(planned.error(), flags.solve.output);
  return print_text(planned_again_text(*planned), kExitFound);
}

// A profile is of this machine; anything else is assumed.
bool replans(const TrainFlags& flags) {
  return flags.replans.value_or(!flags.solve.request.costs_path);
}

Result<TrainReport> planned(TrainFlags flags) {
  const bool needs_kept_plans = flags.request.least_ram_budget.has_value();
  if (plans_for_another() && !needs_kept_plans)
    flags.request.cache.unkept = [told = std::make_shared<bool>(false)](const Error& why) {
      if (!std::exchange(*told, true)) warn(unkept_note(why));
    };
  Search search(flags.solve);
  Result<TrainReport> report = plan_training(flags.request, search.stop(), search.progress());
  // Of plans that are kept the training tells that itself.
  if (report.ok() && report->no.empty() && plans_for_another())
    std::erase(report->search_notes, limit_warning(search.stop().limit_s));
  return report;
}

// Of a family of budgets each plan has figures of its own.
int say_planned(const TrainReport& report, bool is_kept, Output output) {
  if (output == Output::Json)
    return print_json({{"format", "poet-planned"},
                       {"version", 1},
                       {"ram_budget_bytes", report.ram_budget_bytes},
                       {"arena_bytes", report.arena_bytes},
                       {"storage_bytes", report.storage_bytes}},
                      kExitFound);
  const char* const kept = is_kept ? ", and kept for the training" : ", and not kept";
  if (report.arena_bytes == 0) return print_text(fmt::format("Planned{}\n", kept), kExitFound);
  return print_text(
      fmt::format("Planned{}: an arena of {} bytes in a RAM "
                  "budget of {}, and {} bytes of storage\n",
                  kept, grouped_digits(report.arena_bytes), grouped_digits(report.ram_budget_bytes),
                  grouped_digits(report.storage_bytes)),
      kExitFound);
}

// For another process it plans and says nothing, unless there is no plan. For one of several ranks
// nothing at all: what there is to say they say together.
int plan_only(const TrainFlags& flags) {
  if (plans_for_another()) end_with_parent();
  const Result<TrainReport> report = planned(flags);
  if (flags.request.rank) return report.ok() && report->no.empty() ? kExitFound : kExitNo;
  if (!report.ok()) return refuse(report.error(), flags.solve.output);
  if (!report->no.empty()) return answer(flags, *report);
  for (const std::string& note : report->search_notes) warn(note);
  return plans_for_another()
             ? kExitFound
             : say_planned(*report, flags.request.cache.folder.has_value(), flags.solve.output);
}

std::int64_t unix_seconds() {
  using std::chrono::system_clock;
  return static_cast<std::int64_t>(system_clock::to_time_t(system_clock::now()));
}

void open_progress(const TrainFlags& flags, ProgressFile& progress) {
  if (!flags.progress_path) return;
  const auto before =
      flags.request.resume ? ProgressFile::Before::GoneOnWith : ProgressFile::Before::Replaced;
  progress.open(*flags.progress_path, before,
                {.at_unix_s = unix_seconds(),
                 .model = flags.request.plan.model,
                 .command = flags.request.plan.command});
}

// Shows the search for plans where this process does it, until there are some.
class PlanningDisplay {
 public:
  explicit PlanningDisplay(ProgressDisplay::Options options) : options_(std::move(options)) {}

  TrainEvents before(TrainEvents events) {
    events.planning = [this](const SolveProgress& news) {
      const std::scoped_lock lock(mutex_);
      if (!display_) display_.emplace(options_);
      display_->update(news);
    };
    events.planned = [this](const PlannedLine&) {
      const std::scoped_lock lock(mutex_);
      display_.reset();
    };
    return events;
  }

 private:
  ProgressDisplay::Options options_;
  std::mutex mutex_;
  std::optional<ProgressDisplay> display_;
};

Result<TrainReport> train(const TrainFlags& flags, TrainRequest request, ProgressFile& progress) {
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), flags.solve.request.time_limit_s};
  TrainDisplay display(progress_style(flags.solve), stop.elapsed_s);
  if (flags.log_path)
    if (Failure failure = display.open_log(*flags.log_path)) return *failure;
  request.compares_with_plan = flags.solve.report_path || flags.solve.output == Output::Json;
  request.work_s = computed_s;
  if (request.least_ram_budget) {
    request.ram_wishes.asked_level = LevelSignals::level;
    request.ram_wishes.clock_s = stop.elapsed_s;
  }
  PlanningDisplay planning({.style = progress_style(flags.solve),
                            .elapsed_s = stop.elapsed_s,
                            .limit_s = flags.solve.request.time_limit_s});
  Result<TrainReport> report =
      train_network(request, stop, progress.seen(planning.before(display.events())));
  if (!report.ok()) return report;
  if (Failure failure = display.close_log()) return *failure;
  return report;
}

// In another process: the search for plans takes more memory than the training may have. Who
// interrupts it wants no training: what was found until then is kept, and the answer is no.
Result<int> plan_in_a_child(const std::vector<std::string>& arguments) {
  std::vector<std::string> planning = {"train"};
  planning.insert(planning.end(), arguments.begin(), arguments.end());
  planning.emplace_back("--plan-only");
  const InterruptWatch interrupts;
  const Result<int> code =
      run_own_program(planning, {fmt::format("{}=1", kPlansForAnother)}, interrupts.token());
  if (code.ok() && *code == kExitFound && interrupts.token().stop_requested()) {
    warn("stopped while planning; nothing was trained");
    return static_cast<int>(kExitNo);
  }
  return code;
}

// What cannot be kept is planned in the memory of this program, as without --keep-plans.
TrainRequest without_cache(TrainRequest request) {
  request.cache.folder.reset();
  request.only_cached_plans = false;
  return request;
}

// What came of a training, or with which code a process that was to plan for it said why there is
// none.
struct TrainedOrCode {
  Result<TrainReport> report;
  std::optional<int> code = {};
};

TrainedOrCode train_as_planned(const TrainFlags& flags, const std::vector<std::string>& arguments,
                               ProgressFile& progress) {
  // Whoever reads the progress may go away; the training goes on.
  signal(SIGPIPE, SIG_IGN);
  TrainRequest request = flags.request;
  PlannerProcess planner(arguments);
  if (replans(flags)) request.replanning.planner = planner.as_planner();
  // Also while another process plans: who asks then has the other level from the first step on.
  std::optional<LevelSignals> signals;
  if (request.least_ram_budget) signals.emplace();
  request.only_cached_plans = request.cache.folder.has_value();
  Result<TrainReport> report = train(flags, request, progress);
  if (!report.ok() || !report->plans_are_missing) return {std::move(report)};
  if (const Failure unkept = check_cache(request.cache)) {
    if (request.least_ram_budget) return {*unkept};
    warn(unkept_note(*unkept));
    return {train(flags, without_cache(request), progress)};
  }

  const std::function<double()> clock_s = new_clock();
  const Result<int> code = plan_in_a_child(arguments);
  request.replanning.planner.known_s = clock_s();
  if (!code.ok()) return {code.error()};
  if (*code != kExitFound) return {TrainReport{.no = "there is no plan"}, *code};
  report = train(flags, request, progress);
  if (report.ok() && report->plans_are_missing)
    report = train(flags, without_cache(request), progress);
  return {std::move(report)};
}

int plan_and_train(const TrainFlags& flags, const std::vector<std::string>& arguments) {
  ProgressFile progress(new_clock());
  open_progress(flags, progress);
  const TrainedOrCode trained = train_as_planned(flags, arguments, progress);
  progress.end(trained.report);
  if (trained.code) return *trained.code;
  if (!trained.report.ok()) return refuse(trained.report.error(), flags.solve.output);
  return answer(flags, *trained.report);
}

// --- One of several ranks

// Rank 0 speaks and writes for all.
void set_rank(const RankPlace& place, TrainFlags& flags) {
  flags.request.rank = place;
  if (place.own == 0) return;
  flags.solve.quiet = true;
  flags.log_path.reset();
  flags.progress_path.reset();
  flags.solve.report_path.reset();
  flags.solve.trace_path.reset();
}

// Some that plan only would leave the others waiting for them.
Failure agree_on_work(bool plans_only, RankConference& conference) {
  const std::string plan = "plan", train = "train";
  const Result<std::string> agreed = conference.confer(
      plans_only ? plan : train, [&](const std::vector<std::string>& works) -> Result<std::string> {
        for (std::size_t rank = 1; rank < works.size(); ++rank)
          if (works[rank] != works[0])
            return bad_input(fmt::format(
                "rank {} of {} is to plan only, and rank {} to train: give --plan-only to all "
                "ranks or to none",
                works[0] == plan ? 0 : rank, works.size(), works[0] == plan ? rank : 0));
        return std::string();
      });
  return agreed.ok() ? std::nullopt : Failure(agreed.error());
}

// Whether the plans are in the cache now; false as well where none is kept.
Result<bool> plan_in_cache(const TrainFlags& flags, const std::vector<std::string>& arguments) {
  if (!flags.request.cache.folder) return false;
  if (const Failure unkept = check_cache(flags.request.cache)) {
    if (flags.request.rank->own == 0) warn(unkept_note(*unkept));
    return false;
  }
  const Result<int> code = plan_in_a_child(arguments);
  if (!code.ok()) return code.error();
  return *code == kExitFound;
}

// Where there is no plan, it is looked for once more, so that all hear why.
Result<TrainReport> train_with_others(TrainFlags flags, const std::vector<std::string>& arguments,
                                      RankConference& conference, ProgressFile& progress) {
  const Result<bool> is_planned = plan_in_cache(flags, arguments);
  if (!is_planned.ok()) return is_planned.error();
  flags.request.only_cached_plans = *is_planned;
  flags.request.conference = &conference;
  return train(flags, flags.request, progress);
}

// Of the first rank that has no plan, its report is everyone's.
Result<TrainReport> plan_with_others(const TrainFlags& flags,
                                     const std::vector<std::string>& arguments,
                                     RankConference& conference) {
  const Result<bool> is_planned = plan_in_cache(flags, arguments);
  if (!is_planned.ok()) return is_planned.error();
  Result<TrainReport> own = *is_planned ? Result<TrainReport>(TrainReport{}) : planned(flags);
  if (!own.ok()) return own.error();
  const Result<std::string> no =
      conference.confer(own->no, [](const std::vector<std::string>& words) -> Result<std::string> {
        for (std::size_t rank = 0; rank < words.size(); ++rank)
          if (!words[rank].empty())
            return rank == 0 ? words[rank]
                             : fmt::format("rank {} of {}: {}", rank, words.size(), words[rank]);
        return std::string();
      });
  if (!no.ok()) return no.error();
  conference.close();
  own->no = *no;
  return own;
}

Result<TrainReport> work_with_others(const TrainFlags& flags,
                                     const std::vector<std::string>& arguments,
                                     RankConference& conference, ProgressFile& progress) {
  if (Failure failure = agree_on_work(flags.plan_only, conference)) return *failure;
  if (flags.figures_path)
    return bad_input("--figures is for a training in one process, and this one has ranks");
  if (conference.is_first())
    if (Failure failure = check_train_targets(flags)) return *failure;
  return flags.plan_only ? plan_with_others(flags, arguments, conference)
                         : train_with_others(flags, arguments, conference, progress);
}

int train_as_rank(Result<TrainFlags> flags, const std::vector<std::string>& arguments,
                  const RankPlace& place) {
  const Output output = output_of(arguments);
  const std::unique_ptr<Ranks> ranks = join_mpi_ranks();
  if (ranks == nullptr)
    return place.own > 0 ? kExitBadInput
                         : refuse({ErrorCode::Unsupported,
                                   "this poet was built without MPI, and trains in one process",
                                   {}},
                                  output);
  signal(SIGPIPE, SIG_IGN);
  RankConference conference(*ranks);
  ProgressFile progress(new_clock());
  if (flags.ok()) open_progress(*flags, progress);
  Result<TrainReport> report = flags.ok()
                                   ? work_with_others(*flags, arguments, conference, progress)
                                   : Result<TrainReport>(flags.error());
  if (!report.ok()) report = conference.leave(report.error());
  progress.end(report);
  int code = kExitBadInput;
  if (report.ok()) code = report->no.empty() ? kExitFound : kExitNo;
  const bool says_nothing = code == kExitFound && flags->plan_only;
  if (conference.is_first() && !says_nothing)
    code = report.ok() ? answer(*flags, *report) : refuse(report.error(), output);
  leave_mpi_ranks();
  return code;
}

}  // namespace

int run_train(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  Result<TrainFlags> flags = read_train_flags("train", train_option_rows, arguments);
  if (flags.ok() && is_given(arguments, "--trace-steps") && !flags->solve.trace_path)
    flags = bad_input("--trace-steps says of how many steps --trace FILE is; give both");
  if (const std::optional<RankPlace> rank = place_by_mpirun(environment_variable)) {
    if (flags.ok()) set_rank(*rank, *flags);
    if (flags.ok() && plans_for_another()) return plan_only(*flags);
    return train_as_rank(std::move(flags), arguments, *rank);
  }
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_train_targets(*flags)) return refuse(*failure, output);
  if (flags->figures_path) return plan_beside(*flags);
  return flags->plan_only ? plan_only(*flags) : plan_and_train(*flags, arguments);
}

}  // namespace poet::cli
