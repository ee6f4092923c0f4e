#include "poet/layout/packing_table.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

std::string error_of(std::string_view text) {
  const Result<PackingTable> table = parse_packing_table(text, "b.csv");
  return table.ok() ? "no error" : to_string(table.error());
}

TEST(PackingTable, TheRowsComeBackWithTheirOffsets) {
  const Result<PackingTable> table =
      parse_packing_table("id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n", "b.csv");
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->blocks.size(), 2U);
  EXPECT_EQ(table->blocks[1].pieces, (std::vector<PackPiece>{{3, 9, 5}}));
  EXPECT_EQ(packing_table_text(*table, {8, 0}),
            "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,5,0\n");
}

TEST(PackingTable, ColumnsStandInAnyOrderAndOthersAreKept) {
  const Result<PackingTable> table = parse_packing_table(
      "\xEF\xBB\xBFsize,offset,note,upper,lower,id\r\n4,77,hot,3,0,b1\r\n\r\n", "b.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->blocks[0].pieces, (std::vector<PackPiece>{{0, 3, 4}}));
  EXPECT_EQ(packing_table_text(*table, {16}), "size,offset,note,upper,lower,id\n4,16,hot,3,0,b1\n");
}

TEST(PackingTable, AColumnEndHoldsTheLastMoment) {
  const Result<PackingTable> table =
      parse_packing_table("buffer_id,start,end,size\nb1,0,2,4\n", "b.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->blocks[0].pieces, (std::vector<PackPiece>{{0, 3, 4}}));
}

TEST(PackingTable, AHeadingAloneIsATableOfNothing) {
  const Result<PackingTable> table = parse_packing_table("id,lower,upper,size\n", "b.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE(table->blocks.empty());
}

TEST(PackingTable, SaysWhatIsWrongAndWhere) {
  const std::string heading = "id,lower,upper,size\n";
  EXPECT_EQ(error_of(""),
            "b.csv: the table is empty; its first line names the columns id,lower,upper,size");
  EXPECT_EQ(error_of("id,lower,size\n"),
            "b.csv:1: there is no column 'upper'; a table of buffers has the columns "
            "id,lower,upper,size");
  EXPECT_EQ(error_of("id,lower,begin,upper,size\n"),
            "b.csv:1: a second column for 'lower': 'begin'");
  EXPECT_EQ(error_of("id,lower,upper,size,gaps\n"),
            "b.csv:1: the column 'gaps' is not one that POET packs by; leave it out");
  EXPECT_EQ(error_of(heading + "b1,0,3\n"), "b.csv:2: expected 4 cells as in the heading, found 3");
  EXPECT_EQ(error_of(heading + "b1,0,3,4\nb2,0,3,4k\n"),
            "b.csv:3: expected a whole number for 'size', found '4k'");
  EXPECT_EQ(error_of(heading + "b1,0,,4\n"),
            "b.csv:2: expected a whole number for 'upper', found nothing");
  EXPECT_EQ(error_of(heading + "b1,0,3,-4\n"), "b.csv:2: a size is not negative, found -4");
  EXPECT_EQ(error_of(heading + "b1,3,3,4\n"),
            "b.csv:2: a buffer's life must end after it begins, found 3 to 3");
  EXPECT_EQ(error_of(heading + "b1,0,9223372036854775807,4\n"),
            "b.csv:2: '9223372036854775807' is too large for 'upper'; the largest that works is "
            "4611686018427387904");
  EXPECT_EQ(error_of(heading + "b1,0,1,99999999999999999999\n"),
            "b.csv:2: '99999999999999999999' is too large for 'size'; the largest that works is "
            "4611686018427387904");
  EXPECT_EQ(error_of(heading + "b1,-9223372036854775808,1,4\n"),
            "b.csv:2: '-9223372036854775808' is too small for 'lower'; the smallest that works is "
            "-4611686018427387904");
  EXPECT_EQ(error_of(heading + "b1,0,3,4\nb2,3,9,5\n\nb1,9,21,4\n"),
            "b.csv:5: the id 'b1' stands in line 2 already");
  EXPECT_EQ(error_of(heading + "a,0,1,4611686018427387904\nb,0,1,4611686018427387904\n"),
            "b.csv:3: the sizes up to here do not add up to a 62-bit number");
}

}  // namespace
}  // namespace poet
