#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/ask/option_row.h"
#include "poet/deliver/quantise_weights.h"

namespace poet::cli {

// Everything that the flags of `poet quantise` set.
struct QuantiseFlags {
  QuantiseRequest request;
  std::optional<std::int64_t> bits;
  std::optional<std::string> out_path;
  Output output = Output::Text;
};

std::vector<OptionRow> quantise_option_rows(QuantiseFlags& flags);

int run_quantise(const std::vector<std::string>& arguments);

}  // namespace poet::cli
