#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace poet {

// Where Linux says what a process may have: other folders are for tests.
struct MemoryFiles {
  std::string proc = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
};

// The least of what the control groups of this process let it have in RAM, those around them
// included, whether the limit ends the process (memory.max, memory.limit_in_bytes) or slows it
// (memory.high, memory.soft_limit_in_bytes); versions 1 and 2, also beside each other. Nothing
// without a limit, and where Linux does not say.
std::optional<std::int64_t> memory_limit_bytes(const MemoryFiles& files = {});

// The percentage of the last 10 s in which some process waited for memory ("some avg10" of Linux's
// pressure stall information): of the process's control group of version 2, or else of the machine.
std::optional<double> memory_pressure_percent(const MemoryFiles& files = {});

}  // namespace poet
