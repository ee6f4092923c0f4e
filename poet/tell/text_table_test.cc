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

TEST(CsvText, QuotesWhatNeedsIt) {
  CsvText csv({"name", "what"});
  csv.add({"plain", "1.5"});
  csv.add({"a, b", "say \"x\""});
  csv.add({"", "two\nlines"});
  EXPECT_EQ(csv.text(), "name,what\nplain,1.5\n\"a, b\",\"say \"\"x\"\"\"\n,\"two\nlines\"\n");
}

}  // namespace

}  // namespace poet
