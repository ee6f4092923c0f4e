#pragma once

#include <string>
#include <vector>

#include "poet/ask/option_row.h"
#include "poet/base/number_text.h"
#include "poet/base/result.h"

namespace poet::cli {

// Reads a command's arguments into what its rows write to, in the rows' order. Of a switch given
// twice the last counts; a value given twice is refused. Returns the arguments that belong to no
// option, or the first thing that is not right. `command` is named in the messages.
Result<std::vector<std::string>> parse_options(const std::string& command,
                                               const std::vector<OptionRow>& rows,
                                               const std::vector<std::string>& arguments);

using poet::read_block;
using poet::read_number;
using poet::read_part;
using poet::read_whole;
using poet::Zero;

// "a,b,c": at least one name, none of them empty, none twice.
Result<std::vector<std::string>> read_list(const std::string& text);

}  // namespace poet::cli
