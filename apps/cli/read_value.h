#pragma once

#include <string>
#include <vector>

#include "poet/base/number_text.h"
#include "poet/base/result.h"

namespace poet::cli {

using poet::read_block;
using poet::read_number;
using poet::read_part;
using poet::read_whole;
using poet::Zero;

// "a,b,c": at least one name, none of them empty, none twice.
Result<std::vector<std::string>> read_list(const std::string& text);

}  // namespace poet::cli
