#include "poet/base/json_reader.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

enum class Colour { Red, Green };
constexpr Named<Colour> kColours[] = {{"red", Colour::Red}, {"green", Colour::Green}};

struct Pot {
  std::int64_t size_bytes = 0;
  double energy_j = 0;
  double offset_j = 0;
  std::string name;
  bool open = false;
  Colour colour = Colour::Red;
  std::vector<std::int64_t> lids;
};

Result<Pot> read_pot(std::string_view text) {
  const Result<JsonValue> json = parse_json(text, "plan.json");
  if (!json) return json.error();
  JsonReader reader("plan.json");
  JsonObject object(*json, "a pot", reader);
  Pot pot;
  object.format("poet-pot", 2);
  if (object.has("size_bytes")) pot.size_bytes = object.whole("size_bytes", kSizeRange);
  if (object.has("energy_j")) pot.energy_j = object.number("energy_j", NumberRange::NotNegative);
  if (object.has("offset_j")) pot.offset_j = object.number("offset_j", NumberRange::Any);
  if (object.has("name")) pot.name = object.text("name");
  if (object.has("open")) pot.open = object.flag("open");
  if (object.has("colour")) pot.colour = object.choice("colour", kColours);
  if (object.has("lids")) pot.lids = object.wholes("lids", {1, 5});
  object.finish();
  if (reader.failure()) return *reader.failure();
  return pot;
}

// A pot with these fields behind the header, on line 2.
std::string error_of(const std::string& fields) {
  const Result<Pot> pot = read_pot("{\"format\": \"poet-pot\", \"version\": 2,\n" + fields + "}");
  return pot.ok() ? "no error" : to_string(pot.error());
}

TEST(JsonReader, ReadsEveryField) {
  const Result<Pot> pot = read_pot(
      R"({"format": "poet-pot", "version": 2, "size_bytes": 4611686018427387904, "energy_j": 3,
          "offset_j": -0.5, "name": "a", "open": true, "colour": "green", "lids": [1, 5]})");
  ASSERT_TRUE(pot.ok()) << to_string(pot.error());
  EXPECT_EQ(pot->size_bytes, std::int64_t{1} << 62);
  EXPECT_EQ(pot->energy_j, 3.0);
  EXPECT_EQ(pot->offset_j, -0.5);
  EXPECT_EQ(pot->name, "a");
  EXPECT_TRUE(pot->open);
  EXPECT_EQ(pot->colour, Colour::Green);
  EXPECT_EQ(pot->lids, (std::vector<std::int64_t>{1, 5}));
}

TEST(JsonReader, SaysWhatAWholeNumberMustBe) {
  EXPECT_EQ(error_of("\"size_bytes\": -3"),
            "plan.json:2:15: 'size_bytes' must be a whole number from 0 to 2^62, found -3");
  EXPECT_EQ(error_of("\"size_bytes\": 4611686018427387905"),
            "plan.json:2:15: 'size_bytes' must be a whole number from 0 to 2^62, found "
            "4611686018427387905");
  EXPECT_EQ(error_of("\"size_bytes\": 3.0"),
            "plan.json:2:15: 'size_bytes' must be a whole number from 0 to 2^62, found 3.0");
  EXPECT_EQ(error_of("\"lids\": [1, 6]"),
            "plan.json:2:13: 'lids' must be a whole number from 1 to 5, found 6");
}

TEST(JsonReader, SaysWhatAValueMustBe) {
  EXPECT_EQ(error_of("\"energy_j\": -1"),
            "plan.json:2:13: 'energy_j' must be a number of at least 0, found -1");
  EXPECT_EQ(error_of("\"offset_j\": []"),
            "plan.json:2:13: 'offset_j' must be a number, found a list");
  EXPECT_EQ(error_of("\"name\": 1"), "plan.json:2:9: 'name' must be a text, found 1");
  EXPECT_EQ(error_of("\"open\": \"yes\""),
            "plan.json:2:9: 'open' must be true or false, found \"yes\"");
  EXPECT_EQ(error_of("\"lids\": {}"), "plan.json:2:9: 'lids' must be a list, found an object");
}

TEST(JsonReader, SuggestsAKnownName) {
  EXPECT_EQ(error_of("\"colour\": \"gren\""),
            "plan.json:2:11: 'colour' must be red or green, found \"gren\"; did you mean 'green'?");
  EXPECT_EQ(error_of("\"colour\": null"),
            "plan.json:2:11: 'colour' must be red or green, found null");
}

TEST(JsonReader, RefusesUnknownFields) {
  EXPECT_EQ(error_of("\"size_byte\": 3"),
            "plan.json:2:1: a pot has no field 'size_byte'; did you mean 'size_bytes'?");
  EXPECT_EQ(error_of("\"weight\": 3"), "plan.json:2:1: a pot has no field 'weight'");
}

TEST(JsonReader, KeepsTheFirstComplaintOfTheReadingOrder) {
  EXPECT_EQ(error_of("\"name\": 1, \"size_bytes\": -1"),
            "plan.json:2:26: 'size_bytes' must be a whole number from 0 to 2^62, found -1");
}

TEST(JsonReader, ChecksFormatAndVersion) {
  const auto error = [](const char* text) { return to_string(read_pot(text).error()); };
  EXPECT_EQ(error("[]"), "plan.json:1:1: a pot must be an object, found a list");
  EXPECT_EQ(error("{}"), "plan.json:1:1: a pot must have 'format'");
  EXPECT_EQ(error(R"({"format": "poet-pan", "version": 2})"),
            "plan.json:1:12: 'format' must be \"poet-pot\", found \"poet-pan\"");
  EXPECT_EQ(error(R"({"format": "poet-pot"})"), "plan.json:1:1: a pot must have 'version'");
  EXPECT_EQ(error(R"({"format": "poet-pot", "version": 3})"),
            "plan.json:1:35: version 3 of poet-pot is not known here; version 2 is");
  EXPECT_EQ(error(R"({"format": "poet-pot", "version": "2"})"),
            "plan.json:1:35: 'version' must be a whole number from 0 to 2147483647, found \"2\"");
}

}  // namespace
}  // namespace poet
