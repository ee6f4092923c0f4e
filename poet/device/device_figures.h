#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/device/datasheet.h"
#include "poet/device/device.h"

namespace poet {

// A figure as read: sizes are whole numbers, everything else is a double in SI base units.
struct FigureValue {
  double value = 0;
  std::int64_t bytes = 0;  // set for sizes only, where `value` is the same number
};

// What a figure measures, with its units and an example of how to write it.
struct FigureKind {
  std::string_view example;
  Result<FigureValue> (*read)(std::string_view text, const SourcePos& where) = nullptr;
};

enum class FigureNeed { Required, Optional };
enum class FigureLeast { Zero, AboveZero };

// What a file of figures is held against: one number of it.
struct FigureCheck {
  std::string_view section;
  std::string_view key;
  const FigureKind* kind = nullptr;
  FigureNeed need = FigureNeed::Required;
  FigureLeast least = FigureLeast::Zero;
};

// One row per number of a file of figures: parsing, checks and messages come from here.
template <typename T>
struct FigureRowOf : FigureCheck {
  void (*set)(T& target, const FigureValue& quantity) = nullptr;
};

// Of device files, in the order of docs/formats/device.md.
using FigureRow = FigureRowOf<Device>;
const std::vector<FigureRow>& figure_table();

// Of one memory of a device file; the section is its name, and is filled in by who reads it.
const std::vector<FigureRowOf<DeviceMemory>>& memory_figure_table();

// Of data sheets, in the order of docs/formats/datasheet.md.
const std::vector<FigureRowOf<Datasheet>>& datasheet_figure_table();

}  // namespace poet
