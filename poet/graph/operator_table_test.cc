#include "poet/graph/operator_table.h"
#include "poet/graph/operator.h"
#include "poet/runtime/unary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace poet {
namespace {

// Whether an enumerator has this value: compilers write what has none as a number in parentheses.
template <Operator value>
constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("(poet::Operator)") == std::string_view::npos;
}

template <int... values>
constexpr std::size_t enumerators_among(std::integer_sequence<int, values...>) {
  constexpr bool kAre[] = {is_enumerator<static_cast<Operator>(values)>()...};
  return static_cast<std::size_t>(std::count(std::begin(kAre), std::end(kAre), true));
}

constexpr int kMostEnumerators = 512;
constexpr std::size_t kEnumerators =
    enumerators_among(std::make_integer_sequence<int, kMostEnumerators>());
static_assert(kEnumerators > 100 && kEnumerators < kMostEnumerators);

TEST(OperatorTable, HasARowForEveryEnumerator) {
  ASSERT_EQ(operator_table().size(), kEnumerators)
      << "write a row in poet/graph/operators/ for every enumerator of poet/graph/operator.h";
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kEnumerators; ++i) {
    const OperatorEntry& row = operator_table()[i];
    EXPECT_EQ(row.id, static_cast<Operator>(i)) << row.name;
    EXPECT_EQ(&entry_of(row.id), &row) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(OperatorTable, HasAKernelOrIsAView) {
  for (const OperatorEntry& row : operator_table()) {
    EXPECT_NE(row.kernel == nullptr, !row.view) << row.name;
    EXPECT_TRUE(row.flop != nullptr || row.view) << row.name;
    EXPECT_LE(row.least_inputs, row.most_inputs) << row.name;
  }
}

TEST(UnaryOperators, DescribeTheCallOfTheirKernel) {
  const OperationTypes types{.kind = Operator::Clip,
                             .attributes = ScalarAttributes{.alpha = -1, .beta = 6},
                             .inputs = {{ElementType::Float32, {2, 5}}},
                             .outputs = {{ElementType::Float32, {2, 5}}}};
  const KernelCall call = entry_of(Operator::Clip).kernel(types);
  EXPECT_EQ(call.function, POET_KERNEL(poet_clip_forward_f32));
  EXPECT_EQ(call.shape, (std::vector<KernelWord>{{"count", 10}, {"alpha", -1.0F}, {"beta", 6.0F}}));
  EXPECT_EQ(call.inputs, std::vector<std::optional<int>>{0});
  EXPECT_EQ(call.outputs, std::vector<std::optional<int>>{0});
}

TEST(UnaryOperators, DifferentiateByTheOutputWhereThatIsEnough) {
  const std::vector<GradientPart> relu = entry_of(Operator::Relu).gradient({});
  ASSERT_EQ(relu.size(), 1U);
  EXPECT_EQ(relu[0].kind, Operator::ReluGradient);
  EXPECT_EQ(relu[0].operands, (std::vector<GradientOperand>{ForwardOutput{0}, OutputGradient{0}}));
  const std::vector<GradientPart> neg = entry_of(Operator::Neg).gradient({.kind = Operator::Neg});
  EXPECT_EQ(neg[0].operands, std::vector<GradientOperand>{OutputGradient{0}});
  const std::vector<GradientPart> gelu =
      entry_of(Operator::GeluErf).gradient({.kind = Operator::GeluErf});
  EXPECT_EQ(gelu[0].operands, (std::vector<GradientOperand>{ForwardInput{0}, OutputGradient{0}}));
}

}  // namespace
}  // namespace poet
