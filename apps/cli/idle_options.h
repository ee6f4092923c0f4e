#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/autodiff/learning_rate.h"
#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/data/open_data.h"

namespace poet::cli {

// Whether an option is among a command's words, whatever its value.
bool is_given(const std::vector<std::string>& arguments, std::string_view name);

// Refuses options that would change nothing of this training: whoever gave them expects otherwise.
Failure refuse_idle_options(const std::vector<std::string>& arguments, Optimiser optimiser,
                            RateShape shape);

// The same of options about texts and tokens, where none of a command's data are such.
Failure refuse_idle_data_options(const std::vector<std::string>& arguments,
                                 const std::vector<DataSource>& sources);

}  // namespace poet::cli
