#include "poet/base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

std::string error_of(std::string_view text) {
  const Result<JsonValue> value = parse_json(text, "a.json");
  return value.ok() ? "no error" : to_string(value.error());
}

const JsonMembers& members(const JsonValue& value) {
  return std::get<JsonMembers>(value.data);
}
const JsonList& items(const JsonValue& value) {
  return std::get<JsonList>(value.data);
}

TEST(ParseJson, KeepsEveryKindOfValue) {
  const JsonValue value = *parse_json(R"([null, true, -3, 2.5, "a\nb", [], {}])", "a.json");
  ASSERT_EQ(items(value).size(), 7U);
  EXPECT_TRUE(std::holds_alternative<std::nullptr_t>(items(value)[0].data));
  EXPECT_EQ(std::get<bool>(items(value)[1].data), true);
  EXPECT_EQ(std::get<std::int64_t>(items(value)[2].data), -3);
  EXPECT_EQ(std::get<double>(items(value)[3].data), 2.5);
  EXPECT_EQ(std::get<std::string>(items(value)[4].data), "a\nb");
  EXPECT_TRUE(items(items(value)[5]).empty());
  EXPECT_TRUE(members(items(value)[6]).empty());
}

TEST(ParseJson, KnowsWhereEveryValueStands) {
  const JsonValue value =
      *parse_json("{\n  \"a\\\"\": [1,\n 22 ,{}],\n\t\"\u00e9\": \"x\" , \"c\":-1}", "a.json");
  const JsonMember& a = members(value)[0];
  EXPECT_EQ(a.key, "a\"");
  EXPECT_EQ(std::pair(a.line, a.column), std::pair(2, 3));
  EXPECT_EQ(std::pair(a.value.line, a.value.column), std::pair(2, 10));
  EXPECT_EQ(std::pair(items(a.value)[0].line, items(a.value)[0].column), std::pair(2, 11));
  EXPECT_EQ(std::pair(items(a.value)[1].line, items(a.value)[1].column), std::pair(3, 2));
  EXPECT_EQ(std::pair(items(a.value)[2].line, items(a.value)[2].column), std::pair(3, 6));
  const JsonMember& e = members(value)[1];
  EXPECT_EQ(std::pair(e.line, e.column), std::pair(4, 2));
  EXPECT_EQ(std::pair(e.value.line, e.value.column), std::pair(4, 7));  // columns are characters
  EXPECT_EQ(std::pair(members(value)[2].value.line, members(value)[2].value.column),
            std::pair(4, 17));
}

TEST(ParseJson, SkipsAByteOrderMark) {
  const JsonValue value = *parse_json("\xEF\xBB\xBF[1]", "a.json");
  EXPECT_EQ(std::pair(items(value)[0].line, items(value)[0].column), std::pair(1, 2));
}

TEST(ParseJson, KeepsWholeNumbersOf64Bits) {
  const JsonValue value = *parse_json("[9223372036854775807, -9223372036854775808]", "a.json");
  EXPECT_EQ(std::get<std::int64_t>(items(value)[0].data), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(std::get<std::int64_t>(items(value)[1].data), std::numeric_limits<std::int64_t>::min());
}

TEST(ParseJson, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(error_of("[1, 9223372036854775808]"),
            "a.json:1:5: '9223372036854775808' does not fit in 63 bits; the largest whole number "
            "is 9223372036854775807");
  EXPECT_EQ(error_of("[1, -9223372036854775809]"),
            "a.json:1:5: '-9223372036854775809' does not fit in 63 bits; the least whole number is "
            "-9223372036854775808");
  EXPECT_EQ(error_of("[1,\n123456789012345678901234567890]"),
            "a.json:2:1: '123456789012345678901234567890' does not fit in 63 bits; the largest "
            "whole number is 9223372036854775807");
  EXPECT_EQ(error_of("[1, 1e999]"),
            "a.json:1:5: '1e999' is too large; the largest number is about 1.8e308");
}

TEST(ParseJson, NamesTheFieldOfANumberThatDoesNotFit) {
  EXPECT_EQ(error_of("{\"a\": 1, \"size_bytes\": 9223372036854775808}"),
            "a.json:1:24: 'size_bytes': '9223372036854775808' does not fit in 63 bits; the largest "
            "whole number is 9223372036854775807");
  EXPECT_EQ(error_of("{\"compute_j\": [1, 1e999]}"),
            "a.json:1:19: 'compute_j': '1e999' is too large; the largest number is about 1.8e308");
}

TEST(ParseJson, PointsAtTheSecondOfTwoEqualKeys) {
  EXPECT_EQ(error_of("{\"a\": 1, \"b\": 2,\n \"a\": 3}"),
            "a.json:2:2: 'a' stands here twice (first in line 1)");
  EXPECT_EQ(error_of("{\"a\\nb\": 1, \"a\\nb\": 3}"),
            "a.json:1:13: 'a?b' stands here twice (first in line 1)");
  EXPECT_EQ(error_of("{\"\": 1, \"\": 3}"), "a.json:1:9: '' stands here twice (first in line 1)");
}

TEST(ParseJson, PointsAtBrokenSyntax) {
  EXPECT_EQ(error_of("[1,\n 2"), "a.json:2:3: not valid JSON: it is cut off; expected ']'");
  EXPECT_EQ(error_of("{\"a\" 1}"),
            "a.json:1:6: not valid JSON: unexpected number literal; expected ':'");
  EXPECT_EQ(error_of("[1 2]"),
            "a.json:1:4: not valid JSON: unexpected number literal; expected ']'");
  EXPECT_EQ(error_of("[tru]"), "a.json:1:5: not valid JSON: invalid literal");
  EXPECT_EQ(error_of("[1] x"), "a.json:1:5: not valid JSON: invalid literal");
  EXPECT_EQ(error_of(""), "a.json:1:1: not valid JSON: it is empty");
  EXPECT_EQ(error_of("\xEF\xBB\xBF \n"), "a.json:2:1: not valid JSON: it is empty");
  EXPECT_EQ(error_of("{\"a\":"),
            "a.json:1:6: not valid JSON: it is cut off; expected '[', '{', or a literal");
  EXPECT_EQ(error_of("[\"a"), "a.json:1:4: not valid JSON: it is cut off inside a text");
  EXPECT_EQ(error_of("[\"\xFF\"]"),
            "a.json:1:3: not valid JSON: invalid string: ill-formed UTF-8 byte");
}

TEST(ParseJson, RefusesWhatFollowsANulByte) {
  EXPECT_EQ(error_of(std::string_view("[1]\0[", 5)), "a.json:1:4: not valid JSON: a NUL byte");
}

TEST(ParseJson, RefusesToNestTooDeep) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "a.json").ok());
  EXPECT_EQ(error_of(std::string(65, '[') + std::string(65, ']')),
            "a.json:1:65: nested deeper than 64 levels");
}

TEST(ParseJson, HandsOverTheValuesOfLongLists) {
  std::vector<std::string> seen;
  const std::vector<JsonItems> taken = {{"a", "b", [&seen](const JsonValue& value) {
                                           seen.push_back(found_text(value) + " at " +
                                                          std::to_string(value.column));
                                         }}};
  const std::string text = R"({"b": [1], "a": {"c": [2], "b": [3, [4, 5], {"b": [6]}], "d": [7]}})";
  const Result<JsonValue> whole = parse_json(text, "a.json", taken);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"3 at 34", "a list at 37", "an object at 45"}));
  const auto& outer = std::get<JsonMembers>(whole->data);
  EXPECT_EQ(items(outer[0].value).size(), 1U) << "another list of this name stays";
  const auto& inner = std::get<JsonMembers>(outer[1].value.data);
  ASSERT_EQ(items(inner[1].value).size(), 3U);
  EXPECT_EQ(found_text(items(inner[1].value)[2]), "null");
  EXPECT_EQ(items(inner[1].value)[2].column, 45) << "places stay for messages";
  EXPECT_EQ(found_text(items(inner[2].value)[0]), "7");

  seen.clear();
  ASSERT_TRUE(
      parse_json(R"({"b": [1, 2], "a": {"b": [3]}})", "a.json", {{"", "b", taken.front().read}})
          .ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"1 at 8", "2 at 11"}));
}

TEST(FoundText, ShowsScalarsAndCutsLongTexts) {
  const JsonValue value = *parse_json(
      R"([-3, 0.1, "a\"", true, null, [], {}, "éééééééééééééééééééééééééééééé"])", "a.json");
  std::vector<std::string> found;
  for (const JsonValue& item : items(value)) found.push_back(found_text(item));
  EXPECT_EQ(found, (std::vector<std::string>{"-3", "0.1", "\"a\\\"\"", "true", "null", "a list",
                                             "an object", "\"éééééééééééééééééééé...\""}));
}

}  // namespace
}  // namespace poet
