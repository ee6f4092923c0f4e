#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/device/device.h"

namespace poet {

// One direction of a storage, as its data sheet has it. What is not stated is left to the device
// that a board goes by.
struct DatasheetLink {
  std::optional<double> latency_s = {};
  std::optional<double> rate_bytes_per_s = {};  // > 0
  std::optional<double> current_a = {};         // above idle, during the whole transfer

  bool operator==(const DatasheetLink&) const = default;
};

// What a chip's data sheet says that counted instructions lack: how long they take, and what is
// drawn meanwhile (docs/formats/datasheet.md).
struct Datasheet {
  std::string name;   // "nrf52840"
  std::string title;  // one line for people: which chip, in which configuration
  double clock_hz = 0;
  std::optional<double> cycles_per_instruction = {};
  double supply_v = 0;
  // While the core computes; exactly one of the two, of which the second counts with the clock.
  std::optional<double> active_a = {};
  std::optional<double> active_a_per_hz = {};
  std::optional<double> idle_a = {};
  DatasheetLink read = {};
  DatasheetLink write = {};
  std::vector<DeviceFigure> figures = {};  // every number above with its source

  bool operator==(const Datasheet&) const = default;
};

// At the sheet's clock, idle current included.
double active_a(const Datasheet& sheet);

// Null where the sheet does not state it; `key` as in "core.clock".
const DeviceFigure* find_figure(const Datasheet& sheet, std::string_view key);

// Reads the TOML text of docs/formats/datasheet.md. Refuses what parse_device() refuses, a sheet
// with none or both of the two active currents, and one that draws less while it computes than when
// it is idle.
Result<Datasheet> parse_datasheet(std::string_view text, const std::string& file);

// A data sheet that is part of the program.
struct BuiltinDatasheet {
  std::string_view name;
  std::string_view text;  // TOML
};

// One row per file of poet/device/datasheets/.
const std::vector<BuiltinDatasheet>& builtin_datasheet_table();

// One of these by its name, or the file at a path: whatever contains a '/' or ends in ".toml".
Result<Datasheet> load_datasheet(const std::string& name_or_path);

}  // namespace poet
