#include "poet/parts/moved_bytes.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

constexpr std::int64_t kBytes = 400;  // of every tensor

// Tensors of one size, and operations that add some of them up.
class Step {
 public:
  TensorId given(Home home = Home::Storage) { return tensor(home); }

  // What an operation makes of its inputs.
  TensorId made(std::vector<TensorId> inputs, Operator kind = Operator::Add) {
    const TensorId output = tensor(Home::Made);
    step_.graph.operations.push_back({.name = "operation",
                                      .kind = kind,
                                      .attributes = {},
                                      .inputs = std::move(inputs),
                                      .outputs = {output}});
    return output;
  }

  // In tensors: what is moved when all is executed in the order in which it was made.
  double moved(std::int64_t room, const std::vector<bool>& only_rows = {},
               const std::vector<bool>& by_slices = {}) const {
    const std::size_t count = step_.graph.operations.size();
    const auto or_none = [count](std::vector<bool> flags) {
      flags.resize(count);
      return flags;
    };
    std::vector<std::int32_t> order;
    for (std::size_t v = 0; v < count; ++v) order.push_back(static_cast<std::int32_t>(v));
    PagingEstimate estimate(step_, or_none(only_rows), or_none(by_slices), room * kBytes);
    const double first = estimate.moved_bytes(order);
    EXPECT_EQ(estimate.moved_bytes(order), first) << "a look leaves nothing behind";
    return first / static_cast<double>(kBytes);
  }

  const TrainingGraph& step() const { return step_; }

 private:
  TensorId tensor(Home home) {
    step_.graph.tensors.push_back(
        {.name = "tensor", .type = {ElementType::Float32, {kBytes / 4}}, .home = home});
    return static_cast<TensorId>(step_.graph.tensors.size() - 1);
  }

  TrainingGraph step_ = {};
};

TEST(PagingEstimate, ReadsOnceWhatStays) {
  Step step;
  const TensorId a = step.given();
  const TensorId b = step.given();
  const TensorId sum = step.made({a, b});
  step.made({sum, a});
  EXPECT_EQ(step.moved(3), 2);
}

TEST(PagingEstimate, LetsGoWhatIsNeededLast) {
  Step step;
  const TensorId a = step.given();
  const TensorId b = step.given();
  const TensorId c = step.given();
  step.made({a, b});
  step.made({b, c});
  step.made({b, c});
  step.made({a, a});
  EXPECT_EQ(step.moved(4), 3);
  // Not b, which comes sooner: a leaves, is in storage already, and is read again.
  EXPECT_EQ(step.moved(3), 4);
}

TEST(PagingEstimate, WritesWhatWasMadeAndIsNeededAgain) {
  Step step;
  const TensorId a = step.given();
  const TensorId b = step.given();
  const TensorId made = step.made({a});
  step.made({b, b});
  step.made({b, made});
  EXPECT_EQ(step.moved(3), 2);
  EXPECT_EQ(step.moved(2), 4);  // written and read
}

TEST(PagingEstimate, WritesOnceWhatLeavesTwice) {
  Step step;
  const TensorId a = step.given();
  const TensorId b = step.given();
  const TensorId made = step.made({a});
  step.made({b, b});
  step.made({made, made});
  step.made({b, b});
  step.made({made, made});
  EXPECT_EQ(step.moved(3), 2);
  EXPECT_EQ(step.moved(1), 1 + 1 + 2 + 2);  // a; made written; made and b read twice each
}

TEST(PagingEstimate, MakesRoomForOutputsOfInputsThatDie) {
  Step step;
  const TensorId a = step.given();
  TensorId sum = step.made({a});
  for (int k = 0; k < 5; ++k) sum = step.made({sum});
  EXPECT_EQ(step.moved(1), 1);
}

TEST(PagingEstimate, CountsViewsWithWhatTheyAreOf) {
  Step step;
  const TensorId a = step.given();
  const TensorId view = step.made({a}, Operator::Reshape);
  step.made({a, view});
  EXPECT_EQ(step.moved(2), 1);
}

TEST(PagingEstimate, DoesNotMoveWhatIsReadWhereItLies) {
  Step step;
  const TensorId rom = step.given(Home::Rom);
  const TensorId table = step.given();
  const TensorId a = step.given();
  step.made({table, a});
  step.made({rom, a});
  EXPECT_EQ(step.moved(2, {true}), 1);
}

TEST(PagingEstimate, GivesNoRoomToWhatIsUsedUpSliceBySlice) {
  Step step;
  const TensorId a = step.given();
  const TensorId b = step.given();
  const TensorId gradient = step.made({a});
  step.made({b, b});
  step.made({gradient, b});
  EXPECT_EQ(step.moved(2, {}, {true}), 2);
}

TEST(PagingEstimate, LooksAtPartOfAStep) {
  Step step;
  const TensorId a = step.given();
  const TensorId first = step.made({a});
  step.made({first, a});
  PagingEstimate estimate(step.step(), {false, false}, {false, false}, 4 * kBytes);
  EXPECT_EQ(estimate.moved_bytes({1}), 2 * kBytes);  // made elsewhere: read like what is given
  EXPECT_EQ(estimate.moved_bytes({}), 0);
}

}  // namespace
}  // namespace poet
