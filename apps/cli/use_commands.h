#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// 'poet eval' and 'poet predict': what was trained, at work.
int run_eval(const std::vector<std::string>& arguments);
int run_predict(const std::vector<std::string>& arguments);

}  // namespace poet::cli
