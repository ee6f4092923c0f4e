#include "poet/service/kept_best.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

StoredJob best(const std::string& summary, const std::string& objective = "energy") {
  return {.kind = "plan",
          .state = JobState::Cancelled,
          .request = R"({"fields": {"objective": ")" + objective + "\"}}",
          .result = "{}",
          .summary = summary};
}

TEST(KeptBests, APlanIsNoWorseInWhatWasAsked) {
  const std::string a = R"({"energy_j": 1.0, "time_s": 5.0})";
  const std::string b = R"({"energy_j": 2.0, "time_s": 4.0})";
  const std::string none = R"({"energy_j": null, "time_s": null})";
  EXPECT_TRUE(takes_its_place(best(a), best(b)));
  EXPECT_FALSE(takes_its_place(best(b), best(a)));
  EXPECT_TRUE(takes_its_place(best(a), best(a)));
  EXPECT_FALSE(takes_its_place(best(a, "time"), best(b, "time")));
  EXPECT_TRUE(takes_its_place(best(b, "time"), best(a, "time")));
  EXPECT_FALSE(takes_its_place(best(none), best(a)));
  EXPECT_TRUE(takes_its_place(best(a), best(none)));
}

TEST(KeptBests, AnAnswerTakesThePlaceOfAnyBestAndNothingOfNone) {
  StoredJob answer = best(R"({"energy_j": null})");
  answer.state = JobState::Done;
  EXPECT_TRUE(takes_its_place(answer, best(R"({"energy_j": 1.0})")));
  StoredJob nothing = best("");
  nothing.result.clear();
  EXPECT_FALSE(takes_its_place(nothing, best(R"({"energy_j": 1.0})")));
  EXPECT_TRUE(takes_its_place(nothing, nothing));
}

TEST(KeptBests, ACurveIsNoWorseWithAsManyPoints) {
  StoredJob two = best("");
  two.kind = "curve";
  two.result = R"({"methods": [{"points": [1, 2]}, {"points": []}]})";
  StoredJob three = two;
  three.result = R"({"methods": [{"points": [1, 2]}, {"points": [3]}]})";
  EXPECT_TRUE(takes_its_place(three, two));
  EXPECT_FALSE(takes_its_place(two, three));
}

}  // namespace
}  // namespace poet
