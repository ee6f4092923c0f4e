#pragma once

#include <cstdint>
#include <string>

#include "poet/base/message_text.h"

namespace poet {

// Quantities as people read them: four significant digits and the unit that keeps the number
// between 1 and 1,000 (bytes: 1,024). Exact values stand beside them in the page's tables.
std::string size_figure(std::int64_t bytes);  // "720.4 KiB"
std::string energy_figure(double joules);     // "550.9 mJ"
std::string time_figure(double seconds);      // "12.34 ms", "3 min 20 s"
std::string percent_figure(
    double ratio);  // 0.0083 is "0.83 %"; "under 0.01 %" for what would read 0, and "over 99.99 %"
std::string loss_figure(double loss);  // "2.3026"; of a training that went astray "4.81e+30"
std::string count_figure(std::int64_t count);  // "2,465,832"

// At most `decimals` decimals, no trailing zeros, never "-0".
std::string short_number(double value, int decimals);

}  // namespace poet
