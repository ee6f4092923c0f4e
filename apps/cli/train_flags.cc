#include "apps/cli/train_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "apps/cli/environment.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/read_value.h"
#include "apps/cli/search_command.h"
#include "poet/ask/option_reads.h"
#include "poet/base/byte_text.h"
#include "poet/base/names_in.h"
#include "poet/text/tokenizer_file.h"

namespace poet::cli {
namespace {

constexpr const char* kData = "What to learn from";
constexpr const char* kText = "What is written";
constexpr const char* kGains = "What is worth training";
constexpr const char* kSteps = "How long, and how fast";
constexpr const char* kStorage = "Where what does not fit goes";
constexpr const char* kLevels = "RAM that comes and goes";
constexpr const char* kCheckpoint = "What is kept";
constexpr std::int64_t kMadeUpExamples = 10'000;
constexpr std::int64_t kMadeUpTests = 1'000;
// Behind all that anybody trains on, so that what is tried is the same however much was learnt
// from.
constexpr std::int64_t kFirstMadeUpTest = std::int64_t{1} << 40;
constexpr std::int64_t kMostCrop = 1 << 20;
constexpr std::int64_t kMostLevels = 64;  // each wants plans and a search for them
constexpr std::int64_t kBlockOfDisks = 4096;
constexpr std::int64_t kAlignment = 64;
constexpr const char* kPlatform = "laptop";

constexpr Named<IoEngine> kIoEngines[] = {
    {"auto", IoEngine::Auto}, {"uring", IoEngine::Uring}, {"threads", IoEngine::Threads}};

std::vector<std::string> paths_in(const std::string& list) {
  std::vector<std::string> paths;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) paths.push_back(part);
  return paths;
}

// "0.5" or "0.49,0.48,0.45"
Failure read_figures(const std::string& list, Zero zero, std::vector<float>& figures) {
  figures.clear();
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const Result<double> figure = read_number(part, zero);
    if (!figure.ok()) return figure.error();
    figures.push_back(static_cast<float>(*figure));
  }
  return std::nullopt;
}

Failure read_split(const std::string& text, TrainRequest& request) {
  request.split = text == "auto" ? SplitBy::Cost : SplitBy::Request;
  if (request.split == SplitBy::Cost) return std::nullopt;
  return keep_value(read_whole(text, 1), request.micro_batches);
}

template <typename Target>
ReadOption keep_whole(std::int64_t least, Target& target) {
  return [least, &target](const std::string& text) {
    return keep_value(read_whole(text, least), target);
  };
}

template <typename Target>
ReadOption keep_number(Zero zero, Target& target) {
  return [zero, &target](const std::string& text) {
    return keep_value(read_number(text, zero), target);
  };
}

std::vector<OptionRow> data_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--data",
       .value = "PATHS",
       .group = kData,
       .help = "files, several with commas between them (.npz, .npy, .idx, .csv, .txt, .jsonl), or "
               "a folder: "
               "of CIFAR-10 or MNIST, or of pictures in a folder for each class; default: "
               "made-up examples that fit the network",
       .completes = Completes::Files,
       .read =
           [&request](const std::string& text) {
             request.data.paths = paths_in(text);
             return Failure();
           }},
      {.names = "--data-format",
       .value = "FORMAT",
       .group = kData,
       .help = "default: by the names of the files",
       .words = names_in(kDataFormats),
       .only_words = true,
       .read = keep_as_choice(kDataFormats, request.data.format)},
      {.names = "--token-type",
       .value = "TYPE",
       .group = kData,
       .help = "how a raw file of tokens writes them; default uint16",
       .words = {"uint16", "uint32", "int32", "int64"},
       .only_words = true,
       .read = keep_as_choice(kStoredNumbers, request.data.tokens)},
      {.names = "--tokenizer",
       .value = "FILE",
       .group = kData,
       .help =
           "of text (.txt) and of texts in lines of JSON (.jsonl): a byte-level tokenizer.json, "
           "or the folder that has it",
       .completes = Completes::Files,
       .read = keep_as_text(request.data.text.tokenizer)},
      {.names = "--end-token",
       .value = "TEXT",
       .group = kData,
       .help = "the token that ends each text; default: the one that the tokenizer names",
       .read = keep_as_text(request.data.text.end_token)},
      {.names = "--sequences",
       .value = "FORM",
       .group = kData,
       .help = "packed: texts follow each other, cut where a sequence is full; padded: each begins "
               "a sequence of its own, and what is filled up is not learnt; default packed",
       .words = names_in(kSequenceForms),
       .only_words = true,
       .read = keep_as_choice(kSequenceForms, request.data.text.form)},
      {.names = "--pixel-mean",
       .value = "X,...",
       .group = kData,
       .help = "taken from pixels of 0 to 1, for all channels or each; default 0",
       .read =
           [&request](const std::string& text) {
             return read_figures(text, Zero::Allowed, request.data.scale.mean);
           }},
      {.names = "--pixel-deviation",
       .value = "X,...",
       .group = kData,
       .help = "that they are divided by then; default 1",
       .read =
           [&request](const std::string& text) {
             return read_figures(text, Zero::Refused, request.data.scale.deviation);
           }},
      {.names = "--largest-unpacked",
       .value = "SIZE",
       .group = kData,
       .help = "packed arrays of data (.gz, compressed NPZ) are unpacked into the storage folder "
               "up to this size each; default 16GiB",
       .read =
           [&request](const std::string& text) {
             return keep_value(parse_bytes(text), request.data.unpack.largest_bytes);
           }},
      {.names = "--examples",
       .value = "N",
       .group = kData,
       .help = "how many examples are made up where no data are given; default 10000",
       .read = keep_whole(1, flags.data_examples)},
  };
}

std::vector<OptionRow> test_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--test-data",
       .value = "PATHS",
       .group = kData,
       .help = "data to try the network on; default: the test files of a folder, or other "
               "made-up examples",
       .completes = Completes::Files,
       .read =
           [&request](const std::string& text) {
             request.test_data.emplace().paths = paths_in(text);
             return Failure();
           }},
      {.names = "--test-examples",
       .value = "N",
       .group = kData,
       .help = "how many of those are made up, 0 for none; default: as many as the steps see, 1000 "
               "at most",
       .read = keep_whole(0, flags.test_examples)},
      {.names = "--held-out",
       .value = "PART",
       .group = kData,
       .help = "in place of test data, this part of the data, at their end: 0.1 or 10%",
       .read =
           [&request](const std::string& text) {
             return keep_value(read_part(text), request.held_out_ratio);
           }},
  };
}

std::vector<OptionRow> step_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  LearningRate& rate = request.learning_rate;
  UpdateAttributes& update = flags.solve.request.training.constants;
  return {
      {.names = "--steps",
       .value = "N",
       .group = kSteps,
       .help =
           "how many steps to take in all; default: as many as --epochs have. Planning does not "
           "search for what saves less than 0.1 s of them all",
       .read = keep_whole(1, request.steps)},
      {.names = "--epochs",
       .value = "X",
       .group = kSteps,
       .help = "how often to see every example; default 1",
       .read = keep_number(Zero::Refused, request.epochs)},
      {.names = "--micro-batches",
       .value = "N|auto",
       .group = kSteps,
       .help =
           "split the batch of a step into so many parts, whose gradients are summed; auto: into "
           "as many as cost least within the budget; default 1",
       .read = [&request](const std::string& text) { return read_split(text, request); }},
      {.names = "--learning-rate",
       .value = "X",
       .group = kSteps,
       .help = "the highest; default 0.05 for sgd, 0.02 with momentum, 0.001 for adam and adamw",
       .read = keep_number(Zero::Allowed, flags.learning_rate)},
      {.names = "--schedule",
       .value = "SHAPE",
       .group = kSteps,
       .help = "how the learning rate goes on from there; default constant",
       .words = names_in(kRateShapes),
       .only_words = true,
       .read = keep_as_choice(kRateShapes, rate.shape)},
      {.names = "--warm-up-steps",
       .value = "N",
       .group = kSteps,
       .help = "steps over which it rises first; default 0",
       .read = keep_whole(0, rate.warm_up_steps)},
      {.names = "--last-rate-ratio",
       .value = "X",
       .group = kSteps,
       .help = "what is left of it at the last step of cosine and linear; default 0",
       .read = keep_number(Zero::Allowed, rate.last_ratio)},
      {.names = "--rate-every",
       .value = "N",
       .group = kSteps,
       .help = "of the schedule step: after how many steps it falls; default 1",
       .read = keep_whole(1, rate.every_steps)},
      {.names = "--rate-factor",
       .value = "X",
       .group = kSteps,
       .help = "of the schedule step: what it is multiplied by then; default 0.1",
       .read = keep_number(Zero::Allowed, rate.factor)},
      {.names = "--momentum",
       .value = "X",
       .group = kSteps,
       .help = "of momentum and nesterov; default 0.9",
       .read = keep_number(Zero::Allowed, update.momentum)},
      {.names = "--weight-decay",
       .value = "X",
       .group = kSteps,
       .help = "default 0",
       .read = keep_number(Zero::Allowed, update.weight_decay)},
      {.names = "--seed",
       .value = "N",
       .group = kSteps,
       .help = "of initial values, the order of examples, dropouts and made-up data; default 1",
       .read = keep_whole(0, request.seed)},
  };
}

std::vector<OptionRow> storage_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--storage",
       .value = "PATH",
       .group = kStorage,
       .help =
           "a folder for a file that goes with the program, or the path of a new file; default: "
           "this folder",
       .completes = Completes::Files,
       .read = keep_as_text(request.storage.path)},
      {.names = "--direct-io,--no-direct-io",
       .group = kStorage,
       .help = "read and write past the system's cache, so that it holds nothing of the pages",
       .read = keep_as_switch(request.storage.direct)},
      {.names = "--checksums,--no-checksums",
       .group = kStorage,
       .help = "check what is read against what was written",
       .read = keep_as_switch(request.storage.checksums)},
      {.names = "--io-engine",
       .value = "NAME",
       .group = kStorage,
       .help = "who moves the bytes; default auto: io_uring where the system has it",
       .words = names_in(kIoEngines),
       .only_words = true,
       .read = keep_as_choice(kIoEngines, request.storage.engine)},
      {.names = "--cache",
       .value = "FOLDER",
       .group = kStorage,
       .help = "where plans are kept, so that the same question is answered at once; default: "
               "poet/plans in the user's cache",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.cache)},
      {.names = "--keep-plans,--no-keep-plans",
       .group = kStorage,
       .help = "default on; without it planning happens in the memory of this program",
       .read = keep_as_switch(flags.keep_plans)},
  };
}

// "flip,crop:4"
Failure read_augmentation(const std::string& list, Augmentation& augmentation) {
  constexpr std::string_view kCrop = "crop:";
  augmentation = {};
  for (const std::string& one : paths_in(list)) {
    if (one == "flip") {
      augmentation.flips = true;
    } else if (one.starts_with(kCrop)) {
      if (Failure failure = keep_value(read_whole(one.substr(kCrop.size()), 1, kMostCrop),
                                       augmentation.crop_pixels))
        return failure;
    } else {
      return bad_input(fmt::format("expected flip or crop:PIXELS, found '{}'", one));
    }
  }
  return std::nullopt;
}

// What 'poet train' does with pictures; boards read them as they are.
std::vector<OptionRow> augmentation_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {{.names = "--augment",
           .value = "LIST",
           .group = kData,
           .help = "change pictures each time they are learnt from, by --seed: flip turns half of "
                   "them around, left and right; crop:PIXELS moves them by up to so many each way",
           .read = [&request](const std::string& text) {
             return read_augmentation(text, request.augmentation);
           }}};
}

// What 'poet train' does with what evaluations say.
std::vector<OptionRow> best_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--best-checkpoint",
       .value = "FILE",
       .group = kCheckpoint,
       .help = "keep a checkpoint of the step with the lowest loss on the test data, of those that "
               "--evaluate-every names",
       .completes = Completes::Files,
       .read = keep_as_text(request.best_checkpoint_path)},
      {.names = "--stop-after-no-better",
       .value = "N",
       .group = kCheckpoint,
       .help = "end when N evaluations in a row have no lower loss than the best before",
       .read = keep_whole(1, request.most_no_better)},
  };
}

std::vector<OptionRow> checkpoint_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--checkpoint",
       .value = "FILE",
       .group = kCheckpoint,
       .help = "save the trained network there, at the end and when interrupted, with all that is "
               "needed to "
               "go on",
       .completes = Completes::Files,
       .read = keep_as_text(request.checkpoint_path)},
      {.names = "--checkpoint-every",
       .value = "N",
       .group = kCheckpoint,
       .help = "and every so many steps",
       .read = keep_whole(1, request.checkpoint_every)},
      {.names = "--resume,--no-resume",
       .group = kCheckpoint,
       .help = "go on from the checkpoint when it is there, to the same bits",
       .read = keep_as_switch(request.resume)},
      {.names = "--overwrite-checkpoint",
       .group = kCheckpoint,
       .help = "begin anew where a checkpoint is, and replace it; without it that is refused",
       .read = keep_as_switch(request.overwrites_checkpoint)},
      {.names = "--allow-non-finite",
       .group = kCheckpoint,
       .help = "go on and save when a loss or a weight is infinite or not a number; without it "
               "training ends there, and the last checkpoint stays",
       .read = keep_as_switch(request.allows_non_finite)},
      {.names = "--evaluate-every",
       .value = "N",
       .group = kCheckpoint,
       .help = "try the network on the test data every so many steps; default: at the end",
       .read = keep_whole(1, request.evaluate_every)},
      {.names = "--log",
       .value = "FILE",
       .group = kCheckpoint,
       .help = "write a line of JSON for every step and evaluation",
       .completes = Completes::Files,
       .read = keep_as_text(flags.log_path)},
      {.names = "--plan-only",
       .group = kCheckpoint,
       .help = "plan, keep the plans, and do not train",
       .read = keep_as_switch(flags.plan_only)},
  };
}

// "4GiB..256MiB" is a range, and anything else what it is elsewhere.
ReadOption read_budgets(ReadOption read_one, TrainRequest& request) {
  return [read_one = std::move(read_one), &request](const std::string& text) -> Failure {
    constexpr std::string_view kTo = "..";
    const std::size_t to = text.find(kTo);
    if (to == std::string::npos) {
      request.least_ram_budget.reset();
      return read_one(text);
    }
    const Result<RamBudget> least = parse_ram_budget(text.substr(to + kTo.size()));
    if (!least.ok()) return least.error();
    request.least_ram_budget = *least;
    return read_one(text.substr(0, to));
  };
}

// What 'poet train' has beside the RAM budget of other commands.
std::vector<OptionRow> level_rows(TrainFlags& flags) {
  TrainRequest& request = flags.request;
  return {
      {.names = "--ram-levels",
       .value = "N",
       .group = kLevels,
       .help = "how many RAM budgets there are in a range such as --ram-budget 4GiB..256MiB; each "
               "gets its plans before the first step, and the numbers are the same in all; default "
               "4",
       .read =
           [&request](const std::string& text) {
             return keep_value(read_whole(text, 2, kMostLevels), request.ram_levels);
           }},
      {.names = "--ram-control",
       .value = "FILE",
       .group = kLevels,
       .help =
           "a file that may hold a size such as 512MiB, looked at between steps: training goes "
           "on in the largest of the budgets that is no more; SIGUSR1 asks for the next smaller "
           "one, SIGUSR2 for the next larger",
       .completes = Completes::Files,
       .read = keep_as_text(request.ram_wishes.control_path)},
      {.names = "--ram-pressure",
       .value = "PERCENT",
       .group = kLevels,
       .help = "the next smaller budget where Linux's memory pressure (PSI, 'some' of the last 10 "
               "s) comes to so much; default: pressure is not looked at",
       .read = [&request](const std::string& text) -> Failure {
         if (Failure failure =
                 keep_value(read_number(text, Zero::Refused), request.ram_wishes.pressure_percent))
           return failure;
         if (*request.ram_wishes.pressure_percent <= 100) return std::nullopt;
         return bad_input(fmt::format("expected at most 100, found '{}'", text));
       }},
      {.names = "--follow-memory-limits,--no-follow-memory-limits",
       .group = kLevels,
       .help = "default on: where a control group lets the process have less, a smaller budget",
       .read = keep_as_switch(request.ram_wishes.follows_limits)},
  };
}

// Of 'poet solve': the network, its limits, and the search.
std::vector<OptionRow> shared_rows(TrainFlags& flags) {
  return with_other_help(search_option_rows(QuestionAsker::Train, flags.solve),
                         {
                             {"--platform",
                              "the device whose times and energies are planned with: a name that "
                              "'poet devices' lists, "
                              "or a TOML file, such as 'poet profile' measures; default laptop"},
                             {"--batch-size", "examples per step; default 32"},
                             {"--out", ""},
                             {"--certificate", ""},
                             {"--report",
                              "write a page about the training, as HTML: what was predicted and "
                              "measured, operation by operation"},
                             {"--plot-directory", ""},
                             {"--print-graph-info", ""},
                             {"--print-power-costs", ""},
                         });
}

std::vector<OptionRow> gain_rows(TrainFlags& flags) {
  GainSource& gains = flags.request.gains;
  return {
      {.names = "--gains",
       .value = "FILE",
       .group = kGains,
       .help = "what training each layer or parameter is worth, as JSON, such as 'poet worth "
               "--out-gains' writes it; default: measured, as the squared norm of its gradient",
       .completes = Completes::Files,
       .read = keep_as_text(gains.path)},
      {.names = "--gain-batches",
       .value = "N",
       .group = kGains,
       .help = "of the data, that gradients are measured on; default 4",
       .read = keep_whole(1, gains.batches)},
  };
}

void append(std::vector<OptionRow>& rows, std::vector<OptionRow> more) {
  for (OptionRow& row : more) rows.push_back(std::move(row));
}

std::vector<OptionRow> trace_rows(TrainFlags& flags) {
  OptionRow file = trace_row(flags.solve);
  file.help =
      "write when each action of the first steps began and ended, and the RAM in use, as measured "
      "and as predicted, as a trace that Perfetto or about:tracing of Chromium shows";
  return {std::move(file),
          {.names = "--trace-steps",
           .value = "N",
           .group = kSteps,
           .help = "of how many of the run's first steps; default 3",
           .read = keep_whole(1, flags.trace_steps)}};
}

std::vector<OptionRow> replan_rows(TrainFlags& flags) {
  return {
      {.names = "--replan,--no-replan",
       .group = kSteps,
       .help = "where the first steps take other times than the plan was made with, and a better "
               "plan may be worth more than making it, plan again in a process beside the training "
               "and change over between two steps, to the same numbers; default: where no --costs "
               "say what operations take on this machine",
       .read =
           [&flags](const std::string& text) {
             flags.replans = text == "true";
             return Failure();
           }},
      {.names = "--figures",
       .value = "FILE",
       .group = kSteps,
       .help = "with --plan-only: plan with the times in FILE, as a training that plans again "
               "writes them for the process beside it, and print what a step costs with the "
               "plan in use and with the new one",
       .completes = Completes::Files,
       .read = keep_as_text(flags.figures_path)}};
}

OptionRow checkpoint_to_use(TrainFlags& flags) {
  return {.names = "--checkpoint",
          .value = "FILE",
          .group = kCheckpoint,
          .help = "what 'poet train' wrote; default: the network's initial values",
          .completes = Completes::Files,
          .read = keep_as_text(flags.request.checkpoint_path)};
}

std::vector<OptionRow> use_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = shared_rows(flags);
  std::erase_if(rows, [](const OptionRow& row) { return row.names == "--report"; });
  append(rows, with_other_help(data_rows(flags),
                               {{"--examples",
                                 "how many examples are made up where no data are given: the first "
                                 "of those that 'poet train' tries a network on; default 1000"}}));
  append(rows, storage_rows(flags));
  rows.push_back(checkpoint_to_use(flags));
  for (OptionRow& row : step_rows(flags))
    if (row.names == "--seed") rows.push_back(std::move(row));
  return rows;
}

float default_rate(Optimiser optimiser) {
  switch (optimiser) {
    case Optimiser::Sgd:
      return 0.05F;
    case Optimiser::Momentum:
    case Optimiser::Nesterov:
      return 0.02F;
    case Optimiser::Adam:
    case Optimiser::AdamW:
      return 0.001F;
  }
  return 0;
}

std::optional<std::string> plan_folder(const TrainFlags& flags) {
  if (!flags.keep_plans) return std::nullopt;
  if (flags.cache) return flags.cache;
  const std::string cache = environment_variable("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/poet/plans";
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

void settle(const std::string& command, const std::vector<std::string>& arguments,
            TrainFlags& flags) {
  PlanRequest& plan = flags.solve.request;
  TrainRequest& request = flags.request;
  if (plan.platform.empty()) plan.platform = kPlatform;
  plan.graph = GraphKind::Real;  // nothing else can be trained
  plan.command = command_line(command, arguments);
  plan.solve.library_directories = library_directories();
  plan.network.seed = request.seed;
  plan.alignment_bytes = request.storage.direct ? kBlockOfDisks : kAlignment;
  if (request.storage.path.empty()) request.storage.path = ".";
  if (!flags.learning_rate) flags.learning_rate = default_rate(plan.training.optimiser);
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

std::vector<OptionRow> board_training_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(shared_rows(flags), {{"--report", ""}});
  for (auto* const part : {data_rows, test_rows, step_rows, storage_rows, checkpoint_rows})
    append(rows, part(flags));
  return rows;
}

std::vector<OptionRow> train_option_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = shared_rows(flags);
  for (OptionRow& row : rows) {
    if (row.names != "--ram-budget") continue;
    row.help +=
        "; a range such as 4GiB..256MiB moves between budgets while it trains; of several ranks "
        "each has its own plain peak";
    row.read = read_budgets(std::move(row.read), flags.request);
  }
  for (OptionRow& row : rows)
    if (row.names == "--train") {
      row.help +=
          "; auto: what is worth most of that which can be trained in the RAM budget, as 'poet "
          "worth' finds it";
      row.words.insert(row.words.begin() + 1, "auto");
    }
  for (auto* const part : {data_rows, augmentation_rows, test_rows, step_rows, gain_rows,
                           level_rows, storage_rows, checkpoint_rows, best_rows})
    append(rows, part(flags));
  append(rows, trace_rows(flags));
  append(rows, replan_rows(flags));
  return rows;
}

std::vector<OptionRow> eval_option_rows(TrainFlags& flags) {
  return use_rows(flags);
}

std::vector<OptionRow> worth_training_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(
      shared_rows(flags), {{"--ram-budget",
                            "within which a step must be: 737719, 720KiB, 3MB; "
                            "default: the device's RAM"},
                           {"--runtime-budget", "that a step may take: 200ms, 3s; default: any"},
                           {"--time-limit-s", "of each search; default 5"},
                           {"--train", ""},
                           {"--adapter", ""},
                           {"--start", ""},
                           {"--report", ""}});
  append(rows, data_rows(flags));
  append(rows, augmentation_rows(flags));
  append(rows, gain_rows(flags));
  for (OptionRow& row : step_rows(flags))
    if (row.names == "--seed") rows.push_back(std::move(row));
  return rows;
}

// A batch is one text, and no data are read.
std::vector<OptionRow> generate_text_option_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = with_other_help(
      use_rows(flags), {{"--batch-size", ""},
                        {"--tokenizer",
                         "of the network: a byte-level tokenizer.json, or the folder "
                         "that has it"},
                        {"--end-token",
                         "the token that ends a text, and the writing; default: the "
                         "one that the tokenizer names"},
                        {"--seed", "of initial values, and of what is drawn; default 1"}});
  for (const OptionRow& row : data_rows(flags))
    if (row.names != "--tokenizer" && row.names != "--end-token")
      std::erase_if(rows, [&row](const OptionRow& one) { return one.names == row.names; });
  Sampling& sampling = flags.sampling;
  append(
      rows,
      {{.names = "--prompt",
        .value = "TEXT",
        .group = kText,
        .help = "what to go on with; default: a text of its own",
        .may_be_empty = true,
        .read = keep_as_text(flags.prompt)},
       {.names = "--max-tokens",
        .value = "N",
        .group = kText,
        .help = "how many tokens to write at the most; default 100",
        .read = keep_whole(1, flags.most_tokens)},
       {.names = "--temperature",
        .value = "X",
        .group = kText,
        .help = "draw each token by the softmax of its score divided by X; default: the likeliest "
                "token, and 1 with one of the next two",
        .read = keep_number(Zero::Refused, sampling.temperature)},
       {.names = "--top-k",
        .value = "N",
        .group = kText,
        .help = "draw among the N likeliest",
        .read = keep_whole(1, sampling.most_tokens)},
       {.names = "--top-p",
        .value = "PART",
        .group = kText,
        .help = "draw among the likeliest that together have this part of the probability: 0.9 "
                "or 90%",
        .read = [&sampling](const std::string& text) {
          if (text == "1" || text == "1.0" || text == "100%") {  // all of them
            sampling.probability = 1;
            return Failure();
          }
          return keep_value(read_part(text), sampling.probability);
        }}});
  return rows;
}

std::vector<OptionRow> predict_option_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = use_rows(flags);
  rows.push_back(
      {.names = "--out",
       .value = "FILE",
       .group = kCheckpoint,
       .help =
           "write the network's outputs there, as NPY or CSV by the ending of the name: .npy, .csv",
       .completes = Completes::Files,
       .read = keep_as_text(flags.out_path)});
  return rows;
}

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
  if ((flags.request.resume || flags.request.checkpoint_every > 0) &&
      !flags.request.checkpoint_path)
    return bad_input("--resume and --checkpoint-every need --checkpoint FILE");
  if (flags.replans.value_or(false) && (flags.request.least_ram_budget || !flags.keep_plans))
    return bad_input("--replan needs one RAM budget, and a place where plans are kept");
  if (flags.figures_path && (!flags.plan_only || flags.request.least_ram_budget))
    return bad_input("--figures needs --plan-only, and one RAM budget");
  if (flags.figures_path && !flags.keep_plans)
    return bad_input("--figures needs a place where plans are kept, and none is wanted");
  settle(command, arguments, flags);
  return std::nullopt;
}

Result<TrainFlags> read_train_flags(const std::string& command,
                                    std::vector<OptionRow> (*rows)(TrainFlags&),
                                    const std::vector<std::string>& arguments) {
  TrainFlags flags;
  flags.solve.request.batch_size = kTrainBatchSize;
  const Result<std::vector<std::string>> rest = parse_options(command, rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet {} takes only options, found '{}'", command, rest->front()));
  if (Failure failure = settle_train_flags(command, arguments, flags)) return *failure;
  return flags;
}

void add_training_files(const TrainFlags& flags, CommandFiles& files) {
  const TrainRequest& request = flags.request;
  add_what_is_read(flags.solve, files);
  files.reads("--gains", request.gains.path);
  files.reads("--data", files_of(request.data));
  if (!request.data.text.tokenizer.empty())
    files.reads("--tokenizer", tokenizer_path(request.data.text.tokenizer));
  if (request.test_data) {
    // Where there is no --test-data, those of the folder of --data.
    const bool of_data = request.test_data->paths == request.data.paths;
    files.reads(of_data ? "--data" : "--test-data", files_of(*request.test_data));
  }
  std::error_code ignored;
  const std::string& storage = request.storage.path;
  if (!storage.empty() && !std::filesystem::is_directory(storage, ignored))
    files.makes("--storage", storage);
}

UseRequest use_request(const TrainFlags& flags) {
  UseRequest use{.plan = flags.request.plan,
                 .micro_batches = flags.request.micro_batches,
                 .data = flags.request.data,
                 .checkpoint_path = flags.request.checkpoint_path,
                 .storage = flags.request.storage,
                 .cache = flags.request.cache};
  const bool made_up = use.data.paths.empty();
  if (made_up && flags.request.test_data) use.data = *flags.request.test_data;
  if (made_up && flags.data_examples) use.data.synthetic_examples = *flags.data_examples;
  return use;
}

}  // namespace poet::cli
