#include "poet/tell/text_table.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(TextTable, AlignsColumnsByCharactersAndLeavesNoTrailingSpace) {
  const TextTable table{{{"name", Align::Left}, {"J"}, {"what", Align::Left}},
                        {{"a", "1.5", "short"}, {"längste", "12", ""}}};
  EXPECT_EQ(to_text(table),
            "name       J  what\n"
            "a        1.5  short\n"
            "längste   12\n");
}

TEST(TextTable, ShowsItsHeadingWithoutRows) {
  EXPECT_EQ(to_text({{{"a", Align::Left}, {"b"}}, {}}), "a  b\n");
}

}  // namespace
}  // namespace poet
