#include "support/operator_cases.h"

#include "support/operator_case_parts.h"

namespace poet::testing {
namespace {

Cases all_cases() {
  Cases cases;
  add_element_cases(cases);
  add_product_cases(cases);
  add_move_cases(cases);
  add_training_cases(cases);
  add_part_cases(cases);
  return cases;
}

}  // namespace

const std::vector<OperatorCase>& operator_cases() {
  static const Cases cases = all_cases();
  return cases;
}

}  // namespace poet::testing
