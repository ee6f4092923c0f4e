#pragma once

#include <string>
#include <vector>

namespace poet::cli {

int run_train(const std::vector<std::string>& arguments);

}  // namespace poet::cli
