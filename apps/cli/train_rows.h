#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/parse_options.h"
#include "apps/cli/train_flags.h"
#include "poet/ask/option_reads.h"
#include "poet/base/message_text.h"

namespace poet::cli {

// What the commands that train, or use what was trained, have of options, by what they are about.
// Which command has which is said in train_flags.cc.

inline constexpr const char* kDataGroup = "What to learn from";
inline constexpr const char* kStepsGroup = "How long, and how fast";
inline constexpr const char* kCheckpointGroup = "What is kept";

std::vector<OptionRow> data_rows(TrainFlags& flags);
std::vector<OptionRow> test_rows(TrainFlags& flags);
// What 'poet train' does with pictures; boards read them as they are.
std::vector<OptionRow> augmentation_rows(TrainFlags& flags);

std::vector<OptionRow> step_rows(TrainFlags& flags);
std::vector<OptionRow> gain_rows(TrainFlags& flags);
std::vector<OptionRow> trace_rows(TrainFlags& flags);
std::vector<OptionRow> replan_rows(TrainFlags& flags);

std::vector<OptionRow> storage_rows(TrainFlags& flags);
// What 'poet train' has beside the RAM budget of other commands.
std::vector<OptionRow> level_rows(TrainFlags& flags);
// Reads a range of budgets such as "4GiB..256MiB", and anything else by `read_one`.
ReadOption read_budgets(ReadOption read_one, TrainRequest& request);
std::vector<OptionRow> checkpoint_rows(TrainFlags& flags);
// What 'poet train' does with what evaluations say.
std::vector<OptionRow> best_rows(TrainFlags& flags);
OptionRow progress_file_row(TrainFlags& flags);
// Of who uses what 'poet train' wrote.
OptionRow non_finite_to_use(TrainFlags& flags);
// The same option where neither losses nor outputs are told.
inline constexpr const char* kAllowPublishedHelp =
    "go on with published weights that are infinite or not a number; without it they are refused";
OptionRow checkpoint_to_use(TrainFlags& flags);

template <typename Target>
ReadOption keep_whole(std::int64_t least, Target& target) {
  return [least, &target](const std::string& text) {
    return keep_value(read_whole(text, least), target);
  };
}

inline constexpr double kLargestNumber = 1e38;

template <typename Target>
ReadOption keep_number(Zero zero, Target& target) {
  return [zero, &target](const std::string& text) -> Failure {
    const Result<double> number = read_number(text, zero);
    // Most are of 32 bits where they are used.
    if (number.ok() && *number > kLargestNumber)
      return bad_input(in_quotes(text) + " is too large; the largest is 1e38");
    return keep_value(number, target);
  };
}

}  // namespace poet::cli
