#pragma once

#include <string_view>

namespace poet::exact {

// Whether a certificate proves in exact arithmetic what it claims and its plan is valid, and of a
// bound, whether the plan lies within `gap` above what is proved. `plan` is empty where the
// certificate carries its problem. Texts that are of neither form prove nothing. For who asks
// nothing else, and needs no exact numbers of his own.
bool holds_exactly(std::string_view plan, std::string_view certificate, double gap);

}  // namespace poet::exact
