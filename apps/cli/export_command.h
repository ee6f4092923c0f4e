#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/option_row.h"
#include "apps/cli/train_flags.h"

namespace poet::cli {

struct ExportFlags {
  TrainFlags train = {};  // its out_path is the folder
  std::int64_t stack_bytes = 8 << 10;
};

std::vector<OptionRow> export_option_rows(ExportFlags& flags);

// poet export c
int run_export(const std::vector<std::string>& arguments);

}  // namespace poet::cli
