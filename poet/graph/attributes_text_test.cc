#include "poet/graph/attributes_text.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(AttributesText, HasEveryField) {
  EXPECT_EQ(attributes_text(PadAttributes{{1, 2}, {-3}, PadMode::Edge, 0.1F}),
            "11([1,2,];[-3,];1;0.1;)");
  EXPECT_EQ(attributes_text(LossAttributes{Reduction::Sum, 5, 0.25F}), "14(1;5;0.25;)");
  EXPECT_EQ(attributes_text(LossAttributes{}), "14(2;none;0;)");
}

// Neighbouring floats, and the same field in another kind.
TEST(AttributesText, TellsApartWhatIsNotTheSame) {
  EXPECT_NE(attributes_text(UpdateAttributes{.largest_norm = 1}),
            attributes_text(UpdateAttributes{.largest_norm = 1.0000001F}));
  EXPECT_NE(attributes_text(AxisAttributes{1}), attributes_text(ShapeAttributes{.shape = {1}}));
  EXPECT_NE(attributes_text(std::monostate()), attributes_text(ReduceAttributes{}));
}

}  // namespace
}  // namespace poet
