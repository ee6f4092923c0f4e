#include "poet/data/csv_table.h"

#include <gtest/gtest.h>

#include "poet/data/files_for_tests.h"
#include "poet/data/open_data.h"

namespace poet {
namespace {

WantedParts wanted_classes() {
  return {{{.name = "x", .type = {ElementType::Float32, {2}}},
           {.name = "labels", .type = {ElementType::Int64, {}}, .value_limit = 3}}};
}

DataSource table(const std::string& text) {
  return {.paths = {file_with("table.csv", text)},
          .text = {.place = {.folder = testing::TempDir()}}};
}

std::string said(const std::string& text, const WantedParts& wanted) {
  const Result<std::unique_ptr<Dataset>> data = open_data(table(text), wanted);
  const std::string message = data.ok() ? "" : to_string(data.error());
  return message.substr(message.find("csv") == message.npos ? 0 : message.find("csv"));
}

TEST(CsvTable, HasTheInputFirstAndTheTargetBehind) {
  const auto good =
      open_data(table("width,\"height, cm\",class\r\n1.5, -2e3,2\n\n\"4\",5,0"), wanted_classes());
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ((*good)->size(), 2);
  EXPECT_EQ(values_of<float>(**good, 0, 0), (std::vector<float>{1.5F, -2000}));
  EXPECT_EQ(values_of<float>(**good, 1, 0), (std::vector<float>{4, 5}));
  EXPECT_EQ(values_of<std::int64_t>(**good, 0, 1), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(values_of<std::int64_t>(**good, 1, 1), (std::vector<std::int64_t>{0}));
}

TEST(CsvTable, MayBeginWithTheMarkOfSpreadsheets) {
  for (const char* const text : {"\xEF\xBB\xBF"
                                 "1,2,0\n3,4,1\n",
                                 "\xEF\xBB\xBF"
                                 "a,b,c\n1,2,0\n3,4,1\n"}) {
    const auto data = open_data(table(text), wanted_classes());
    ASSERT_TRUE(data.ok()) << data.error().message;
    EXPECT_EQ((*data)->size(), 2);
    EXPECT_EQ(values_of<float>(**data, 0, 0), (std::vector<float>{1, 2}));
  }
}

TEST(CsvTable, HasTargetsOfSeveralNumbersAndInputsOfAnyShape) {
  const WantedParts wanted{{{.name = "x", .type = {ElementType::Float32, {1, 2, 1}}},
                            {.name = "targets", .type = {ElementType::Float32, {2}}}}};
  const auto data = open_data(table("1,2,3,4\n5,6,7,8\n"), wanted);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(values_of<float>(**data, 1, 0), (std::vector<float>{5, 6}));
  EXPECT_EQ(values_of<float>(**data, 1, 1), (std::vector<float>{7, 8}));
  const WantedParts inputs{{wanted.parts.front()}, false};
  const auto alone = open_data(table("1,2,3,4\n5,6,7,8\n"), inputs);
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  EXPECT_EQ(values_of<float>(**alone, 1, 0), (std::vector<float>{5, 6}));
}

TEST(CsvTable, RefusesWhatIsNoTableOfNumbersWithItsLine) {
  const WantedParts wanted = wanted_classes();
  EXPECT_EQ(said("1,2,0\n1,2\n", wanted),
            "csv:2: the line has 2 columns, and the network wants 3: 2 of its input, and 1 of its "
            "target");
  EXPECT_EQ(said("a,b,c\n1,2,red\n", wanted), "csv:2: 'red' is not a finite number");
  EXPECT_EQ(said("1,2,0\n1,nan,0\n", wanted), "csv:2: 'nan' is not a finite number");
  // No names, though no numbers either: the line was left out, without a word.
  EXPECT_EQ(said("1,inf,0\n1,2,0\n", wanted), "csv:1: 'inf' is not a finite number");
  EXPECT_EQ(said("1e999,2,0\n1,2,0\n", wanted), "csv:1: '1e999' is not a finite number");
  EXPECT_EQ(said(",2,0\n1,2,0\n", wanted), "csv:1: nothing is not a finite number");
  EXPECT_EQ(said("1,2,0.5\n", wanted),
            "csv:1: '0.5' is not the number of a class: they count from 0");
  EXPECT_EQ(said("a,b,c\n", wanted), "csv' has no line of numbers");
  const WantedParts two{{wanted.parts[0], wanted.parts[0], wanted.parts[1]}};
  EXPECT_EQ(
      said("1,2,0\n", two),
      "a table of numbers is for networks with one input of numbers: give arrays for each, as "
      "NPY or NPZ");
}

}  // namespace
}  // namespace poet
