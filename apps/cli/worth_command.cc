#include "apps/cli/worth_command.h"

#include <fmt/core.h>

#include <limits>
#include <optional>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/search_command.h"
#include "apps/cli/signals.h"
#include "poet/ask/option_reads.h"
#include "poet/base/json_out.h"
#include "poet/tell/worth_text.h"

namespace poet::cli {
namespace {

constexpr const char* kChoices = "What is worth training";
constexpr const char* kWorthOutput = "What comes out";
constexpr double kSearch_s = 5;

std::vector<OptionRow> own_rows(WorthFlags& flags) {
  return {
      {.names = "--energy-budget",
       .value = "X",
       .group = kChoices,
       .help = "joules that the plan of a step may take; default: any",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_number(text, Zero::Refused), flags.request.energy_budget_j);
           }},
      {.names = "--points",
       .value = "N",
       .group = kChoices,
       .help = "how many choices of each way are looked at: the last layers, biases and the last "
               "layers, and the layers that gain most; default 6",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 1), flags.request.most_of_a_way);
           }},
      {.names = "--tries",
       .value = "N",
       .group = kChoices,
       .help = "how many sets of layers are planned to find one that the budget just holds; "
               "default 24; 0: none",
       .read =
           [&flags](const std::string& text) {
             return keep_value(read_whole(text, 0), flags.request.most_tries);
           }},
      {.names = "--out-gains",
       .value = "FILE",
       .group = kWorthOutput,
       .help = "write what each parameter is worth, for --gains",
       .completes = Completes::Files,
       .read = keep_as_text(flags.gains_path)},
      {.names = "--report",
       .value = "FILE",
       .group = kWorthOutput,
       .help = "write a page with the curves, as HTML: gain against energy and against RAM",
       .completes = Completes::Files,
       .read = keep_as_text(flags.train.solve.report_path)},
  };
}

Failure check_worth_targets(const WorthFlags& flags) {
  CommandFiles files;
  add_training_files(flags.train, files);
  files.writes("--out-gains", flags.gains_path);
  files.writes("--report", flags.train.solve.report_path);
  return files.check();
}

Result<WorthReport> search(const WorthFlags& flags) {
  const InterruptWatch interrupts;
  const Stop stop{interrupts.token(), new_clock(), std::numeric_limits<double>::infinity()};
  // A batch may take long, and says nothing meanwhile: what is measured has a display that looks by
  // itself.
  std::optional<ProgressDisplay> measuring;
  LineDisplay display(progress_style(flags.train.solve), stop.elapsed_s);
  return worth_training(
      flags.request, stop,
      [&](std::int64_t done, std::int64_t known, const std::string& train) {
        measuring.reset();
        display.update([&] {
          return fmt::format("search {} of about {}: --train {}", done + 1, known, train);
        });
      },
      [&](std::int64_t done, std::int64_t batches) {
        if (!measuring)
          measuring.emplace(ProgressDisplay::Options{.style = progress_style(flags.train.solve),
                                                     .elapsed_s = stop.elapsed_s,
                                                     .limit_s = stop.limit_s});
        const std::string phase = fmt::format("gradients of batch {} of {}", done + 1, batches);
        measuring->update({.phase = phase, .search_unit = ""});
      });
}

int answer(const WorthFlags& flags, const WorthReport& report) {
  WrittenFiles files;
  const std::optional<std::string>& page = flags.train.solve.report_path;
  files.write(flags.gains_path, gains_text(report.gains));
  if (page) files.write(page, worth_page(report));
  for (const std::string& warning : report.warnings) warn(warning);
  const int code = report.best ? kExitFound : kExitNo;
  JsonOut json = worth_to_json(report);
  return files.print(json, worth_text(report), flags.train.solve.output, code);
}

}  // namespace

std::vector<OptionRow> worth_option_rows(WorthFlags& flags) {
  flags.train.solve.request.time_limit_s = kSearch_s;
  std::vector<OptionRow> rows = worth_training_rows(flags.train);
  for (OptionRow& row : own_rows(flags)) rows.push_back(std::move(row));
  return rows;
}

Result<WorthFlags> read_worth_flags(const std::vector<std::string>& arguments) {
  WorthFlags flags;
  flags.train.solve.request.batch_size = kTrainBatchSize;
  const Result<std::vector<std::string>> rest =
      parse_options("worth", worth_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet worth takes only options, found '{}'", rest->front()));
  if (Failure failure = settle_train_flags("worth", arguments, flags.train)) return *failure;
  if (Failure failure = check_worth_targets(flags)) return *failure;
  flags.request.training = flags.train.request;
  flags.request.training.plan.alignment_bytes = 1;  // as 'poet solve' plans
  flags.request.limit_s = flags.train.solve.request.time_limit_s;
  return flags;
}

int run_worth(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<WorthFlags> flags = read_worth_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  const Result<WorthReport> report = search(*flags);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report);
}

}  // namespace poet::cli
