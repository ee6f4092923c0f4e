#pragma once

#include <string>

#include "poet/base/json_out.h"
#include "poet/use/worth.h"

namespace poet {

// What is worth training, as text, JSON, and a page with two pictures: the gain against the least
// RAM, and against energy within the budget.
std::string worth_text(const WorthReport& report);
JsonOut worth_to_json(const WorthReport& report);
std::string worth_page(const WorthReport& report);

}  // namespace poet
