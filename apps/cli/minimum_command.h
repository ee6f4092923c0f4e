#pragma once

#include <string>
#include <vector>

namespace poet::cli {

int run_minimum(const std::vector<std::string>& arguments);

}  // namespace poet::cli
