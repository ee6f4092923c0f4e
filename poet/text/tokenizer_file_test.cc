#include "poet/text/tokenizer_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "poet/text/tokenizer_for_tests.h"

namespace poet {
namespace {

std::string message_of(const JsonOut& json) {
  const Result<Tokenizer> tokenizer = parse_tokenizer(json_text(json), "t.json");
  return tokenizer.ok() ? "" : tokenizer.error().message;
}

TEST(TokenizerFile, ReadsMergesAsTextAndAsPairs) {
  JsonOut json = tokenizer_json({{" ", "a"}, {" a", "b"}}, {});
  const Result<Tokenizer> texts = parse_tokenizer(json_text(json), "t.json");
  json["model"]["merges"] =
      JsonOut::array({JsonOut::array({"Ġ", "a"}), JsonOut::array({"Ġa", "b"})});
  const Result<Tokenizer> pairs = parse_tokenizer(json_text(json), "t.json");
  ASSERT_TRUE(texts.ok() && pairs.ok());
  const std::vector<std::int32_t> expected = {257};
  EXPECT_EQ(*encode(*texts, " ab"), expected);
  EXPECT_EQ(*encode(*pairs, " ab"), expected);
}

TEST(TokenizerFile, ReadsWhatIsPutAroundTexts) {
  JsonOut json = tokenizer_json({}, {"<begin>", "<end>"});
  json["post_processor"] = {{"type", "Sequence"},
                            {"processors",
                             {{{"type", "ByteLevel"}},
                              {{"type", "TemplateProcessing"},
                               {"single",
                                {{{"SpecialToken", {{"id", "<begin>"}, {"type_id", 0}}}},
                                 {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                 {{"SpecialToken", {{"id", "<end>"}, {"type_id", 0}}}}}},
                               {"special_tokens",
                                {{"<begin>", {{"id", "<begin>"}, {"ids", {256}}}},
                                 {"<end>", {{"id", "<end>"}, {"ids", {257}}}}}}}}}};
  const Result<Tokenizer> tokenizer = parse_tokenizer(json_text(json), "t.json");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->before, std::vector<std::int32_t>{256});
  EXPECT_EQ(tokenizer->behind, std::vector<std::int32_t>{257});
}

TEST(TokenizerFile, RefusesWhatItDoesNotKnowByItsName) {
  const JsonOut good = tokenizer_json({{"a", "b"}}, {});
  EXPECT_EQ(message_of(good), "");
  const auto with = [&good](std::string_view path, const JsonOut& value) {
    JsonOut json = good;
    JsonOut* place = &json;
    while (!path.empty()) {
      const std::string_view key = path.substr(1, path.find('/', 1) - 1);
      path.remove_prefix(1 + key.size());
      place = &(*place)[key];
    }
    *place = value;
    return message_of(json);
  };
  EXPECT_EQ(with("/model/type", "Unigram"),
            "the tokenizer's model is 'Unigram': only \"BPE\" is known");
  EXPECT_EQ(with("/model/byte_fallback", true),
            "a tokenizer with \"byte_fallback\" is not byte-level");
  EXPECT_EQ(with("/model/dropout", 0.1), "merges that are dropped out at random are not known");
  EXPECT_EQ(with("/model/end_of_word_suffix", "</w>"), "\"end_of_word_suffix\" is not known");
  EXPECT_EQ(with("/model/merges", JsonOut::array({"a b", "b x y"})),
            "a merge is two tokens, \"a b\" or [\"a\", \"b\"]");
  EXPECT_EQ(with("/model/merges", JsonOut::array({"a zz"})),
            "a merge has 'zz', which is not in the vocabulary");
  EXPECT_EQ(with("/model/merges", JsonOut::array({"a c"})),
            "a merge has 'ac', which is not in the vocabulary");
  EXPECT_EQ(with("/model/vocab/a", 1 << 21),
            "'number of a token' must be a whole number from 0 to 2097151, found 2097152");
  EXPECT_EQ(with("/model/vocab/a", 3), "the number 3 stands for two tokens");
  EXPECT_EQ(with("/normalizer", {{"type", "Lowercase"}}),
            "the normalizer 'Lowercase' is not known: NFC, NFD, NFKC and NFKD are");
  EXPECT_EQ(with("/pre_tokenizer", {{"type", "Metaspace"}}),
            "the pre-tokenizer 'Metaspace' is not known: ByteLevel, Split, Digits and Sequence "
            "are");
  EXPECT_EQ(with("/pre_tokenizer", nullptr),
            "the tokenizer is not byte-level: its pre-tokenizer has no \"ByteLevel\"");
  EXPECT_EQ(with("/post_processor", {{"type", "BertProcessing"}}),
            "the post-processor 'BertProcessing' is not known: ByteLevel, TemplateProcessing and "
            "Sequence are");
  for (const JsonOut& single :
       {JsonOut::array(), JsonOut::array({{{"Sequence", {}}}, {{"Sequence", {}}}})})
    EXPECT_EQ(with("/post_processor", {{"type", "TemplateProcessing"}, {"single", single}}),
              "the template's \"single\" has the text " + std::to_string(single.size()) +
                  " times, and not once");
  EXPECT_EQ(with("/added_tokens", JsonOut::array({{{"id", 300}, {"content", "<a>"}},
                                                  {{"id", 300}, {"content", "<b>"}}})),
            "two added tokens have the \"id\" 300");
  JsonOut without = good;
  without["model"]["vocab"].erase("Ġ");
  EXPECT_EQ(message_of(without),
            "the tokenizer is not byte-level: its vocabulary has no 'Ġ', which stands for the byte "
            "32");
}

TEST(TokenizerFile, RefusesPatternsThatAreNone) {
  JsonOut json = tokenizer_json({}, {});
  const auto with = [&json](const char* expression) {
    json["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}};
    return message_of(json);
  };
  EXPECT_EQ(with("a(b"),
            "the pattern 'a(b' is not a regular expression: missing closing parenthesis");
  EXPECT_EQ(with("\\h"), "the pattern '\\h' has \\h, which is not known: write [0-9a-fA-F]");
}

TEST(TokenizerFile, FindsTheTokenThatEndsTexts) {
  const auto end_of = [](const std::vector<std::string>& added, const std::string& path,
                         const std::string& asked) {
    const Result<Tokenizer> tokenizer = parse_tokenizer(json_text(tokenizer_json({}, added)), path);
    EXPECT_TRUE(tokenizer.ok());
    const Result<std::int32_t> end = end_token(*tokenizer, path, asked);
    return end.ok() ? std::to_string(*end) : end.error().message;
  };
  EXPECT_EQ(end_of({"<a>", "</s>"}, "t.json", ""), "257");
  EXPECT_EQ(end_of({"<a>", "</s>"}, "t.json", "<a>"), "256");
  EXPECT_EQ(end_of({"<a>"}, "t.json", ""),
            "the tokenizer 't.json' does not say which token ends a text: give --end-token");
  EXPECT_EQ(end_of({"</s>"}, "t.json", "<b>"), "the tokenizer 't.json' has no token '<b>'");
  const std::string folder = testing::TempDir() + "poet-tokenizer-with-config";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/tokenizer_config.json") << R"({"eos_token": {"content": "<a>"}})";
  EXPECT_EQ(end_of({"</s>", "<a>"}, folder + "/tokenizer.json", ""), "257");
}

}  // namespace
}  // namespace poet
