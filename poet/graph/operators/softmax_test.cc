#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/softmax.h"

namespace poet {
namespace {

using testing::float32;
using testing::gradient_types;
using testing::operation;
using testing::outcome;

const AxisAttributes kAxis{.axis = 1};
const TensorType kX = float32({2, 3, 4, 5});

TEST(Softmax, KeepsTheTypeOfItsInput) {
  EXPECT_EQ(operation(Operator::Softmax, kAxis, {kX}).outputs, std::vector<TensorType>{kX});
  EXPECT_EQ(operation(Operator::LogSoftmax, kAxis, {kX}).outputs, std::vector<TensorType>{kX});
}

TEST(Softmax, RefusesWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::Softmax, {}, {kX}),
            "takes the attributes of a softmax, and has none or others");
  EXPECT_EQ(outcome(Operator::LogSoftmax, kAxis, {{ElementType::Int32, {2, 3}}}),
            "takes float32 values, not int32 (2, 3)");
  EXPECT_EQ(outcome(Operator::Softmax, AxisAttributes{.axis = 4}, {kX}),
            "axis 4 is not a dimension of the input (2, 3, 4, 5)");
  EXPECT_EQ(outcome(Operator::Softmax, AxisAttributes{.axis = -1}, {kX}),
            "axis -1 is not a dimension of the input (2, 3, 4, 5)");
  EXPECT_EQ(outcome(Operator::Softmax, AxisAttributes{}, {float32({})}),
            "axis 0 is not a dimension of the input ()");
}

TEST(Softmax, CountsItsArithmetic) {
  const OperationTypes softmax = operation(Operator::Softmax, kAxis, {kX});
  EXPECT_EQ(entry_of(softmax.kind).flop(softmax), 5 * 120);
  const OperationTypes by = gradient_types(softmax, 0);
  EXPECT_EQ(entry_of(by.kind).flop(by), 4 * 120);
  const OperationTypes log = operation(Operator::LogSoftmax, kAxis, {kX});
  EXPECT_EQ(entry_of(log.kind).flop(log), 5 * 120 + 40);
  const OperationTypes by_log = gradient_types(log, 0);
  EXPECT_EQ(entry_of(by_log.kind).flop(by_log), 4 * 120);
}

TEST(Softmax, DifferentiatesByItsOutput) {
  const OperationTypes softmax = operation(Operator::Softmax, kAxis, {kX});
  EXPECT_EQ(entry_of(softmax.kind).gradient(softmax),
            (std::vector<GradientPart>{{.kind = Operator::SoftmaxGradient,
                                        .attributes = kAxis,
                                        .operands = {ForwardOutput{0}, OutputGradient{0}},
                                        .of_inputs = {0}}}));
  const OperationTypes log = operation(Operator::LogSoftmax, kAxis, {kX});
  EXPECT_EQ(entry_of(log.kind).gradient(log)[0].kind, Operator::LogSoftmaxGradient);
}

TEST(Softmax, CallsItsKernels) {
  const std::vector<KernelWord> shape{{"outer", 2}, {"axis", 3}, {"inner", 20}};
  const OperationTypes softmax = operation(Operator::Softmax, kAxis, {kX});
  EXPECT_EQ(entry_of(softmax.kind).kernel(softmax),
            (KernelCall{.function = POET_KERNEL(poet_softmax_forward_f32),
                        .shape = shape,
                        .inputs = {0},
                        .outputs = {0}}));
  const OperationTypes by = gradient_types(softmax, 0);
  EXPECT_EQ(entry_of(by.kind).kernel(by),
            (KernelCall{.function = POET_KERNEL(poet_softmax_gradient_f32),
                        .shape = shape,
                        .inputs = {0, 1},
                        .outputs = {0}}));
  const OperationTypes log = operation(Operator::LogSoftmax, kAxis, {kX});
  EXPECT_EQ(entry_of(log.kind).kernel(log).function, POET_KERNEL(poet_log_softmax_forward_f32));
  const OperationTypes by_log = gradient_types(log, 0);
  EXPECT_EQ(entry_of(by_log.kind).kernel(by_log).function,
            POET_KERNEL(poet_log_softmax_gradient_f32));
}

}  // namespace
}  // namespace poet
