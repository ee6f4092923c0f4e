#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
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

// One row per number of a device file, in the order of docs/formats/device.md: parsing, checks and
// messages come from here.
struct FigureRow {
  std::string_view section;
  std::string_view key;
  const FigureKind* kind = nullptr;
  FigureNeed need = FigureNeed::Required;
  FigureLeast least = FigureLeast::Zero;
  void (*set)(Device& device, const FigureValue& quantity) = nullptr;
};
const std::vector<FigureRow>& figure_table();

}  // namespace poet
