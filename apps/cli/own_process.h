#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet::cli {

// Runs this program once more with these arguments and waits for it: what takes much memory for a
// while leaves none of it behind. The child gets the signals that this process holds back, and
// `variables` ("NAME=value") in its environment. Returns its exit code; of one that a signal ended,
// 128 and the signal.
Result<int> run_own_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables = {});

}  // namespace poet::cli
