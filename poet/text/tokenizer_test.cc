#include "poet/text/tokenizer.h"

#include <gtest/gtest.h>

#include "poet/text/byte_alphabet.h"
#include "poet/text/tokenizer_file.h"
#include "poet/text/tokenizer_for_tests.h"

namespace poet {
namespace {

Tokenizer tokenizer_of(const JsonOut& json) {
  Result<Tokenizer> tokenizer = parse_tokenizer(json_text(json), "tokenizer.json");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  return *std::move(tokenizer);
}

// "low|er| |<end>"
std::string pieces_of(const Tokenizer& tokenizer, const std::string& text) {
  const Result<std::vector<std::int32_t>> tokens = encode(tokenizer, text);
  EXPECT_TRUE(tokens.ok()) << tokens.error().message;
  std::string pieces;
  for (const std::int32_t token : *tokens) {
    const std::string_view piece = text_of(tokenizer, token);
    pieces += pieces.empty() ? "" : "|";
    pieces += piece.empty() ? "<" + std::to_string(token) + ">" : std::string(piece);
  }
  return pieces;
}

TEST(ByteAlphabet, WritesEveryByteAsACharacterOfItsOwn) {
  EXPECT_EQ(letter_of_byte('A'), "A");
  EXPECT_EQ(letter_of_byte(' '), "Ġ");
  EXPECT_EQ(letter_of_byte('\n'), "Ċ");
  EXPECT_EQ(letter_of_byte(0xAD), "Ń");
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(bytes_of_letters(letter_of_byte(static_cast<unsigned char>(byte))),
              std::string(1, static_cast<char>(byte)));
  EXPECT_EQ(bytes_of_letters(" "), std::nullopt);
  EXPECT_EQ(bytes_of_letters("€"), std::nullopt);
}

TEST(Tokenizer, MergesThoseOfTheLowestRankFirstAndOfEqualOnesTheFirst) {
  const Tokenizer tokenizer =
      tokenizer_of(tokenizer_json({{"b", "c"}, {"a", "b"}, {"a", "a"}}, {}));
  EXPECT_EQ(pieces_of(tokenizer, "abcab"), "a|bc|ab");
  EXPECT_EQ(pieces_of(tokenizer, "aaaaa"), "aa|aa|a");
}

// (ab, a) has a lower rank than (a, b): it comes before the second (a, b) does.
TEST(Tokenizer, TakesUpWhatAMergeMadePossibleAtOnce) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({{"ab", "a"}, {"a", "b"}}, {}));
  EXPECT_EQ(pieces_of(tokenizer, "ababa"), "aba|b|a");
}

TEST(Tokenizer, NeverMergesAcrossWords) {
  const Tokenizer tokenizer =
      tokenizer_of(tokenizer_json({{"o", " "}, {" ", "w"}, {"1", "a"}, {"'", "s"}}, {}));
  EXPECT_EQ(pieces_of(tokenizer, "o wo 1a's"), "o| w|o| |1|a|'s");
}

// What is left of a run of blanks goes to the word behind it.
TEST(Tokenizer, LeavesTheLastBlankToTheWordBehind) {
  const Tokenizer tokenizer =
      tokenizer_of(tokenizer_json({{" ", " "}, {" ", "a"}, {"\xC2", "\xA0"}}, {}));
  EXPECT_EQ(pieces_of(tokenizer, "   a"), "  | a");
  EXPECT_EQ(pieces_of(tokenizer, "a   "), "a|  | ");
  EXPECT_EQ(pieces_of(tokenizer, "\xC2\xA0 a"), "\xC2\xA0| a");
}

TEST(Tokenizer, GivesBackTheBytesOfAnyText) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({{"a", "b"}, {"\xC3", "\xA9"}}, {}));
  const std::string text("abé€😀\0\r\n\t ß\xE2\x80\xA8z", 22);
  const Result<std::vector<std::int32_t>> tokens = encode(tokenizer, text);
  ASSERT_TRUE(tokens.ok());
  std::string again;
  for (const std::int32_t token : *tokens) again += text_of(tokenizer, token);
  EXPECT_EQ(again, text);
}

TEST(Tokenizer, RefusesWhatIsNotUtf8) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({}, {}));
  for (const char* const bytes : {"ab\xFF", "ab\xC0\x80", "ab\xED\xA0\x80", "ab\xE2\x82"}) {
    const Result<std::vector<std::int32_t>> tokens = encode(tokenizer, bytes);
    ASSERT_FALSE(tokens.ok());
    EXPECT_EQ(tokens.error().message, "text is UTF-8, and this is not at byte 2");
  }
}

TEST(Tokenizer, FindsTheLongestAddedTokenInTheText) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({{"<", "e"}}, {"<end>", "<end>>", "<"}));
  EXPECT_EQ(pieces_of(tokenizer, "a<end>>b<end>c<e"), "a|<258>|b|<257>|c|<259>|e");
}

TEST(Tokenizer, LetsAddedTokensTakeTheSpaceAroundThem) {
  JsonOut json = tokenizer_json({}, {"<m>", "in"});
  json["added_tokens"][0]["lstrip"] = true;
  json["added_tokens"][0]["rstrip"] = true;
  json["added_tokens"][1]["single_word"] = true;
  const Tokenizer tokenizer = tokenizer_of(json);
  EXPECT_EQ(pieces_of(tokenizer, "a \t<m> \n<m>b"), "a|<256>|<256>|b");
  EXPECT_EQ(pieces_of(tokenizer, "in bin in"), "<257>| |b|i|n| |<257>");
}

TEST(Tokenizer, NormalisesWhatIsBetweenAddedTokens) {
  JsonOut json = tokenizer_json({{"\xC3", "\xA9"}}, {"e\xCC\x81!"});
  json["normalizer"] = {{"type", "NFC"}};
  const Tokenizer tokenizer = tokenizer_of(json);
  EXPECT_EQ(pieces_of(tokenizer, "e\xCC\x81"), "é");
  EXPECT_EQ(pieces_of(tokenizer, "e\xCC\x81!"), "<257>");
}

TEST(Tokenizer, TakesAWholeWordThatIsATokenWhereMergesAreIgnored) {
  JsonOut json = tokenizer_json({{"a", "b"}}, {});
  json["model"]["vocab"]["abc"] = 300;
  EXPECT_EQ(pieces_of(tokenizer_of(json), "abc"), "ab|c");
  json["model"]["ignore_merges"] = true;
  EXPECT_EQ(pieces_of(tokenizer_of(json), "abc abcd"), "abc| |ab|c|d");
}

// A word of half a million letters, which a square of steps would take minutes for.
TEST(Tokenizer, TakesLongWordsInItsStride) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({{"a", "a"}, {"aa", "aa"}}, {}));
  const Result<std::vector<std::int32_t>> tokens = encode(tokenizer, std::string(500'000, 'a'));
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(*tokens, std::vector<std::int32_t>(125'000, 257));
}

TEST(Tokenizer, PutsABlankBeforeTheFirstWordWhereAsked) {
  JsonOut json = tokenizer_json({{" ", "a"}}, {"<end>"});
  json["pre_tokenizer"]["add_prefix_space"] = true;
  const Tokenizer tokenizer = tokenizer_of(json);
  EXPECT_EQ(pieces_of(tokenizer, "a<end>a a"), " a|<257>| a| a");
}

TEST(Tokenizer, DividesByThePatternsOfItsFile) {
  JsonOut json = tokenizer_json({{"1", "2"}, {"12", "3"}, {"a", "B"}}, {});
  const JsonOut last = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const auto with = [&](const JsonOut& first) {
    json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {first, last}}};
    return tokenizer_of(json);
  };
  const Tokenizer threes = with({{"type", "Split"},
                                 {"pattern", {{"Regex", "\\p{N}{1,2}"}}},
                                 {"behavior", "Isolated"},
                                 {"invert", false}});
  EXPECT_EQ(pieces_of(threes, "aB1234"), "aB|12|3|4");
  const Tokenizer removing = with({{"type", "Split"},
                                   {"pattern", {{"String", "."}}},
                                   {"behavior", "Removed"},
                                   {"invert", false}});
  EXPECT_EQ(pieces_of(removing, "a.B.123"), "a|B|123");
  const Tokenizer inverted = with({{"type", "Split"},
                                   {"pattern", {{"Regex", "[a-zA-Z]+"}}},
                                   {"behavior", "Removed"},
                                   {"invert", true}});
  EXPECT_EQ(pieces_of(inverted, "1aB2"), "aB");
  EXPECT_EQ(pieces_of(with({{"type", "Digits"}, {"individual_digits", true}}), "aB12"), "aB|1|2");
  EXPECT_EQ(pieces_of(with({{"type", "Digits"}}), "aB12"), "aB|12");
}

// The Mongolian vowel separator is no white space any more, the next-line character is.
TEST(Tokenizer, KnowsWhatIsWhiteSpaceToday) {
  JsonOut json = tokenizer_json({}, {});
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Split"}, {"pattern", {{"Regex", "\\s"}}}, {"behavior", "Removed"}},
        {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}};
  const Tokenizer tokenizer = tokenizer_of(json);
  EXPECT_EQ(pieces_of(tokenizer, "\xC2\x85"), "");
  EXPECT_EQ(encode(tokenizer, "\xE1\xA0\x8E")->size(), 3U);
}

TEST(Tokenizer, EndsWherePatternsTakeTooLong) {
  JsonOut json = tokenizer_json({}, {});
  json["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Split"}, {"pattern", {{"Regex", "(a|aa)+$b"}}}, {"behavior", "Isolated"}},
        {{"type", "ByteLevel"}}}}};
  const Result<std::vector<std::int32_t>> tokens =
      encode(tokenizer_of(json), std::string(60, 'a') + "\nb");
  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(tokens.error().message,
            "no match was found for a pattern at 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': match limit "
            "exceeded");
}

}  // namespace
}  // namespace poet
