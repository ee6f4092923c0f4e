#include "apps/cli/train_flags.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/train_rows.h"
#include "poet/base/atomic_file.h"
#include "poet/text/tokenizer_file.h"
#include "poet/train/checkpoint_place.h"

namespace poet::cli {
namespace {

constexpr const char* kText = "What is written";

void append(std::vector<OptionRow>& rows, std::vector<OptionRow> more) {
  for (OptionRow& row : more) rows.push_back(std::move(row));
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

std::vector<OptionRow> use_rows(TrainFlags& flags) {
  std::vector<OptionRow> rows = shared_rows(flags);
  std::erase_if(rows, [](const OptionRow& row) { return row.names == "--report"; });
  append(rows, with_other_help(data_rows(flags),
                               {{"--examples",
                                 "how many examples are made up where no data are given: the first "
                                 "of those that 'poet train' tries a network on; default 1000"}}));
  append(rows, storage_rows(flags));
  rows.push_back(checkpoint_to_use(flags));
  rows.push_back(non_finite_to_use(flags));
  for (OptionRow& row : step_rows(flags))
    if (row.names == "--seed") rows.push_back(std::move(row));
  return rows;
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
  rows.push_back(progress_file_row(flags));
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
                           {"--start", ""},
                           {"--report", ""}});
  append(rows, data_rows(flags));
  append(rows, augmentation_rows(flags));
  append(rows, gain_rows(flags));
  append(rows, with_other_help({non_finite_to_use(flags)},
                               {{"--allow-non-finite", kAllowPublishedHelp}}));
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
                        {"--allow-non-finite", kAllowPublishedHelp},
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
  std::vector<OptionRow> rows = eval_option_rows(flags);
  rows.push_back(
      {.names = "--out",
       .value = "FILE",
       .group = kCheckpointGroup,
       .help =
           "write the network's outputs there, as NPY or CSV by the ending of the name: .npy, .csv",
       .completes = Completes::Files,
       .read = keep_as_text(flags.out_path)});
  return rows;
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

// Beside each checkpoint (poet/train/checkpoint_place.h), while it trains.
void add_locks(const TrainRequest& request, CommandFiles& files) {
  const auto add = [&files](const std::string& option, const std::optional<std::string>& path) {
    if (!path) return;
    const Result<std::string> target = written_path(*path);
    if (target.ok()) files.makes("the lock of " + option, lock_path(*target));
  };
  add("--checkpoint", request.checkpoint_path);
  add("--best-checkpoint", request.best_checkpoint_path);
}

Failure check_train_targets(const TrainFlags& flags) {
  CommandFiles files;
  add_training_files(flags, files);
  files.writes("--checkpoint", flags.request.checkpoint_path);  // and read, with --resume
  files.writes("--best-checkpoint", flags.request.best_checkpoint_path);
  add_locks(flags.request, files);
  files.reads("--ram-control", flags.request.ram_wishes.control_path);
  files.reads("--figures", flags.figures_path);
  files.writes("--log", flags.log_path);
  files.writes("--report", flags.solve.report_path);
  files.writes("--trace", flags.solve.trace_path);
  if (flags.progress_path) files.makes("--progress", *flags.progress_path);
  return files.check();
}

UseRequest use_request(const TrainFlags& flags) {
  UseRequest use{
      .plan = flags.request.plan,
      .micro_batches = flags.request.micro_batches,
      .data = flags.request.data,
      .checkpoint_path = flags.request.checkpoint_path,
      .loss_of = flags.loss_is_given ? LossOf::Request : LossOf::Checkpoint,
      .storage = flags.request.storage,
      .cache = flags.request.cache,
      .non_finite = flags.request.allows_non_finite ? NonFinite::Taken : NonFinite::Refused};
  const bool made_up = use.data.paths.empty();
  if (made_up && flags.request.test_data) use.data = *flags.request.test_data;
  if (made_up && flags.data_examples) use.data.synthetic_examples = *flags.data_examples;
  return use;
}

}  // namespace poet::cli
