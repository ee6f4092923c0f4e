#include "poet/base/utf8.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(IsUtf8, TakesCharactersAndRefusesHalvesOfThem) {
  for (const char* const text : {"", "a.weight", "\xC3\xA9", "\xF0\x9F\x98\x80", "\n\x7F"})
    EXPECT_TRUE(is_utf8(text)) << text;
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  // A byte alone, a character that is cut off, one that is written too long, half of a pair.
  for (const char* const text :
       {"\xFF", "a\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF0\x9F\x98"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace poet
