#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/ask/generate.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// Everything that the flags of `poet generate` set.
struct GenerateFlags {
  GenerateRequest request;
  Output output = Output::Text;
  std::optional<std::string> out_path;
};

std::vector<OptionRow> generate_option_rows(GenerateFlags& flags);

// The kinds of networks, to follow the command's name.
std::vector<std::string> generated_kinds();

int run_generate(const std::vector<std::string>& arguments);

}  // namespace poet::cli
