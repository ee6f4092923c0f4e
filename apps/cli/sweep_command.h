#pragma once

#include <string>
#include <vector>

namespace poet::cli {

int run_sweep_command(const std::vector<std::string>& arguments);

}  // namespace poet::cli
