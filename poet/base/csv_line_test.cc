#include "poet/base/csv_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "poet/base/text_file.h"

namespace poet {
namespace {

TEST(CsvLine, TakesBlanksQuotesAndCarriageReturnsOff) {
  EXPECT_EQ(csv_fields("\"Time (ms)\", 1.5 ,,x\r"),
            (std::vector<std::string_view>{"Time (ms)", "1.5", "", "x"}));
  EXPECT_EQ(csv_fields(""), std::vector<std::string_view>{""});
}

TEST(CsvLine, ReadsFiniteNumbersOnly) {
  EXPECT_EQ(csv_number("-1.5e3"), -1500);
  for (const char* const text : {"", "nan", "inf", "1e999", "1 2", "0x10", "1,5"})
    EXPECT_FALSE(csv_number(text)) << text;
}

class LinesOfAFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string lines(const std::string& text, std::int64_t most) {
    EXPECT_FALSE(write_text_file(path_, text));
    std::string seen;
    const Failure failure = for_each_line(path_, most, [&](std::string_view line) {
      seen += "[" + std::string(line) + "]";
      return Failure();
    });
    return failure ? failure->message + " in line " + std::to_string(failure->where.line) : seen;
  }
  std::string path_ = ::testing::TempDir() + "csv_line_test" + std::to_string(getpid()) + ".csv";
};

TEST_F(LinesOfAFile, AreGivenOneByOne) {
  EXPECT_EQ(lines("a\nb\n", 10), "[a][b][]");
  EXPECT_EQ(lines("a\n\nlast", 10), "[a][][last]");
}

TEST_F(LinesOfAFile, AreRefusedWhereTheyAreTooLong) {
  EXPECT_EQ(lines("a\n" + std::string(200'000, 'x'), 100),
            "the line has more than 100 bytes in line 2");
  EXPECT_EQ(lines("a\nbcd\n", 2), "the line has more than 2 bytes in line 2");
}

}  // namespace
}  // namespace poet
