#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poet {

// The name that a misspelt word most likely means: the one with the fewest changed, missing, added
// or swapped letters, upper and lower case alike; the first of several. Nothing when even that is
// too far off to be a slip.
std::optional<std::string_view> closest_name(std::string_view word,
                                             const std::vector<std::string_view>& names);

// "; did you mean 'm4'?", or nothing: to follow an "unknown ... '...'" in a message.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace poet
