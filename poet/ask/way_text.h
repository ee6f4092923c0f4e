#pragma once

#include <string>

namespace poet {

// "40%way", in digits that parse_ram_budget() reads back as the same part.
std::string way_text(double ratio);

}  // namespace poet
