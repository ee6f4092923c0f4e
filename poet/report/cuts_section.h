#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "poet/parts/cuts.h"

namespace poet {

// How the operations of a step come in parts.
struct CutPicture {
  std::int64_t part_bytes = 0;     // what each needs at most
  std::int64_t operations = 0;     // parts and whole ones together
  bool by_budget = false;          // the size was chosen for the RAM budget
  std::string least_traffic = {};  // what no way of cutting moves less than: a clause; or nothing
  std::shared_ptr<const Cuts> cuts = {};
};

// What was cut, how, and why: a section of a page. Nothing without cuts.
std::string cuts_section(const CutPicture& picture);

}  // namespace poet
