#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/ask/option_row.h"
#include "poet/ask/pack_file.h"

namespace poet::cli {

// Everything that the flags of `poet pack` set.
struct PackFlags {
  PackRequest request;
  Output output = Output::Text;
  std::optional<std::string> out_path;
  double time_limit_s = 60;
  bool quiet = false;
};

std::vector<OptionRow> pack_option_rows(PackFlags& flags);

int run_pack(const std::vector<std::string>& arguments);

}  // namespace poet::cli
