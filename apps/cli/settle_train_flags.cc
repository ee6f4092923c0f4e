#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "apps/cli/environment.h"
#include "apps/cli/idle_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/train_flags.h"
#include "poet/use/settle_trained.h"
#include "poet/use/training_defaults.h"

namespace poet::cli {
namespace {

constexpr std::int64_t kMadeUpTests = 1'000;
// Behind all that anybody trains on, so that what is tried is the same however much was learnt
// from.
constexpr std::int64_t kFirstMadeUpTest = std::int64_t{1} << 40;
constexpr std::int64_t kBlockOfDisks = 4096;
constexpr std::int64_t kAlignment = 64;
constexpr const char* kPlatform = "laptop";

std::optional<std::string> plan_folder(const TrainFlags& flags) {
  if (!flags.keep_plans) return std::nullopt;
  if (flags.cache) return flags.cache;
  const std::string cache = environment_variable("XDG_CACHE_HOME");
  // A relative one is to be ignored, says the XDG base directory specification.
  if (cache.starts_with('/')) return cache + "/poet/plans";
  const std::string home = environment_variable("HOME");
  if (!home.empty()) return home + "/.cache/poet/plans";
  return std::nullopt;
}

// Trying a network should not take longer than training it.
std::int64_t made_up_tests(const TrainFlags& flags) {
  if (flags.test_examples) return *flags.test_examples;
  const std::int64_t steps = flags.request.steps;
  if (steps == 0 || steps > kMadeUpTests) return kMadeUpTests;
  return std::min(kMadeUpTests, steps * std::min(kMadeUpTests, flags.solve.request.batch_size));
}

// Where a store that is named by a folder or a file lies.
std::string storage_folder(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return path;
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

void settle_data(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  request.data.synthetic_examples = flags.data_examples.value_or(kMadeUpExamples);
  request.data.synthetic_seed = request.seed;
  request.data.unpack.folder = storage_folder(request.storage.path);
  request.data.text.place.folder = request.data.unpack.folder;
  request.data.text.place.kept_in = request.cache.folder;
  DataSource test = request.data;
  if (request.test_data) {
    test.paths = request.test_data->paths;
    test.split = DataSplit::Test;
    request.test_data = test;
    return;
  }
  if (request.held_out_ratio > 0) return;
  test.split = DataSplit::Test;
  test.synthetic_first = kFirstMadeUpTest;
  test.synthetic_examples = made_up_tests(flags);
  const bool made_up = request.data.paths.empty();
  if ((made_up && test.synthetic_examples > 0) ||
      (request.data.paths.size() == 1 &&
       folder_has_split(request.data.paths.front(), DataSplit::Test)))
    request.test_data = test;
}

std::vector<DataSource> sources_of(const TrainRequest& request) {
  std::vector<DataSource> sources = {request.data};
  if (request.test_data) sources.push_back(*request.test_data);
  return sources;
}

Failure refuse_idle_gains(const std::string& command, const std::vector<std::string>& arguments,
                          const TrainFlags& flags) {
  if (!is_given(arguments, "--gain-batches")) return std::nullopt;
  if (flags.request.gains.path)
    return bad_input("--gain-batches is for gains that are measured, and --gains gives them");
  if (command == "train" && flags.solve.request.training.train != kTrainAuto)
    return bad_input(
        "--gain-batches is for --train auto, which measures gains; give both, or neither");
  return std::nullopt;
}

void settle(const std::string& command, const std::vector<std::string>& arguments,
            TrainFlags& flags) {
  PlanRequest& plan = flags.solve.request;
  TrainRequest& request = flags.request;
  flags.loss_is_given = is_given(arguments, "--loss");
  if (plan.platform.empty()) plan.platform = kPlatform;
  plan.graph = GraphKind::Real;  // nothing else can be trained
  plan.command = command_line(command, arguments);
  plan.solve.library_directories = library_directories();
  plan.network.seed = request.seed;
  plan.alignment_bytes = request.storage.direct ? kBlockOfDisks : kAlignment;
  if (request.storage.path.empty()) request.storage.path = ".";
  if (!flags.learning_rate) flags.learning_rate = default_learning_rate(plan.training.optimiser);
  request.learning_rate.peak = *flags.learning_rate;
  request.cache.folder = plan_folder(flags);
  request.plan = plan;
  request.draws_arena = flags.solve.report_path.has_value();
  flags.sampling.seed = request.seed;
  const bool draws = flags.sampling.most_tokens > 0 || flags.sampling.probability < 1;
  if (draws && !flags.sampling.temperature) flags.sampling.temperature = 1.0F;
  if (flags.solve.trace_path) request.traced_steps = flags.trace_steps;
  settle_data(flags);
}

}  // namespace

Failure settle_train_flags(const std::string& command, const std::vector<std::string>& arguments,
                           TrainFlags& flags) {
  if (flags.solve.request.model.empty())
    return bad_input(fmt::format(
        "poet {} needs --model NAME ('poet models' lists them) or --model FILE.onnx", command));
  if (flags.request.test_data && flags.request.held_out_ratio > 0)
    return bad_input("--test-data and --held-out both say what to try the network on; give one");
  if (flags.request.resume && flags.request.overwrites_checkpoint)
    return bad_input(
        "--resume goes on from a checkpoint and --overwrite-checkpoint replaces it; give one");
  if (flags.request.overwrites_checkpoint && !flags.request.checkpoint_path)
    return bad_input("--overwrite-checkpoint needs --checkpoint FILE");
  if ((flags.request.best_checkpoint_path || flags.request.most_no_better > 0) &&
      flags.request.evaluate_every == 0)
    return bad_input("--best-checkpoint and --stop-after-no-better need --evaluate-every N");
  const BudgetWishes& wishes = flags.request.ram_wishes;
  if ((wishes.control_path || wishes.pressure_percent) && !flags.request.least_ram_budget)
    return bad_input(
        "--ram-control and --ram-pressure need a range of budgets, such as --ram-budget "
        "4GiB..256MiB");
  if (is_given(arguments, "--ram-levels") && !flags.request.least_ram_budget)
    return bad_input(
        "--ram-levels is for a range of budgets, such as --ram-budget 4GiB..256MiB, and here is "
        "one budget");
  if ((flags.request.resume || flags.request.checkpoint_every > 0) &&
      !flags.request.checkpoint_path)
    return bad_input("--resume and --checkpoint-every need --checkpoint FILE");
  if (flags.replans.value_or(false) && (flags.request.least_ram_budget || !flags.keep_plans))
    return bad_input("--replan needs one RAM budget, and a place where plans are kept");
  if (flags.figures_path && (!flags.plan_only || flags.request.least_ram_budget))
    return bad_input("--figures needs --plan-only, and one RAM budget");
  if (flags.figures_path && !flags.keep_plans)
    return bad_input("--figures needs a place where plans are kept, and none is wanted");
  if (Failure failure = refuse_idle_gains(command, arguments, flags)) return failure;
  settle(command, arguments, flags);
  if (command != "generate-text")  // its tokenizer is the network's
    if (Failure failure = refuse_idle_data_options(arguments, sources_of(flags.request)))
      return failure;
  return refuse_idle_options(arguments, flags.solve.request.training.optimiser,
                             flags.request.learning_rate.shape);
}

}  // namespace poet::cli
