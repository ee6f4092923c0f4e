#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// Commands of which nobody needs more than that they run: command.cc has them in its table, and
// their options come from rows that others share.

int run_solve(const std::vector<std::string>& arguments);

int run_sweep_command(const std::vector<std::string>& arguments);

int run_train(const std::vector<std::string>& arguments);

// 'poet generate-text': what a language model learnt, to look at.
int run_generate_text(const std::vector<std::string>& arguments);

}  // namespace poet::cli
