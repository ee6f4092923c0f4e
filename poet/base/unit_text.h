#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// A unit as users write it, and what one of it is in the SI base unit: {"ms", 1e-3}.
struct Unit {
  std::string_view name;
  double in_base_units = 1;
};

// Reads "4616.51 kB/s" in the base unit: a decimal number of at least 0 and, after an optional
// space, one of `units`, which must be there. Refuses everything else; `where` is the position of
// text[0].
Result<double> parse_quantity(std::string_view text, const std::vector<Unit>& units,
                              const SourcePos& where = {});

// The names of the units, for messages: "ns, us or ms".
std::string unit_names(const std::vector<Unit>& units);

// "unknown unit 'kB'; did you mean 'KB'?" where only the case is wrong, or else with all names.
std::string unknown_unit(std::string_view unit, const std::vector<std::string_view>& names);

// `where`, `offset` characters further on: the place of a piece of a one-line text.
SourcePos shifted(const SourcePos& where, std::size_t offset);

}  // namespace poet
