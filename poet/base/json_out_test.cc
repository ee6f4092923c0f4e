#include "poet/base/json_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
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

// The library's own type and writer, which held all JSON once.
using Library = nlohmann::ordered_json;

std::string written_by(const Library& value) {
  return value.dump(-1, ' ', false, Library::error_handler_t::replace);
}

// Without the white space between values.
std::string bare(const std::string& text) {
  std::string bytes;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!quoted && (text[i] == ' ' || text[i] == '\n')) continue;
    if (text[i] == '"') quoted = !quoted;
    bytes += text[i];
    if (quoted && text[i] == '\\') bytes += text[++i];
  }
  return bytes;
}

#define EXPECT_AS_THE_LIBRARY(...)                        \
  do {                                                    \
    const JsonOut ours = __VA_ARGS__;                     \
    const Library theirs = __VA_ARGS__;                   \
    EXPECT_EQ(bare(json_line(ours)), written_by(theirs)); \
    EXPECT_EQ(ours.size(), theirs.size());                \
    EXPECT_EQ(ours.is_object(), theirs.is_object());      \
  } while (false)

TEST(JsonOut, TakesBracesAsTheLibraryDoes) {
  const std::vector<double> numbers = {1.5, -2};
  const std::map<std::string, std::vector<bool>> flags = {{"b", {true, false}}, {"a", {}}};
  EXPECT_AS_THE_LIBRARY({});
  EXPECT_AS_THE_LIBRARY({{"a", 1}, {"b", {2, 3}}});
  EXPECT_AS_THE_LIBRARY({{"a", 1}, {"b", 2}, {"a", 3}});
  EXPECT_AS_THE_LIBRARY({"a", "b"});
  EXPECT_AS_THE_LIBRARY({{"a", "b"}});
  EXPECT_AS_THE_LIBRARY({{"a", {}}});
  EXPECT_AS_THE_LIBRARY({{"a", {{}}}});
  EXPECT_AS_THE_LIBRARY({{1, 2}, {"a", 4}});
  EXPECT_AS_THE_LIBRARY({{"a", 1}, {"b"}});
  EXPECT_AS_THE_LIBRARY({nullptr, true, -1, 1U, 1.5F, 'c', std::string("d")});
  EXPECT_AS_THE_LIBRARY({{"numbers", numbers}, {"flags", flags}});
  EXPECT_AS_THE_LIBRARY(numbers);
  EXPECT_AS_THE_LIBRARY(flags);
}

TEST(JsonOut, SetsAndForgetsMembers) {
  JsonOut out;
  out["b"] = 1;
  out["a"]["c"].push_back("x");
  out["b"] = out["a"];
  out.update({{"d", 2}, {"a", 3}});
  EXPECT_EQ(json_line(out), R"({"b": {"c": ["x"]}, "a": 3, "d": 2})");
  out.erase("b");
  out.erase("none");
  const JsonOut still = out;
  EXPECT_EQ(json_line(still), R"({"a": 3, "d": 2})");
  EXPECT_TRUE(still["none"]["nothing"].is_null());
  EXPECT_TRUE(still.contains("d"));
  EXPECT_FALSE(still.contains("none") || still["a"].contains("d"));
  EXPECT_EQ(still.number_or("d", 0.5), 2);
  EXPECT_EQ(still.number_or("none", 0.5), 0.5);
  EXPECT_EQ(still.text_or("d", "usual"), "usual");
  const JsonOut moved = std::move(out);
  EXPECT_EQ(moved, still);
  EXPECT_TRUE(out.is_null());  // NOLINT(bugprone-use-after-move)
}

TEST(JsonOut, GivesItsValues) {
  EXPECT_EQ(JsonOut({1, 2.5, 3U}).get<std::vector<double>>(), (std::vector<double>{1, 2.5, 3}));
  EXPECT_EQ(JsonOut(std::numeric_limits<std::uint64_t>::max()).get<std::uint64_t>(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(JsonOut(2.75).get<int>(), 2);
  EXPECT_EQ(JsonOut("x").get<std::string>(), "x");
  EXPECT_TRUE(JsonOut(true).get<bool>());
  EXPECT_DEATH(static_cast<void>(JsonOut("x").get<int>()), "is_number");
  EXPECT_DEATH(JsonOut(1)["a"] = 2, "is_object");
}

// The same value in both.
struct Both {
  JsonOut ours;
  Library theirs;
};

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : random_(seed) {}

  Both value(int levels) {
    switch (below(levels > 0 ? 9 : 7)) {
      case 0:
        return {nullptr, nullptr};
      case 1:
        return same(below(2) == 0);
      case 2:
        return same(static_cast<std::int64_t>(random_()) >> below(64));
      case 3:
        return same(random_() >> below(64));
      case 4:
        return same(number());
      case 5:
      case 6:
        return same(text());
      case 7:
        return list(levels);
      default:
        return object(levels);
    }
  }

 private:
  template <typename T>
  static Both same(const T& value) {
    return {JsonOut(value), Library(value)};
  }
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }

  double number() {
    constexpr double kNumbers[] = {0.0,     -0.0, 1e15,    1e16, 1e-5, 1e-4, 1.0 / 3, 5e-324,
                                   1.7e308, 1e22, 1 << 30, 2e17, -1.0, 0.1,  1e100,   123456789.5};
    const int which = below(20);
    if (which < 16) return kNumbers[which];
    if (which == 16) return std::numeric_limits<double>::infinity();
    if (which == 17) return std::numeric_limits<double>::quiet_NaN();
    const std::uint64_t bits = random_();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  // Control characters, quotes, letters of two to four bytes, and what is no UTF-8.
  std::string text() {
    static const std::string kPieces[] = {"a",
                                          "\"",
                                          "\\",
                                          "/",
                                          "\n",
                                          "\x01",
                                          "\x7F",
                                          std::string(1, '\0'),
                                          "\xC3\xA9",
                                          "\xE2\x82\xAC",
                                          "\xF0\x9F\x98\x80",
                                          "\xFF",
                                          "\xC3",
                                          "\xE2\x82",
                                          "\xED\xA0\x80",
                                          " "};
    std::string text;
    for (int i = below(6); i > 0; --i) text += kPieces[below(16)];
    return text;
  }
  Both list(int levels) {
    Both made{JsonOut::array(), Library::array()};
    const bool numbers = below(4) == 0;
    for (int i = below(numbers ? 60 : 6); i > 0; --i) {
      const Both one = numbers ? same(number()) : value(levels - 1);
      made.ours.push_back(one.ours);
      made.theirs.push_back(one.theirs);
    }
    return made;
  }
  Both object(int levels) {
    Both made{JsonOut::object(), Library::object()};
    for (int i = below(6); i > 0; --i) {
      const std::string key = text();
      const Both one = value(levels - 1);
      made.ours[key] = one.ours;
      made.theirs[key] = one.theirs;
    }
    return made;
  }

  std::mt19937_64 random_;
};

TEST(JsonOut, IsWrittenAndReadAsTheLibraryDoes) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Both value = RandomValues(seed).value(5);
    const std::string expected = written_by(value.theirs);
    ASSERT_EQ(bare(json_line(value.ours)), expected) << "seed " << seed;
    ASSERT_EQ(bare(json_text(value.ours)), expected) << "seed " << seed;
    ASSERT_EQ(json_line(json_of_text(expected)), json_line(json_of_text(json_text(value.ours))))
        << "seed " << seed;
    ASSERT_EQ(bare(json_line(json_of_text(expected))), written_by(Library::parse(expected)))
        << "seed " << seed;
    const std::string cut = expected.substr(0, expected.size() / 2);
    const Library part = Library::parse(cut, nullptr, false);
    ASSERT_EQ(bare(json_line(json_of_text(cut))), part.is_discarded() ? "null" : written_by(part))
        << "seed " << seed;
  }
}

TEST(JsonOut, IsEqualToWhatTheLibraryHoldsEqual) {
  std::vector<Both> values;
  for (std::uint64_t seed = 0; seed < 250; ++seed) values.push_back(RandomValues(seed).value(1));
  for (const int small : {-1, 0, 1, 2}) {
    values.push_back({small, small});
    values.push_back({static_cast<unsigned>(small), static_cast<unsigned>(small)});
    values.push_back({small * 1.0, small * 1.0});
    values.push_back({JsonOut::array({small, 1.0}), Library::array({small, 1.0})});
    values.push_back({{{"a", small}, {"b", 1}}, {{"a", small}, {"b", 1}}});
    values.push_back({{{"b", 1}, {"a", small}}, {{"b", 1}, {"a", small}}});
  }
  values.push_back({std::uint64_t(1) << 63, std::uint64_t(1) << 63});
  values.push_back(
      {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min()});
  for (const Both& a : values)
    for (const Both& b : values)
      ASSERT_EQ(a.ours == b.ours, a.theirs == b.theirs) << a.ours << " and " << b.ours;
}

TEST(JsonOfText, FindsNoneInATextThatIsNestedWithoutEnd) {
  const std::string deep(100'000, '[');
  EXPECT_TRUE(json_of_text(deep + std::string(deep.size(), ']')).is_null());
  EXPECT_EQ(json_line(json_of_text("[[]]")), "[[]]");
  EXPECT_EQ(json_line(json_of_text(R"({"a": 1, "a": 2})")), R"({"a": 2})");
}

}  // namespace
}  // namespace poet
