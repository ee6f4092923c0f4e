#include "poet/report/cuts_section.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

bool says(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

CutPicture two_products() {
  Cuts cuts;
  cuts.dimensions = {{.extent = 3'072,
                      .block = 96,
                      .tensors = 4,
                      .largest = "hidden<0>",
                      .dimension = 1,
                      .because_of = "up & down",
                      .needed_bytes = 1 << 20}};
  cuts.operations = {{.name = "up & down",
                      .kind = Operator::MatMul,
                      .whole_bytes = 1 << 20,
                      .apart = 32,
                      .in_sum = 2}};
  cuts.whole_operations = 7;
  return {.part_bytes = 65'536,
          .operations = 71,
          .by_budget = true,
          .cuts = std::make_shared<const Cuts>(std::move(cuts))};
}

TEST(CutsSection, SaysWhatIsCutAndWhy) {
  const std::string section = cuts_section(two_products());
  EXPECT_TRUE(says(section, "no operation needs more than 64 KiB, a size that was chosen"));
  EXPECT_TRUE(says(section, "1 of them come in parts, and 7 are whole: 71 in all"));
  EXPECT_TRUE(says(section, "<td>hidden&lt;0&gt;, dimension 1 and 3 more</td>"));
  EXPECT_TRUE(says(section, "<td class=\"number\">3,072</td><td class=\"number\">96</td>"));
  EXPECT_TRUE(says(section, "up &amp; down"));
  EXPECT_FALSE(says(section, "up & down"));
  EXPECT_TRUE(says(section, "of this way of cutting.</p>"));
}

TEST(CutsSection, SaysWhatNoWayOfCuttingMovesLessThan) {
  CutPicture picture = two_products();
  picture.least_traffic = "no way of cutting reads less than 7 B";
  EXPECT_TRUE(says(cuts_section(picture),
                   "of this way of cutting; no way of cutting reads less than 7 B.</p>"));
}

TEST(CutsSection, IsNotThereWhereNothingIsCut) {
  CutPicture picture = two_products();
  picture.cuts.reset();
  EXPECT_EQ(cuts_section(picture), "");
}

}  // namespace
}  // namespace poet
