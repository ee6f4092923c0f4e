// Every gradient of the operator table, as its parts give it, against difference quotients of the
// operator itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "support/operator_cases.h"

namespace poet {
namespace {

using testing::CaseGraph;
using testing::Draw;
using testing::graph_of;
using testing::operator_cases;
using testing::OperatorCase;
using testing::values_of;

// A scalar that depends on every value of the output: their sum, each times another factor.
float factor(std::size_t i) {
  return 1.0F + 0.25F * static_cast<float>(i % 5) - 0.75F * static_cast<float>(i % 2);
}

class Differences {
 public:
  explicit Differences(const OperatorCase& one)
      : case_(one), graph_(graph_of(one)), values_(values_of(one)) {}

  std::vector<double> by_input(std::size_t input) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < values_[input].bytes.size() / sizeof(float); ++i)
      slopes.push_back(slope(input, i));
    return slopes;
  }

  std::vector<float> from_table(int input) {
    const TensorType& type = at(graph_.graph.tensors, graph_.output).type;
    std::vector<float> factors(static_cast<std::size_t>(value_count(type.shape)));
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = factor(i);
    const TensorValue dy = float_tensor(type.shape, factors);
    std::map<TensorId, TensorView> given = inputs();
    given[graph_.output_gradient] = view_of(dy);
    return floats_of((*evaluate(graph_.graph, given, {graph_.gradients.at(input)}))[0]);
  }

  const CaseGraph& graph() const { return graph_; }

 private:
  // Steps are powers of 2, so that a value on the grid and a step are added without rounding.
  // Fourth order: the error is of the order of the step to the fourth, 1e-7 here, and that of
  // rounding 1e-5.
  double slope(std::size_t input, std::size_t i) {
    const double h = case_.inputs[input].draw == Draw::Distinct ? 1.0 / 64 : 1.0 / 32;
    const double near = moved(input, i, h) - moved(input, i, -h);
    const double far = moved(input, i, 2 * h) - moved(input, i, -2 * h);
    return (8 * near - far) / (12 * h);
  }

  double moved(std::size_t input, std::size_t i, double step) {
    std::byte* const place = values_[input].bytes.data() + i * sizeof(float);
    float before = 0;
    std::memcpy(&before, place, sizeof before);
    const auto after = static_cast<float>(before + step);
    std::memcpy(place, &after, sizeof after);
    const double sum = scalar();
    std::memcpy(place, &before, sizeof before);
    return sum;
  }

  double scalar() {
    const std::vector<float> output =
        floats_of((*evaluate(graph_.graph, inputs(), {graph_.output}))[0]);
    double sum = 0;
    for (std::size_t i = 0; i < output.size(); ++i)
      sum += static_cast<double>(factor(i)) * static_cast<double>(output[i]);
    return sum;
  }

  std::map<TensorId, TensorView> inputs() const {
    std::map<TensorId, TensorView> given;
    for (std::size_t i = 0; i < values_.size(); ++i) given[graph_.inputs[i]] = view_of(values_[i]);
    return given;
  }

  const OperatorCase& case_;
  CaseGraph graph_;
  std::vector<TensorValue> values_;
};

void expect_close(const std::vector<float>& found, const std::vector<double>& wanted) {
  constexpr double kTolerance = 1e-4;  // relative to the largest of the gradient
  ASSERT_EQ(found.size(), wanted.size());
  double largest = 0.25;
  for (const double value : wanted) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], kTolerance * largest) << "value " << i;
}

bool wants_gradient(const OperatorCase& one, std::size_t input) {
  return entry_of(one.kind).gradient != nullptr && one.inputs[input].has_gradient &&
         one.inputs[input].type.element == ElementType::Float32;
}

class OperatorGradient : public ::testing::TestWithParam<std::size_t> {};

TEST_P(OperatorGradient, IsTheSlopeOfTheOperator) {
  const OperatorCase& one = operator_cases()[GetParam()];
  Differences differences(one);
  for (std::size_t input = 0; input < one.inputs.size(); ++input) {
    SCOPED_TRACE(one.name + ", by input " + std::to_string(input));
    const int number = static_cast<int>(input);
    ASSERT_EQ(differences.graph().gradients.contains(number), wants_gradient(one, input));
    if (wants_gradient(one, input))
      expect_close(differences.from_table(number), differences.by_input(input));
  }
}

std::string case_name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = operator_cases()[info.param].name;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

// The cases whose operator has a gradient.
std::vector<std::size_t> differentiated_cases() {
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < operator_cases().size(); ++i)
    for (std::size_t input = 0; input < operator_cases()[i].inputs.size(); ++input)
      if (wants_gradient(operator_cases()[i], input)) {
        cases.push_back(i);
        break;
      }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorGradient, ::testing::ValuesIn(differentiated_cases()),
                         case_name);

TEST(OperatorGradients, AreAllCompared) {
  std::set<std::string_view> missing;
  for (const OperatorEntry& row : operator_table())
    if (row.gradient != nullptr) missing.insert(row.name);
  for (const std::size_t i : differentiated_cases())
    missing.erase(entry_of(operator_cases()[i].kind).name);
  EXPECT_EQ(missing, std::set<std::string_view>{}) << "write a case in tests/support";
}

}  // namespace
}  // namespace poet
