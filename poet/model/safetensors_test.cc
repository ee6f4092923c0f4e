#include "poet/model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/model/safetensors_write.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

// The published layout, written down again: eight bytes of length, the header, the data.
StoredBytes file_of(const std::string& header, const std::string& data,
                    std::optional<std::uint64_t> said_length = {}) {
  std::uint64_t length = said_length.value_or(header.size());
  std::string text;
  for (int i = 0; i < 8; ++i, length /= 256) text += static_cast<char>(length % 256);
  text += header + data;
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return store(std::move(bytes));
}

std::string refusal(const StoredBytes& file) {
  const Result<SafeTensors> parsed = parse_safetensors(file, "w.safetensors");
  return parsed.ok() ? "was read" : to_string(parsed.error());
}

std::string refusal(const std::string& header, const std::string& data) {
  return refusal(file_of(header, data));
}

// One tensor of two F32 values, with other fields.
std::string entry(const std::string& fields) {
  return R"({"a":{)" + fields + "}}";
}

const std::string kEight = "12345678";

TEST(Safetensors, ReadsTensorsWhereTheyLie) {
  const StoredBytes file = file_of(R"({"__metadata__":{"format":"pt"},)"
                                   R"("b":{"dtype":"BF16","shape":[1,2],"data_offsets":[8,12]},)"
                                   R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                   R"("none":{"dtype":"I64","shape":[0,3],"data_offsets":[12,12]},)"
                                   R"("one":{"dtype":"U8","shape":[],"data_offsets":[12,13]}}   )",
                                   "0123456789abc");
  const Result<SafeTensors> parsed = parse_safetensors(file, "w.safetensors");
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(parsed->metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  ASSERT_EQ(parsed->tensors.size(), 4U);
  EXPECT_EQ(parsed->tensors[0].name, "a");
  EXPECT_EQ(parsed->tensors[1].name, "b");
  EXPECT_EQ(parsed->tensors[1].type, SafeType::BFloat16);
  EXPECT_EQ(parsed->tensors[1].shape, (Shape{1, 2}));
  EXPECT_EQ(parsed->tensors[1].values.bytes.data(), file.bytes.data() + file.bytes.size() - 5);
  EXPECT_EQ(parsed->tensors[1].values.bytes.size(), 4U);
  EXPECT_EQ(parsed->tensors[2].values.bytes.size(), 0U);
  EXPECT_EQ(parsed->tensors[3].shape, Shape{});
}

TEST(Safetensors, ReadsAFileOfNoTensor) {
  const Result<SafeTensors> parsed = parse_safetensors(file_of("{}", ""), "w.safetensors");
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->tensors.empty());
}

TEST(Safetensors, RefusesLengthsThatAreNone) {
  EXPECT_EQ(refusal(StoredBytes{}),
            "w.safetensors: it is not a safetensors file: it has 0 bytes, and the first 8 say how "
            "long its header is");
  EXPECT_EQ(refusal(store(std::vector<std::byte>(7))),
            "w.safetensors: it is not a safetensors file: it has 7 bytes, and the first 8 say how "
            "long its header is");
  EXPECT_EQ(refusal(file_of("{}", "", 100'000'001)),
            "w.safetensors: it is not a safetensors file: its header would have 100000001 bytes, "
            "and 100000000 is the most");
  EXPECT_EQ(refusal(file_of("{}", "", ~std::uint64_t{0})),
            "w.safetensors: it is not a safetensors file: its header would have "
            "18446744073709551615 bytes, and 100000000 is the most");
  EXPECT_EQ(refusal(file_of("{}", "", 3)),
            "w.safetensors: it is cut off: its header would have 3 bytes, and 2 follow");
}

TEST(Safetensors, RefusesHeadersThatAreNone) {
  EXPECT_EQ(refusal("", ""),
            "w.safetensors: it is not a safetensors file: its header does not begin with '{'");
  EXPECT_EQ(refusal(" {}", ""),
            "w.safetensors: it is not a safetensors file: its header does not begin with '{'");
  EXPECT_EQ(refusal("[1]", ""),
            "w.safetensors: it is not a safetensors file: its header does not begin with '{'");
  EXPECT_EQ(refusal(R"({"a":)", ""),
            "w.safetensors: at byte 13: not valid JSON: it is cut off; expected '[', '{', or a "
            "literal");
  EXPECT_EQ(refusal("{}x", ""), "w.safetensors: at byte 10: not valid JSON: invalid literal");
  EXPECT_EQ(refusal(R"({"a":)" + std::string(80, '[') + "}", ""),
            "w.safetensors: at byte 76: nested deeper than 64 levels");
  const std::string fields = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_EQ(refusal(R"({"a":)" + fields + R"(,"a":)" + fields + "}", kEight),
            "w.safetensors: at byte 62: 'a' stands here twice (first in line 1)");
  EXPECT_EQ(refusal(R"({"__metadata__":[]})", ""),
            "w.safetensors: at byte 24: '__metadata__' must be an object, found a list");
  EXPECT_EQ(refusal(R"({"__metadata__":{"epochs":3}})", ""),
            "w.safetensors: at byte 34: 'epochs' must be a text, found 3");
}

TEST(Safetensors, RefusesTensorsThatAreNone) {
  EXPECT_EQ(refusal(R"({"a":7})", ""),
            "w.safetensors: at byte 13: the tensor 'a' must be an object, found 7");
  EXPECT_EQ(refusal(entry(R"("shape":[2],"data_offsets":[0,8])"), kEight),
            "w.safetensors: at byte 13: the tensor 'a' must have 'dtype'");
  EXPECT_EQ(
      refusal(entry(R"("dtype":"F31","shape":[2],"data_offsets":[0,8])"), kEight),
      "w.safetensors: at byte 22: 'dtype' must be F32, F16, BF16, F64, BOOL, U8, I8, F8_E5M2, "
      "F8_E4M3, I16, U16, I32, U32, I64 or U64, found \"F31\"; did you mean 'F32'?");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":2,"data_offsets":[0,8])"), kEight),
            "w.safetensors: at byte 36: 'shape' must be a list, found 2");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), kEight),
            "w.safetensors: at byte 37: 'shape' must be a whole number from 0 to 2^62, found -2");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), kEight),
            "w.safetensors: at byte 37: 'shape' must be a whole number from 0 to 2^62, found 2.0");
  EXPECT_EQ(
      refusal(entry(R"("dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8])"),
              kEight),
      "w.safetensors: at byte 37: 'shape': '99999999999999999999' does not fit in 63 bits; the "
      "largest whole number is 9223372036854775807");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"dtyp":1)"), kEight),
            "w.safetensors: at byte 61: the tensor 'a' has no field 'dtyp'; did you mean 'dtype'?");
}

// Columns count characters, and lines may be many; bytes are what a file has.
TEST(Safetensors, SaysByWhichByteOfTheFileAHeaderIsWrong) {
  const std::string header = "{\n\"\xC3\xA9\xC3\xA9\":7}";
  EXPECT_EQ(refusal(header, ""), "w.safetensors: at byte " + std::to_string(8 + header.find('7')) +
                                     ": the tensor '\xC3\xA9\xC3\xA9' must be an object, found 7");
}

TEST(Safetensors, RefusesPlacesThatAreNone) {
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), kEight),
            "w.safetensors: at byte 13: 'data_offsets' of 'a' must be the byte where it begins and "
            "the one "
            "where it ends, found a list of 1");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), kEight),
            "w.safetensors: at byte 13: 'a' ends before it begins: [8, 0]");
  EXPECT_EQ(
      refusal(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])"), "1234567"),
      "w.safetensors: at byte 13: it is cut off: 'a' would end at byte 8 of the data, and the "
      "file has 7 of them");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), kEight),
            "w.safetensors: at byte 13: 'a' has 8 bytes, and F32 (3) takes 12");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[4611686018427387904,2],"data_offsets":[0,8])"),
                    kEight),
            "w.safetensors: at byte 13: 'a' has more values than fit in 63 bits");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), kEight),
            "w.safetensors: at byte 13: bytes 0 to 4 of the data, before 'a', are of no tensor");
  EXPECT_EQ(refusal(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), kEight),
            "w.safetensors: the last 4 bytes of the file are of no tensor");
  EXPECT_EQ(
      refusal(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
              kEight),
      "w.safetensors: at byte 66: 'b' begins at byte 4 of the data, before the tensor in front of "
      "it ends at 8");
}

TEST(Safetensors, WritesWhatItReads) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("w.safetensors");
  const std::vector<std::byte> first(8, std::byte{1});
  const std::vector<std::byte> second(4, std::byte{2});
  const auto giving = [](const std::vector<std::byte>& bytes) {
    return [&bytes](const ByteSink& sink) -> Failure {
      if (Failure failure = sink(std::span(bytes).first(2))) return failure;
      return sink(std::span(bytes).subspan(2));
    };
  };
  ASSERT_FALSE(write_safetensors(
      path, {{"two \"quoted\"", {2, 1}, giving(first)}, {"one", {}, giving(second)}}));
  const Result<SafeTensors> read = read_safetensors(path);
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  ASSERT_EQ(read->tensors.size(), 2U);
  EXPECT_EQ(read->tensors[0].name, "two \"quoted\"");
  EXPECT_EQ(read->tensors[0].shape, (Shape{2, 1}));
  EXPECT_EQ(read->tensors[0].values.bytes[7], std::byte{1});
  EXPECT_EQ(read->tensors[1].values.bytes[0], std::byte{2});
  EXPECT_EQ(read->metadata.at("format"), "pt");
  const Result<std::string> text = read_text_file(path);
  EXPECT_EQ((text->size() - 12) % 8, 0U);
}

TEST(Safetensors, WritesNoNamesThatNobodyCanRead) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("w.safetensors");
  const auto refused = [&path](const std::string& name) {
    const std::vector<std::byte> value(4);
    const auto write = [&value](const ByteSink& sink) { return sink(value); };
    return write_safetensors(path, {{"a", {1}, write}, {name, {1}, write}})->message;
  };
  EXPECT_EQ(refused("b\xFF"),
            "the name of tensor 2 is not UTF-8, as names in safetensors files are");
  EXPECT_EQ(refused("__metadata__"),
            "tensor 2 is called '__metadata__', by which safetensors files have something else");
  EXPECT_FALSE(std::filesystem::exists(path));
}

// What cannot be given leaves the old file.
TEST(Safetensors, KeepsTheOldFileWhenTheNewOneFails) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("w.safetensors");
  ASSERT_FALSE(write_text_file(path, "old"));
  const Failure failure = write_safetensors(
      path, {{"a", {1}, [](const ByteSink&) -> Failure { return bad_input("no values"); }}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "no values");
  EXPECT_EQ(*read_text_file(path), "old");
}

}  // namespace
}  // namespace poet
