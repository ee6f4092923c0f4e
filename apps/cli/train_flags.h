#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/output_files.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/train/next_token.h"
#include "poet/use/train_network.h"
#include "poet/use/use_network.h"

namespace poet::cli {

// Examples of a step where the user does not say.
inline constexpr std::int64_t kTrainBatchSize = 32;

// Everything that the flags of 'poet train', 'eval', 'predict' and 'generate-text' set.
struct TrainFlags {
  SolveFlags solve = {};  // the network, the budget, and how to search for plans
  TrainRequest request = {};
  std::optional<float> learning_rate = {};
  bool loss_is_given = false;
  std::optional<std::int64_t> data_examples = {};  // made up
  std::optional<std::int64_t> test_examples = {};
  std::optional<std::string> cache = {};
  bool keep_plans = true;
  bool plan_only = false;
  std::optional<bool> replans = {};
  std::optional<std::string> figures_path = {};
  std::optional<std::string> log_path = {};
  std::optional<std::string> progress_path = {};
  std::int64_t trace_steps = 3;
  std::optional<std::string> out_path = {};  // of predictions
  std::string prompt = {};                   // of what is written
  std::int64_t most_tokens = 100;
  Sampling sampling = {};
};

std::vector<OptionRow> train_option_rows(TrainFlags& flags);
// Those that a training on a board has, too: it keeps one budget, and writes no page and no trace.
std::vector<OptionRow> board_training_rows(TrainFlags& flags);
std::vector<OptionRow> eval_option_rows(TrainFlags& flags);
// Of 'poet worth': the network and its limits, the data, and where gains come from.
std::vector<OptionRow> worth_training_rows(TrainFlags& flags);
std::vector<OptionRow> predict_option_rows(TrainFlags& flags);
std::vector<OptionRow> generate_text_option_rows(TrainFlags& flags);

// The flags of one of these commands, settled: defaults that depend on others are filled in.
Result<TrainFlags> read_train_flags(const std::string& command,
                                    std::vector<OptionRow> (*rows)(TrainFlags&),
                                    const std::vector<std::string>& arguments);

// What is filled in and refused once a command's rows were read.
Failure settle_train_flags(const std::string& command, const std::vector<std::string>& arguments,
                           TrainFlags& flags);

// The files of the network and of the data that one of these commands reads, and that of its pages.
void add_training_files(const TrainFlags& flags, CommandFiles& files);

// As check_targets() of a search, with all that 'poet train' reads and writes.
Failure check_train_targets(const TrainFlags& flags);

// The request of 'poet eval' and 'poet predict'.
UseRequest use_request(const TrainFlags& flags);

}  // namespace poet::cli
