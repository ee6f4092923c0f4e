#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/measure/power_rows.h"
#include "poet/profile/profile.h"

namespace poet {

inline constexpr Named<LogAlignment> kLogAlignments[] = {{"pins", LogAlignment::Pins},
                                                         {"durations", LogAlignment::Durations}};

// A log of what a board drew while it trained, and the project that it ran.
struct PowerLogRequest {
  std::string log_path = {};
  std::string project_folder = {};
  LogAlignment how = LogAlignment::Pins;
  AlignOptions align = {};
  // The device whose storage is expected, and that a new one is made after; none: the project's.
  std::optional<std::string> platform = {};
  std::optional<std::string> costs_path = {};  // by counted instructions: what is expected
  std::string date = {};                       // "2026-03-01"
  std::string device_name = {};                // empty: costs alone
};

// Fits joules and seconds of the project's operations, and of each byte that it moves, to the log.
// The report's costs have those operations that the log tells apart. Refuses what
// read_announced_project(), the readers of costs and devices and the alignments refuse, and an
// alignment by durations that are not known.
Result<ProfileReport> profile_power_log(const PowerLogRequest& request);

}  // namespace poet
