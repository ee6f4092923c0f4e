#include <fmt/core.h>

#include "poet/cost/cost_table.h"

namespace poet {

std::string to_text(const CostSource& source) {
  if (source.kernels.empty()) return "formulas";
  std::string text = fmt::format("measured with {} kernels", source.kernels);
  if (source.from_formulas == 0) return text;
  return text + fmt::format(", {} of {} operations by formula", source.from_formulas,
                            source.from_formulas + source.from_measurements);
}

}  // namespace poet
