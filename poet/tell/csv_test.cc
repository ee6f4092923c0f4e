#include "poet/tell/csv.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(CsvText, QuotesWhatNeedsIt) {
  CsvText csv({"name", "what"});
  csv.add({"plain", "1.5"});
  csv.add({"a, b", "say \"x\""});
  csv.add({"", "two\nlines"});
  EXPECT_EQ(csv.text(), "name,what\nplain,1.5\n\"a, b\",\"say \"\"x\"\"\"\n,\"two\nlines\"\n");
}

}  // namespace
}  // namespace poet
