#pragma once

#include <string>
#include <vector>

#include "poet/ask/option_row.h"
#include "poet/base/result.h"

namespace poet::cli {

// Reads a command's arguments into what its rows write to, in the rows' order. Of a switch given
// twice the last counts; a value given twice is refused. Returns the arguments that belong to no
// option, or the first thing that is not right. `command` is named in the messages.
Result<std::vector<std::string>> parse_options(const std::string& command,
                                               const std::vector<OptionRow>& rows,
                                               const std::vector<std::string>& arguments);

}  // namespace poet::cli
