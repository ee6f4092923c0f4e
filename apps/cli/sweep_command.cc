#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/mpi_team.h"
#include "apps/cli/plain_commands.h"
#include "apps/cli/process_team.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "apps/cli/sweep_flags.h"
#include "apps/cli/sweep_points.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/sweep.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/tell/sweep_text.h"

namespace poet::cli {
namespace {

constexpr std::size_t kShown = 2;  // of the points at work

// "123 of 380 points, 40 from before; at work: poet at 737,719 B".
std::string sweep_line(const SweepPlan& plan, const SweepProgress& progress) {
  std::string text = fmt::format("{} of {} points", progress.done, progress.all);
  if (progress.found_before > 0) text += fmt::format(", {} from before", progress.found_before);
  for (std::size_t i = 0; i < std::min(progress.now.size(), kShown); ++i) {
    const SweepPoint& point = plan.points[progress.now[i]];
    const SweepInstance& instance = plan.instances[point.instance];
    text += i == 0 ? "; at work: " : ", ";
    text += fmt::format("{} at {} B", name_of_point(plan, point),
                        grouped_digits(instance.budgets_bytes[point.budget]));
  }
  return text;
}

// Shows how far a sweep is, on standard error, while it is asked to.
class SweepDisplay {
 public:
  SweepDisplay(ProgressStyle style, std::function<double()> elapsed_s)
      : display_(style, std::move(elapsed_s)) {}

  void update(const SweepPlan& plan, const SweepProgress& progress) {
    display_.update([&] { return sweep_line(plan, progress); });
  }

 private:
  LineDisplay display_;
};

// The team of this process: other ranks, or copies of it.
Result<std::unique_ptr<SweepTeam>> make_team(const SweepFlags& flags, const SweepPlan& plan,
                                             int rank) {
  if (rank == 0) {
    std::unique_ptr<SweepTeam> ranks = make_mpi_team();
    if (ranks) return ranks;
  }
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int jobs =
      std::min<int>(flags.jobs > 0 ? flags.jobs : processors, static_cast<int>(plan.points.size()));
  const Stop stop{{}, new_clock()};
  Result<std::unique_ptr<ProcessTeam>> copies = ProcessTeam::start(
      jobs,
      [&plan, stop](const std::string& question) { return answer_question(plan, question, stop); });
  if (!copies.ok()) return copies.error();
  return std::unique_ptr<SweepTeam>(*std::move(copies));
}

Result<SweepReport> collected(SweepPlan plan, const SweepPoints& store) {
  const Stop stop{{}, new_clock()};
  Result<SweepAnswers> answers = collect_sweep(plan, store);
  if (!answers.ok()) return answers.error();
  return make_sweep_report(std::move(plan), *std::move(answers), stop);
}

Result<SweepReport> sweep_with_progress(const SweepFlags& flags, SweepPlan plan, int rank) {
  // Before the team, whose copies of this process never use it.
  Result<std::unique_ptr<SweepPoints>> points = open_sweep_points(flags, plan);
  if (!points.ok()) return points.error();
  SweepPoints& store = **points;
  if (flags.collect) return collected(std::move(plan), store);
  Result<std::unique_ptr<SweepTeam>> team = make_team(flags, plan, rank);
  if (!team.ok()) return team.error();
  InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock()};
  Result<SweepAnswers> answers = [&] {
    SweepDisplay display(progress_style(flags.search), stop.elapsed_s);
    return run_sweep(plan, **team, store, stop,
                     [&](const SweepProgress& progress) { display.update(plan, progress); });
  }();
  if (!answers.ok()) return answers.error();
  SweepReport report = make_sweep_report(std::move(plan), *std::move(answers), stop);
  if (flags.results_path && !store.in_place())
    report.warnings.push_back(
        fmt::format("the results file '{}' was moved or deleted while the sweep ran, so it may not "
                    "hold every point",
                    *flags.results_path));
  return report;
}

Failure write_files(const SweepFlags& flags, const SweepReport& report,
                    std::vector<std::string>& written) {
  const auto write = [&written](const std::string& path, const std::string& text) {
    Failure failure = write_text_file(path, text);
    if (!failure) written.push_back(path);
    return failure;
  };
  if (flags.csv_path)
    if (Failure failure = write(*flags.csv_path, sweep_csv(report))) return failure;
  const std::optional<std::string>& page = flags.search.report_path;
  if (page)
    if (Failure failure =
            write(*page, sweep_page(sweep_figures(report), flags.search.request.command)))
      return failure;
  if (!flags.search.plot_directory) return std::nullopt;
  if (Failure failure = make_folder(*flags.search.plot_directory)) return failure;
  for (const SweepPicture& picture : sweep_pictures(report))
    if (Failure failure = write(*flags.search.plot_directory + "/" + picture.name, picture.text))
      return failure;
  return std::nullopt;
}

int answer(const SweepFlags& flags, const SweepReport& report) {
  std::vector<std::string> written;
  const Failure failure = write_files(flags, report, written);
  for (const std::string& warning : report.warnings) warn(warning);
  const bool any = std::any_of(report.answers.runs.begin(), report.answers.runs.end(),
                               [](const auto& run) { return run && run->fits(); });
  const int code = any && report.answers.complete() ? kExitFound : kExitNo;
  JsonOut json = sweep_to_json(report);
  json["files"] = written;
  std::string text = sweep_text(report);
  if (!written.empty()) text += "\n";
  for (const std::string& path : written) text += fmt::format("  wrote {}\n", path);
  const int printed =
      flags.search.output == Output::Json ? print_json(json, code) : print_text(text, code);
  return failure ? refuse(*failure, Output::Text) : printed;
}

// Of ranks other than 0: they say nothing, since rank 0 says it.
int serve(const std::vector<std::string>& arguments) {
  Result<SweepFlags> flags = read_sweep_flags(arguments);
  if (!flags.ok()) return kExitBadInput;
  if (flags->collect) return kExitFound;  // which is rank 0's alone
  const Result<SweepPlan> plan = plan_sweep_with_backend(flags->sweep);
  if (!plan.ok()) return kExitBadInput;
  const Stop stop{{}, new_clock()};
  serve_mpi([&plan, &stop](const std::string& question) {
    return answer_question(*plan, question, stop);
  });
  return kExitFound;
}

}  // namespace

int run_sweep_command(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const int rank = mpi_rank(environment_variable);
  if (rank > 0) return serve(arguments);
  Result<SweepFlags> flags = read_sweep_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_sweep_targets(*flags)) return refuse(*failure, output);
  Result<SweepPlan> plan = plan_sweep_with_backend(flags->sweep);
  if (!plan.ok()) return refuse(plan.error(), output);
  const Result<SweepReport> report = sweep_with_progress(*flags, *std::move(plan), rank);
  if (!report.ok()) return refuse(report.error(), output);
  const int code = answer(*flags, *report);
  if (rank == 0 && !flags->collect) end_mpi(!report->answers.complete());
  return code;
}

}  // namespace poet::cli
