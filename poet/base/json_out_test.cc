#include "poet/base/json_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "poet/base/json.h"

namespace poet {
namespace {

TEST(JsonText, KeepsShortValuesOnOneLine) {
  JsonOut out;
  out["name"] = "x";
  out["pairs"] = JsonOut::array();
  for (int i = 0; i < 12; ++i) out["pairs"].push_back({"compute", i});
  out["empty"] = JsonOut::array();
  out["row"] = {{"id", 3}, {"inputs", {1, 2}}};
  EXPECT_EQ(json_text(out), R"({
  "name": "x",
  "pairs": [
    ["compute", 0],
    ["compute", 1],
    ["compute", 2],
    ["compute", 3],
    ["compute", 4],
    ["compute", 5],
    ["compute", 6],
    ["compute", 7],
    ["compute", 8],
    ["compute", 9],
    ["compute", 10],
    ["compute", 11]
  ],
  "empty": [],
  "row": {"id": 3, "inputs": [1, 2]}
}
)");
}

TEST(JsonLine, BreaksNothing) {
  EXPECT_EQ(json_line({{"a", {1, 2.5}}, {"b", JsonOut::array({nullptr, "x"})}}),
            R"({"a": [1, 2.5], "b": [null, "x"]})");
}

TEST(JsonText, FillsLinesWithNumbers) {
  JsonOut out;
  for (int i = 0; i < 60; ++i) out["n"].push_back(i * 100);
  EXPECT_EQ(json_text(out), R"({
  "n": [
    0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700,
    1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800, 2900, 3000, 3100, 3200, 3300,
    3400, 3500, 3600, 3700, 3800, 3900, 4000, 4100, 4200, 4300, 4400, 4500, 4600, 4700, 4800, 4900,
    5000, 5100, 5200, 5300, 5400, 5500, 5600, 5700, 5800, 5900
  ]
}
)");
}

TEST(JsonText, WritesTheShortestDigitsThatReadBack) {
  EXPECT_EQ(json_text(JsonOut(0.1)), "0.1\n");
  EXPECT_EQ(json_text(JsonOut(1.0)), "1.0\n");
  EXPECT_EQ(json_text(JsonOut(-0.0)), "-0.0\n");
  EXPECT_EQ(json_text(JsonOut(5e-324)), "5e-324\n");
  EXPECT_EQ(json_text(JsonOut(1.0 / 3)), "0.3333333333333333\n");
}

double read_number(const std::string& text) {
  return std::get<double>(parse_json(text, "a.json")->data);
}

TEST(JsonText, EveryDoubleReadsBackToTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const double back = read_number(json_text(JsonOut(number)));
    EXPECT_EQ(std::memcmp(&back, &number, sizeof number), 0) << json_text(JsonOut(number));
  }
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text(JsonOut("a\xFF")), "\"a\xEF\xBF\xBD\"\n");
}

TEST(JsonText, WritesNullWhereThereIsNoValue) {
  EXPECT_EQ(json_line(or_null(std::optional<double>())), "null");
  EXPECT_EQ(json_line(or_null(std::optional<double>(1.5))), "1.5");
}

}  // namespace
}  // namespace poet
