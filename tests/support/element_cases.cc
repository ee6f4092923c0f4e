#include <algorithm>
#include <string>
#include <utility>

#include "poet/graph/operators/families.h"
#include "support/operator_case_parts.h"

namespace poet::testing {
namespace {

void add_unary(Cases& cases) {
  const Shape shape{3, 5};
  cases.insert(
      cases.end(),
      {{"relu", Operator::Relu, {}, {distinct(shape)}},
       {"leaky relu", Operator::LeakyRelu, ScalarAttributes{.alpha = 0.125F}, {distinct(shape)}},
       {"clip", Operator::Clip, ScalarAttributes{.alpha = -0.5F, .beta = 0.75F}, {distinct(shape)}},
       {"sigmoid", Operator::Sigmoid, {}, {smooth(shape)}},
       {"tanh", Operator::Tanh, {}, {smooth(shape)}},
       {"gelu by erf", Operator::GeluErf, {}, {smooth(shape)}},
       {"gelu by tanh", Operator::GeluTanh, {}, {smooth(shape)}},
       {"erf", Operator::Erf, {}, {smooth(shape)}},
       {"exp", Operator::Exp, {}, {smooth(shape)}},
       {"log", Operator::Log, {}, {positive(shape)}},
       {"sqrt", Operator::Sqrt, {}, {positive(shape)}},
       {"reciprocal", Operator::Reciprocal, {}, {positive(shape)}},
       {"neg", Operator::Neg, {}, {smooth(shape)}},
       {"abs", Operator::Abs, {}, {distinct(shape)}},
       {"sin", Operator::Sin, {}, {smooth(shape)}},
       {"cos", Operator::Cos, {}, {smooth(shape)}},
       {"softplus", Operator::Softplus, {}, {smooth(shape)}},
       {"elu", Operator::Elu, ScalarAttributes{.alpha = 0.75F}, {distinct(shape)}},
       {"hard sigmoid",
        Operator::HardSigmoid,
        ScalarAttributes{.alpha = 0.5F, .beta = 0.5F},
        {distinct(shape)}},
       {"hard swish",
        Operator::HardSwish,
        ScalarAttributes{.alpha = 0.5F, .beta = 0.5F},
        {distinct(shape)}},
       {"silu", Operator::Silu, {}, {smooth(shape)}},
       {"round", Operator::Round, {}, {distinct(shape)}},
       {"floor", Operator::Floor, {}, {distinct(shape)}},
       {"ceil", Operator::Ceil, {}, {distinct(shape)}},
       {"sign", Operator::Sign, {}, {distinct(shape)}}});
  // Whatever else has a row, and neither constants nor bends where values are drawn.
  for (const OperatorEntry& row : unary_operators()) {
    const bool has_case = std::any_of(cases.begin(), cases.end(),
                                      [&](const OperatorCase& one) { return one.kind == row.id; });
    if (row.gradient.value() == nullptr || has_case) continue;
    const bool is_positive = row.domain->sign == InputDomain::Sign::Positive;
    cases.push_back(
        {std::string(row.name), row.id, {}, {is_positive ? positive(shape) : distinct(shape)}});
  }
}

// Shapes of two operands, which are broadcast in every manner.
const std::vector<std::pair<Shape, Shape>> kPairs{{{2, 3}, {2, 3}},    {{2, 3}, {3}},
                                                  {{}, {2, 3}},        {{2, 1, 3}, {4, 1}},
                                                  {{2, 3, 1}, {3, 2}}, {{1}, {}}};

void add_pairs(Cases& cases, const std::string& name, Operator kind, Draws first, Draws second) {
  for (const auto& [a, b] : kPairs)
    cases.push_back({name + " " + to_text(a) + " " + to_text(b), kind, {}, {first(a), second(b)}});
}

void add_broadcast(Cases& cases) {
  add_pairs(cases, "add", Operator::Add, smooth, smooth);
  add_pairs(cases, "sub", Operator::Sub, smooth, smooth);
  add_pairs(cases, "mul", Operator::Mul, smooth, smooth);
  add_pairs(cases, "div", Operator::Div, smooth, positive);
  add_pairs(cases, "pow", Operator::Pow, positive, smooth);
  for (const auto& [name, kind] : {std::pair<std::string, Operator>{"add", Operator::Add},
                                   {"sub", Operator::Sub},
                                   {"mul", Operator::Mul}})
    cases.push_back({name + " of int64",
                     kind,
                     {},
                     {whole(ElementType::Int64, {3, 4}, 9), whole(ElementType::Int64, {4}, 9)}});
  add_pairs(cases, "max", Operator::Max, distinct, distinct);
  add_pairs(cases, "min", Operator::Min, distinct, distinct);
}

void add_comparisons(Cases& cases) {
  for (const auto& [name, kind] : {std::pair<std::string, Operator>{"equal", Operator::Equal},
                                   {"less", Operator::Less},
                                   {"less or equal", Operator::LessOrEqual},
                                   {"greater", Operator::Greater},
                                   {"greater or equal", Operator::GreaterOrEqual}}) {
    cases.push_back({name, kind, {}, {smooth({2, 1, 3}), smooth({4, 1})}});
    cases.push_back({name + " of int64",
                     kind,
                     {},
                     {whole(ElementType::Int64, {2, 3}, 3), whole(ElementType::Int64, {3}, 3)}});
  }
  cases.insert(cases.end(),
               {{"not", Operator::Not, {}, {mask({2, 3})}},
                {"and", Operator::And, {}, {mask({2, 1, 3}), mask({4, 1})}},
                {"or", Operator::Or, {}, {mask({2, 3}), mask({})}},
                {"where", Operator::Where, {}, {mask({2, 3}), smooth({2, 3}), smooth({2, 3})}},
                {"where, all broadcast",
                 Operator::Where,
                 {},
                 {mask({2, 1, 1}), smooth({3, 1}), smooth({})}}});
}

}  // namespace

void add_element_cases(Cases& cases) {
  add_unary(cases);
  add_broadcast(cases);
  add_comparisons(cases);
}

}  // namespace poet::testing
