// What can be asked beside a plan: how little is enough, what other methods do, the whole curve,
// and why.

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "apps/cli/compare_command.h"
#include "apps/cli/environment.h"
#include "apps/cli/explain_command.h"
#include "apps/cli/minimum_command.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/sweep_flags.h"
#include "apps/cli/sweep_points.h"
#include "apps/cli/train_flags.h"
#include "apps/cli/worth_command.h"
#include "poet/ask/compare.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/problem/certificate_json.h"
#include "poet/tell/compare_chart.h"
#include "poet/tell/compare_text.h"
#include "poet/tell/explain_text.h"
#include "poet/tell/minimum_text.h"
#include "poet/tell/sweep_text.h"
#include "poet/tell/worth_text.h"
#include "poet/use/worth.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"
#include "python/src/thread_team.h"

namespace poet::python {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

py::dict find_least(const Words& words, const py::object& progress) {
  cli::SolveFlags flags =
      or_refuse(cli::read_search_flags("minimum", cli::minimum_option_rows, words));
  or_refuse(cli::check_targets(flags));
  stay_in_place(flags.certificate_path);
  const Question question = question_of(flags.request);
  const MinimumReport report =
      beside(flags.request.time_limit_s, [&](const Stop& stop, const Post& post) {
        return or_refuse(find_minimum(question, stop, progress_sink(progress, stop, post)));
      });
  if (flags.certificate_path && report.certificate)
    or_refuse(write_text_file(*flags.certificate_path, certificate_text(*report.certificate)));
  py::dict answer;
  answer["json"] = json_text(minimum_to_json(report));
  answer["text"] = minimum_text(report);
  answer["plan"] = report.plan ? py::cast(std::make_shared<Plan>(*report.plan)) : py::none();
  return answer;
}

CompareRequest compare_request(const Words& words) {
  const cli::CompareFlags flags = or_refuse(cli::read_compare_flags(words));
  return {.question = question_of(flags.search.request),
          .methods = flags.methods,
          .limit_s = flags.search.request.time_limit_s};
}

py::dict compare(const Words& words, const py::object& progress) {
  const CompareRequest request = compare_request(words);
  const CompareReport report = beside(kNoLimit, [&](const Stop& stop, const Post& post) {
    return or_refuse(compare_methods(request, stop, progress_sink(progress, stop, post)));
  });
  py::dict answer;
  answer["json"] = json_text(compare_to_json(report));
  answer["text"] = compare_text(report);
  answer["csv"] = compare_csv(report);
  answer["chart"] = compare_chart_svg(report);
  return answer;
}

// The plan of a sweep, and what it is run with.
struct SweepTask {
  SweepPlan plan = {};
  int jobs = 1;
  cli::SweepFlags flags = {};
};

SweepTask sweep_task(const Words& words) {
  const cli::SweepFlags flags = or_refuse(cli::read_sweep_flags(words));
  or_refuse(cli::check_sweep_targets(flags));
  SweepTask task{
      .plan = or_refuse(plan_sweep_with_backend(flags.sweep)), .jobs = flags.jobs, .flags = flags};
  const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (task.jobs == 0) task.jobs = processors;
  task.jobs = std::min(task.jobs, static_cast<int>(task.plan.points.size()));
  return task;
}

SweepReport answer_sweep(SweepTask task, const Stop& stop, const SweepProgressSink& progress) {
  const std::unique_ptr<SweepPoints> store =
      or_refuse(cli::open_sweep_points(task.flags, task.plan));
  if (task.flags.collect)
    return make_sweep_report(task.plan, or_refuse(collect_sweep(task.plan, *store)), stop);
  ThreadTeam team(task.jobs, [&task, &stop](const std::string& question) {
    return answer_question(task.plan, question, stop);
  });
  SweepAnswers answers = or_refuse(run_sweep(task.plan, team, *store, stop, progress));
  return make_sweep_report(task.plan, std::move(answers), stop);
}

SweepProgressSink sweep_progress_sink(const py::object& callback, const Post& post) {
  PyObject* const called = called_at_news(callback);
  if (called == nullptr) return {[](const SweepProgress&) {}};
  return [called, post](const SweepProgress& news) {
    post([called, done = news.done, all = news.all] {
      py::dict said;
      said["done"] = done;
      said["all"] = all;
      py::reinterpret_borrow<py::object>(called)(said);
    });
  };
}

py::dict sweep(const Words& words, const py::object& progress) {
  SweepTask task = [&words] {
    const py::gil_scoped_release unlocked;
    return sweep_task(words);
  }();
  const std::string command = task.flags.search.request.command;
  const SweepReport report = beside(kNoLimit, [&](const Stop& stop, const Post& post) {
    return answer_sweep(std::move(task), stop, sweep_progress_sink(progress, post));
  });
  py::list pictures;
  for (const SweepPicture& picture : sweep_pictures(report))
    pictures.append(py::make_tuple(picture.name, picture.text));
  py::dict answer;
  answer["json"] = json_text(sweep_to_json(report));
  answer["text"] = sweep_text(report);
  answer["csv"] = sweep_csv(report);
  answer["page"] = sweep_page(sweep_figures(report), command);
  answer["plots"] = pictures;
  return answer;
}

py::dict explain(const Words& words, const py::object& progress) {
  cli::ExplainFlags flags;
  flags.search.request.time_limit_s = 10;
  const std::vector<std::string> rest =
      or_refuse(cli::parse_options("explain", cli::explain_option_rows(flags), words));
  flags.request.plan_path = rest.front();
  flags.request.names.assign(rest.begin() + 1, rest.end());
  flags.request.solve.library_directories = cli::library_directories();
  const Explanation explanation =
      beside(flags.search.request.time_limit_s, [&](const Stop& stop, const Post& post) {
        return or_refuse(explain_plan(flags.request, stop, progress_sink(progress, stop, post)));
      });
  py::dict answer;
  answer["json"] = json_text(explanation_to_json(explanation));
  answer["text"] = explanation_text(explanation);
  return answer;
}

// Calls back with how much of what is known was done: searches, each of what is trained, or
// batches.
std::function<void(std::int64_t, std::int64_t, const std::optional<std::string>&)> worth_sink(
    const py::object& callback, const Post& post) {
  PyObject* const called = called_at_news(callback);
  if (called == nullptr)
    return [](std::int64_t, std::int64_t, const std::optional<std::string>&) {};
  return
      [called, post](std::int64_t done, std::int64_t all, const std::optional<std::string>& train) {
        post([called, done, all, train] {
          py::dict said;
          said["done"] = done;
          said["all"] = all;
          said["train"] = train;
          py::reinterpret_borrow<py::object>(called)(said);
        });
      };
}

py::dict worth(const Words& words, const py::object& progress) {
  const cli::WorthFlags flags = or_refuse(cli::read_worth_flags(words));
  const WorthReport report = beside(kNoLimit, [&](const Stop& stop, const Post& post) {
    const auto tell = worth_sink(progress, post);
    return or_refuse(worth_training(
        flags.request, stop,
        [&](std::int64_t done, std::int64_t known, const std::string& train) {
          tell(done, known, train);
        },
        [&](std::int64_t done, std::int64_t batches) { tell(done, batches, std::nullopt); }));
  });
  py::dict answer;
  answer["json"] = json_text(worth_to_json(report));
  answer["text"] = worth_text(report);
  answer["page"] = worth_page(report);
  answer["gains"] = gains_text(report.gains);
  return answer;
}

// The options of a command: their names, whether each is a switch, and what it is for.
py::list options_of(const std::string& command) {
  cli::SolveFlags solve;
  cli::CompareFlags compare_flags;
  cli::SweepFlags sweep_flags;
  cli::ExplainFlags explain_flags;
  cli::TrainFlags train_flags;
  cli::WorthFlags worth_flags;
  const std::vector<OptionRow> rows =
      command == "minimum"   ? cli::minimum_option_rows(solve)
      : command == "compare" ? cli::compare_option_rows(compare_flags)
      : command == "sweep"   ? cli::sweep_option_rows(sweep_flags)
      : command == "explain" ? cli::explain_option_rows(explain_flags)
      : command == "train"   ? cli::train_option_rows(train_flags)
      : command == "worth"   ? cli::worth_option_rows(worth_flags)
      : command == "predict" ? cli::eval_option_rows(train_flags)
                             : cli::solve_option_rows(solve);
  py::list list;
  for (const OptionRow& row : rows)
    list.append(py::make_tuple(names_of(row), row.value.empty(), row.help));
  return list;
}

}  // namespace

void add_questions(py::module_& module) {
  module.def("minimum", &find_least);
  module.def("compare", &compare);
  module.def("sweep", &sweep);
  module.def("explain", &explain);
  module.def("worth", &worth);
  module.def("options", &options_of);
}

}  // namespace poet::python
