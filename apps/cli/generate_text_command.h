#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// 'poet generate-text': what a language model learnt, to look at.
int run_generate_text(const std::vector<std::string>& arguments);

}  // namespace poet::cli
