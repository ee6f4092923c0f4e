#pragma once

#include <string>
#include <vector>

#include "poet/report/report_input.h"

namespace poet {

// A figure that stands large at the top of the page, with a sentence about it.
struct Card {
  std::string name;
  std::string value;
  std::string more;
};
std::vector<Card> cards_of(const ReportInput& input);

// Everything else worth knowing, with exact values.
struct Fact {
  std::string name;
  std::string value;
};
std::vector<Fact> facts_of(const ReportInput& input);

}  // namespace poet
