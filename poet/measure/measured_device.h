#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/device/device.h"
#include "poet/measure/profile_storage.h"
#include "poet/measure/quartiles.h"

namespace poet {

// A number with the words that say where it comes from.
struct SourcedPower {
  double power_w = 0;
  std::string source = {};
};

// What was measured of a machine, and what is known or assumed.
struct MachineFigures {
  std::string name = {};   // of the device
  std::string title = {};  // one line: which machine
  std::string when = {};   // "on 2026-03-01"
  std::int64_t ram_bytes = 0;
  Quartiles ram_bytes_per_s = {};
  std::int64_t step_flop = 0;  // of what was timed, each operation as often as the step does it
  double step_s = 0;
  std::string step = {};  // "resnet8 with reference kernels"
  StorageProfile storage = {};
  std::string storage_path = {};  // "io_uring, through the page cache"
  SourcedPower compute_power = {};
  SourcedPower storage_power = {};
  std::optional<SourcedPower> idle_power = {};  // left out of the device when it is not known
};

// The device, with a source for each number. Transfers are blocking, which any machine can do.
// Refuses figures that a device file cannot have.
Result<Device> measured_device(const MachineFigures& figures);

}  // namespace poet
