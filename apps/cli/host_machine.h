#pragma once

#include <stop_token>

#include "poet/profile/profile.h"

namespace poet::cli {

// This machine: its processor and RAM as the operating system tells them, and today's date.
Machine host_machine();

// Seconds that the calling thread has computed so far.
double computed_s();

// Lets it rest for so many seconds, or until a stop is requested.
void rest_for(double seconds, const std::stop_token& token);

// Where Linux shows its energy counters.
inline constexpr const char* kEnergyFolder = "/sys/class/powercap";

}  // namespace poet::cli
