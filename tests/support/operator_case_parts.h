#pragma once

#include <utility>
#include <vector>

#include "support/operator_cases.h"

namespace poet::testing {

// The words in which operator cases are written, and the families of which they are collected.

using Cases = std::vector<OperatorCase>;
using Draws = CaseInput (*)(Shape);

inline CaseInput smooth(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}};
}

inline CaseInput positive(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}, .draw = Draw::Positive};
}

inline CaseInput distinct(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}, .draw = Draw::Distinct};
}

inline CaseInput whole(ElementType element, Shape shape, std::int64_t below) {
  return {.type = {element, std::move(shape)}, .draw = Draw::Whole, .below = below};
}

inline CaseInput mask(Shape shape) {
  return whole(ElementType::Bool, std::move(shape), 2);
}

inline CaseInput step() {
  return {.type = step_type(), .draw = Draw::Step};
}

inline CaseInput constant(CaseInput input) {
  input.has_gradient = false;
  return input;
}

void add_element_cases(Cases& cases);   // unary, pairs, comparisons
void add_product_cases(Cases& cases);   // matrices, pictures, norms
void add_move_cases(Cases& cases);      // reductions, moves, casts
void add_training_cases(Cases& cases);  // dropout, losses, updates
void add_part_cases(Cases& cases);      // parts of operations

}  // namespace poet::testing
