#include "poet/data/text_dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "poet/data/files_for_tests.h"
#include "poet/data/open_data.h"
#include "poet/text/tokenizer_for_tests.h"

namespace poet {
namespace {

constexpr std::int64_t kEnd = 256;

// The bytes, and one token that ends texts.
std::string byte_tokenizer() {
  return file_with("tokenizer.json", json_text(tokenizer_json({}, {"</s>"})));
}

WantedParts wanted_of(std::int64_t length, std::optional<std::int64_t> ignored = {}) {
  return {{{.name = "input_ids", .type = {ElementType::Int64, {length}}, .value_limit = 300},
           {.name = "labels",
            .type = {ElementType::Int64, {length}},
            .value_limit = 300,
            .ignored_value = ignored}}};
}

DataSource source_of(const std::string& path, SequenceForm form = SequenceForm::Packed) {
  return {
      .paths = {path},
      .text = {
          .tokenizer = byte_tokenizer(), .form = form, .place = {.folder = testing::TempDir()}}};
}

using Row = std::vector<std::int64_t>;

Row tokens_of(const Dataset& data, std::int64_t example) {
  return values_of<std::int64_t>(data, example, 0);
}
Row labels_of(const Dataset& data, std::int64_t example) {
  return values_of<std::int64_t>(data, example, 1);
}

std::unique_ptr<Dataset> opened(const DataSource& source, const WantedParts& wanted) {
  Result<std::unique_ptr<Dataset>> data = open_data(source, wanted);
  EXPECT_TRUE(data.ok()) << to_string(data.error());
  return data.ok() ? *std::move(data) : nullptr;
}

std::string sentence_of(const DataSource& source, const WantedParts& wanted) {
  const Result<std::unique_ptr<Dataset>> data = open_data(source, wanted);
  return data.ok() ? "" : to_string(data.error());
}

TEST(TextDataset, PacksTextsOneAfterTheOther) {
  DataSource source = source_of(file_with("a.txt", "abc"));
  source.paths.push_back(file_with("b.txt", "de"));
  const auto data = opened(source, wanted_of(3));
  ASSERT_NE(data, nullptr);
  ASSERT_EQ(data->size(), 2);
  EXPECT_EQ(tokens_of(*data, 0), (Row{'a', 'b', 'c'}));
  EXPECT_EQ(labels_of(*data, 0), (Row{'b', 'c', kEnd}));
  EXPECT_EQ(tokens_of(*data, 1), (Row{kEnd, 'd', 'e'}));
  EXPECT_EQ(labels_of(*data, 1), (Row{'d', 'e', kEnd}));
  EXPECT_EQ(ignored_label_of(source), std::nullopt);
}

TEST(TextDataset, PadsEachTextToSequencesOfItsOwn) {
  const DataSource source =
      source_of(file_with("a.jsonl", "{\"text\": \"ab\"}\r\n\n{\"text\": \"cdefgh\", \"n\": 1}"),
                SequenceForm::Padded);
  const auto data = opened(source, wanted_of(4, kIgnoredLabel));
  ASSERT_NE(data, nullptr);
  ASSERT_EQ(data->size(), 3);
  EXPECT_EQ(tokens_of(*data, 0), (Row{'a', 'b', kEnd, 0}));
  EXPECT_EQ(labels_of(*data, 0), (Row{'b', kEnd, -100, -100}));
  EXPECT_EQ(tokens_of(*data, 1), (Row{'c', 'd', 'e', 'f'}));
  EXPECT_EQ(labels_of(*data, 1), (Row{'d', 'e', 'f', 'g'}));
  EXPECT_EQ(tokens_of(*data, 2), (Row{'g', 'h', kEnd, 0}));
  EXPECT_EQ(labels_of(*data, 2), (Row{'h', kEnd, -100, -100}));
}

TEST(TextDataset, GivesTheMaskThatANetworkLooksAt) {
  const DataSource source = source_of(file_with("a.txt", "ab"), SequenceForm::Padded);
  for (const ElementType element : {ElementType::Int64, ElementType::Float32}) {
    WantedParts wanted = wanted_of(4, kIgnoredLabel);
    wanted.parts.insert(wanted.parts.begin() + 1,
                        {.name = "attention_mask", .type = {element, {4}}});
    const auto data = opened(source, wanted);
    ASSERT_NE(data, nullptr);
    if (element == ElementType::Int64) {
      EXPECT_EQ(values_of<std::int64_t>(*data, 0, 1), (Row{1, 1, 1, 0}));
    } else {
      EXPECT_EQ(values_of<float>(*data, 0, 1), (std::vector<float>{1, 1, 1, 0}));
    }
  }
}

TEST(TextDataset, LearnsOfPromptsAndAnswersTheAnswers) {
  const std::string lines =
      "{\"prompt\": \"ab\", \"answer\": \"c\"}\n{\"prompt\": \"abcdefg\", "
      "\"answer\": \"\"}\n";
  const auto packed = opened(source_of(file_with("a.jsonl", lines)), wanted_of(5, kIgnoredLabel));
  ASSERT_NE(packed, nullptr);
  ASSERT_EQ(packed->size(), 2);
  EXPECT_EQ(tokens_of(*packed, 0), (Row{'a', 'b', 'c', kEnd, 'a'}));
  EXPECT_EQ(labels_of(*packed, 0), (Row{-100, 'c', kEnd, -100, -100}));
  EXPECT_EQ(labels_of(*packed, 1), (Row{-100, -100, -100, -100, -100}));
  const auto padded = opened(source_of(file_with("b.jsonl", lines), SequenceForm::Padded),
                             wanted_of(5, kIgnoredLabel));
  ASSERT_NE(padded, nullptr);
  ASSERT_EQ(padded->size(), 2) << "the sequence in which nothing is learnt is left out";
  EXPECT_EQ(labels_of(*padded, 0), (Row{-100, 'c', kEnd, -100, -100}));
  EXPECT_EQ(tokens_of(*padded, 1), (Row{'f', 'g', kEnd, 0, 0}));
  EXPECT_EQ(labels_of(*padded, 1), (Row{-100, kEnd, -100, -100, -100}));
}

TEST(TextDataset, KeepsTokensUntilTextTokenizerOrOptionsChange) {
  const std::string folder = testing::TempDir() + "poet-kept-tokens";
  std::filesystem::remove_all(folder);
  DataSource source = source_of(file_with("a.txt", "abcdef"));
  source.text.place.kept_in = folder;
  const auto files = [&folder] {
    return std::distance(std::filesystem::directory_iterator(folder),
                         std::filesystem::directory_iterator());
  };
  EXPECT_EQ(opened(source, wanted_of(2))->size(), 3);
  EXPECT_EQ(opened(source, wanted_of(3))->size(), 2) << "the same tokens in longer sequences";
  EXPECT_EQ(files(), 1);
  const std::string path = std::filesystem::directory_iterator(folder)->path().string();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_read | perms::owner_write);
  const auto cut = std::filesystem::file_size(path) - 4;
  std::filesystem::resize_file(path, cut);
  EXPECT_EQ(tokens_of(*opened(source, wanted_of(2)), 0), (Row{'a', 'b'})) << "made again";
  file_with("a.txt", "xyz");
  EXPECT_EQ(tokens_of(*opened(source, wanted_of(2)), 0), (Row{'x', 'y'}));
  EXPECT_EQ(files(), 2);
  source.text.end_token = "a";
  EXPECT_EQ(labels_of(*opened(source, wanted_of(3)), 0), (Row{'y', 'z', 'a'}));
  EXPECT_EQ(files(), 3);
}

TEST(TextDataset, RefusesWhatTeachesNothingInOneSentence) {
  DataSource text = source_of(file_with("a.txt", "abc"));
  EXPECT_EQ(sentence_of(text, wanted_of(4)),
            "the texts have 4 tokens: a sequence of 4 and the one after it needs 5; --sequences "
            "padded fills up what is missing");
  text.text.tokenizer = "";
  EXPECT_EQ(sentence_of(text, wanted_of(2)),
            "text needs the tokenizer of the network: give --tokenizer FILE");
  const std::string path =
      file_with("b.jsonl", "\n{\"text\": \"a\", \"prompt\": 3}\n{\"answer\": 1}");
  EXPECT_EQ(sentence_of(source_of(path), wanted_of(2)),
            path +
                ":3: a line is {\"text\": \"...\"} or {\"prompt\": \"...\", \"answer\": "
                "\"...\"}");
  const std::string bytes = file_with("c.txt", "ab\xFF");
  EXPECT_EQ(sentence_of(source_of(bytes), wanted_of(2)),
            "'" + bytes + "': text is UTF-8, and this is not at byte 2");
  const std::string empty = file_with("d.txt", "");
  EXPECT_EQ(sentence_of(source_of(empty, SequenceForm::Padded), wanted_of(2)),
            "the texts have no token to learn: they are empty, or nothing but prompts");
}

TEST(TextDataset, SaysWhichExampleHasATokenThatTheNetworkDoesNotKnow) {
  WantedParts wanted = wanted_of(2);
  wanted.parts[0].value_limit = 256;
  wanted.parts[1].value_limit = 256;
  const auto small = opened(source_of(file_with("b.txt", "ab")), wanted);
  ASSERT_NE(small, nullptr);
  Row labels(2);
  const Failure failure = small->read(0, 1, std::as_writable_bytes(std::span(labels)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "example 0 of the data has 256 in its 'labels': the network knows 0 to 255");
}

}  // namespace
}  // namespace poet
