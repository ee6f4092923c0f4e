#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/train_flags.h"
#include "poet/ask/option_row.h"
#include "poet/base/result.h"
#include "poet/use/worth.h"

namespace poet::cli {

// Everything that the flags of `poet worth` set.
struct WorthFlags {
  TrainFlags train = {};
  WorthRequest request = {};
  std::optional<std::string> gains_path = {};  // that are written
};

std::vector<OptionRow> worth_option_rows(WorthFlags& flags);

// What the words of a command ask, settled and checked.
Result<WorthFlags> read_worth_flags(const std::vector<std::string>& arguments);

int run_worth(const std::vector<std::string>& arguments);

}  // namespace poet::cli
