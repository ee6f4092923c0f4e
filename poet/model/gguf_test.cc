#include "poet/model/gguf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "poet/model/ggml_blocks.h"
#include "poet/model/load_weights.h"
#include "poet/model/real_networks.h"
#include "poet/model/weight_values.h"

namespace poet {
namespace {

template <typename Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

std::string text(const std::string& value) {
  return bytes_of<std::uint64_t>(value.size()) + value;
}

// A file as the format has it, of which a test spoils a part.
struct GgufText {
  std::uint32_t version = 3;
  std::optional<std::uint64_t> tensor_count = {};
  std::optional<std::uint64_t> said_count = {};
  std::vector<std::string> said = {text("general.architecture") + bytes_of<std::uint32_t>(8) +
                                   text("llama")};
  std::vector<std::string> tensors = {};
  std::string data = {};

  std::string bytes() const {
    std::string all = "GGUF" + bytes_of(version) + bytes_of(tensor_count.value_or(tensors.size())) +
                      bytes_of(said_count.value_or(said.size()));
    for (const std::string& one : said) all += one;
    for (const std::string& one : tensors) all += one;
    if (data.empty()) return all;
    while (all.size() % 32 != 0) all += '\0';
    return all + data;
  }
};

std::string tensor(const std::string& name, const std::vector<std::uint64_t>& extents,
                   std::uint32_t type, std::uint64_t offset) {
  std::string info = text(name) + bytes_of(static_cast<std::uint32_t>(extents.size()));
  for (const std::uint64_t extent : extents) info += bytes_of(extent);
  return info + bytes_of(type) + bytes_of(offset);
}

Result<GgufFile> parsed(const std::string& bytes) {
  std::vector<std::byte> copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return parse_gguf(store(std::move(copy)), "a.gguf");
}

std::string refusal_of(const std::string& bytes) {
  const Result<GgufFile> file = parsed(bytes);
  return file.ok() ? std::string() : to_string(file.error());
}

GgufText with_tensor(const std::string& info, std::size_t data_bytes) {
  return {.tensors = {info}, .data = std::string(data_bytes, '\1')};
}

TEST(ParseGguf, TurnsExtentsRoundAndLeavesListsOut) {
  GgufText file = with_tensor(tensor("w", {3, 2}, 0, 0), 24);
  file.said.push_back(text("words") + bytes_of<std::uint32_t>(9) + bytes_of<std::uint32_t>(8) +
                      bytes_of<std::uint64_t>(2) + text("a") + text("b"));
  file.said.push_back(text("llama.block_count") + bytes_of<std::uint32_t>(4) +
                      bytes_of<std::uint32_t>(7));
  const Result<GgufFile> read = parsed(file.bytes());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->tensors.size(), 1U);
  EXPECT_EQ(read->tensors[0].shape, (Shape{2, 3}));
  EXPECT_EQ(read->tensors[0].values.bytes.size(), 24U);
  ASSERT_EQ(read->metadata.size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(read->metadata[1].second.data), 7);
}

TEST(ParseGguf, TakesBlocksOfEightAndFourBitsAsTheyLie) {
  for (const auto& [type, bytes, bits] : {std::tuple(8U, 68U, 8), std::tuple(2U, 36U, 4)}) {
    const Result<GgufFile> read = parsed(with_tensor(tensor("w", {32, 2}, type, 0), bytes).bytes());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->tensors[0].blocks, (WeightBlocks{bits, 32}));
    EXPECT_EQ(read->tensors[0].values.bytes.size(), bytes);
  }
}

TEST(ParseGguf, RefusesWhatIsCutOffOrCountsTooMuch) {
  EXPECT_EQ(refusal_of(""), "a.gguf: it is not a GGUF file: it does not begin with 'GGUF'");
  EXPECT_EQ(refusal_of("GGUF"), "a.gguf: it is cut off in its version, at byte 4");
  EXPECT_EQ(refusal_of(GgufText{.version = 1}.bytes()),
            "a.gguf: it is of version 1 of GGUF, and POET reads 2 and 3 as machines with the low "
            "byte first write them");
  EXPECT_EQ(refusal_of(GgufText{.tensor_count = UINT64_MAX}.bytes()),
            "a.gguf: it is cut off in the name of a tensor, at byte 69");
  EXPECT_EQ(refusal_of(GgufText{.said_count = UINT64_MAX}.bytes()),
            "a.gguf: it is cut off in the name of what it says, at byte 69");
  GgufText file;
  const std::string list = text("l") + bytes_of<std::uint32_t>(9);
  file.said = {list + bytes_of<std::uint32_t>(10) + bytes_of<std::uint64_t>(UINT64_MAX / 4)};
  EXPECT_EQ(refusal_of(file.bytes()), "a.gguf: it is cut off in 'l', at byte 49");
  std::string deep = list;
  for (int i = 0; i < 9; ++i) deep += bytes_of<std::uint32_t>(9) + bytes_of<std::uint64_t>(1);
  file.said = {deep};
  EXPECT_EQ(refusal_of(file.bytes()), "a.gguf: 'l' has lists more than 4 deep");
  file.said = {text("k") + bytes_of<std::uint32_t>(13)};
  EXPECT_EQ(refusal_of(file.bytes()), "a.gguf: 'k' is of type 13, which GGUF does not have");
  const std::string flag = text("k") + bytes_of<std::uint32_t>(7) + "\1";
  file.said = {flag, flag};
  EXPECT_EQ(refusal_of(file.bytes()), "a.gguf: 'k' is there twice");
  for (const std::uint32_t alignment : {0U, 12U, 1U << 31}) {
    file.said = {text("general.alignment") + bytes_of<std::uint32_t>(4) + bytes_of(alignment)};
    EXPECT_EQ(refusal_of(file.bytes()),
              "a.gguf: 'general.alignment' must be a multiple of 8 up to 1073741824, found " +
                  std::to_string(alignment));
  }
}

TEST(ParseGguf, RefusesMoreTensorsThanAnyNetworkHas) {
  GgufText file;
  for (std::uint64_t i = 0; i < 65'537; ++i)
    file.tensors.push_back(tensor(std::to_string(i), {1}, 0, 32 * i));
  EXPECT_EQ(refusal_of(file.bytes()),
            "a.gguf: it has 65537 tensors, and POET reads 65536 of a file at the most");
  file.tensors.pop_back();
  file.data = std::string(32 * 65'536, '\1');
  EXPECT_EQ(refusal_of(file.bytes()), "");
}

TEST(ParseGguf, RefusesTensorsThatAreNotInTheFile) {
  const auto refused = [](const std::string& info, std::size_t data_bytes) {
    return refusal_of(with_tensor(info, data_bytes).bytes());
  };
  EXPECT_EQ(refused(tensor("w", {}, 0, 0), 4), "a.gguf: 'w' has 0 dimensions, and GGUF has 1 to 4");
  EXPECT_EQ(refused(tensor("w", {1, 1, 1, 1, 1}, 0, 0), 4),
            "a.gguf: 'w' has 5 dimensions, and GGUF has 1 to 4");
  EXPECT_EQ(refused(tensor("w", {0}, 0, 0), 4), "a.gguf: 'w' has an extent of 0");
  EXPECT_EQ(refused(tensor("w", {std::uint64_t{1} << 40, std::uint64_t{1} << 40}, 0, 0), 4),
            "a.gguf: 'w' has more values than fit in 63 bits");
  EXPECT_EQ(refused(tensor("w", {std::uint64_t{1} << 61}, 28, 0), 4),
            "a.gguf: 'w' has more values than fit in 63 bits");
  EXPECT_EQ(refused(tensor("w", {2}, 0, 0), 4),
            "a.gguf: it is cut off: 'w' begins at byte 0 of the data and has 8 bytes, and the file "
            "has 4 of them");
  EXPECT_EQ(refused(tensor("w", {1}, 0, UINT64_MAX - 31), 4),
            "a.gguf: it is cut off: 'w' begins at byte 18446744073709551584 of the data and has 4 "
            "bytes, and the file has 4 of them");
  EXPECT_EQ(refused(tensor("w", {1}, 0, 4), 8),
            "a.gguf: 'w' begins at byte 4 of the data, and tensors begin at multiples of 32");
  EXPECT_EQ(refused(tensor("w", {33}, 8, 0), 68),
            "a.gguf: 'w' has rows of 33 values, and Q8_0 has blocks of 32");
  EXPECT_EQ(
      refused(tensor("w", {32}, 10, 0), 68),
      "a.gguf: 'w' is of GGUF's type 10, and POET reads F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, "
      "Q5_0, Q5_1, Q4_K, Q5_K and Q6_K");
  GgufText file;
  file.tensors = {tensor("w", {1}, 0, 0), tensor("w", {1}, 0, 32)};
  file.data = std::string(36, '\1');
  EXPECT_EQ(refusal_of(file.bytes()), "a.gguf: 'w' is there twice");
  file.tensors = {tensor("v", {1}, 0, 0), tensor("w", {9}, 0, 0)};
  EXPECT_EQ(refusal_of(file.bytes()),
            "a.gguf: 'w' begins at byte 0 of the data, before the tensor in front of it ends at 4");
}

// Files of safetensors, which are written of these, can have no such names.
TEST(ParseGguf, RefusesNamesThatSafetensorsCannotHave) {
  EXPECT_EQ(refusal_of(with_tensor(tensor("w\xFF", {1}, 0, 0), 4).bytes()),
            "a.gguf: the name of a tensor at byte 69 is not UTF-8");
  EXPECT_EQ(refusal_of(with_tensor(tensor("__metadata__", {1}, 0, 0), 4).bytes()),
            "a.gguf: the name of a tensor at byte 69 is '__metadata__', by which safetensors files "
            "have something else");
  EXPECT_EQ(refusal_of(with_tensor(tensor("w\xC3\xA9", {1}, 0, 0), 4).bytes()), "");
}

std::string said(const std::string& key, std::uint32_t kind, const std::string& value) {
  return text(key) + bytes_of(kind) + value;
}

TEST(ParseGguf, KeepsOfWhatItSaysOnlyWhatIsAskedFor) {
  GgufText file = with_tensor(tensor("w", {1}, 0, 0), 4);
  file.said.push_back(said("tokenizer.chat_template", 8, text(std::string(1 << 20, 'x'))));
  file.said.push_back(said("other.block_count", 4, bytes_of<std::uint32_t>(3)));
  file.said.push_back(said("llama.block_count", 4, bytes_of<std::uint32_t>(2)));
  file.said.push_back(said("general.alignment", 4, bytes_of<std::uint32_t>(32)));
  const Result<GgufFile> read = parsed(file.bytes());
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::string> keys;
  for (const auto& [key, value] : read->metadata) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"general.architecture", "llama.block_count",
                                            "general.alignment"}));
}

TEST(ParseGguf, RefusesListsAndLongTextsWhereOneValueIsAskedFor) {
  const std::string list =
      bytes_of<std::uint32_t>(4) + bytes_of<std::uint64_t>(1) + bytes_of<std::uint32_t>(2);
  for (const char* const key : {"llama.block_count", "llama.attention.head_count_kv",
                                "llama.rope.scaling.factor", "general.alignment"}) {
    GgufText file;
    file.said.push_back(said(key, 9, list));
    EXPECT_EQ(refusal_of(file.bytes()),
              "a.gguf: '" + std::string(key) + "' is a list, and takes one value");
  }
  GgufText file;
  file.said = {said("general.architecture", 8, text(std::string(5000, 'x')))};
  EXPECT_EQ(refusal_of(file.bytes()),
            "a.gguf: 'general.architecture' is a text of 5,000 bytes, and takes a word of at most "
            "1024");
  file.said = {said("general.tags", 9, list)};  // which nobody asks for
  EXPECT_EQ(refusal_of(file.bytes()), "");
}

// Q8_0 has blocks of 34 bytes, which are no whole number of floats.
TEST(GgufConfig, TakesRotaryFactorsForFloatsWhereTheyAre) {
  GgufText file = with_tensor(tensor("rope_freqs.weight", {32}, 8, 0), 34);
  Result<GgufFile> read = parsed(file.bytes());
  ASSERT_TRUE(read.ok());
  const Result<JsonValue> config = gguf_config(*read, "a.gguf");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(std::get<JsonMembers>(config->data).size(), 1U);
}

TEST(ParseGguf, LooksAtScalesOnlyWhenItIsAskedTo) {
  for (const std::uint32_t type : {2U, 3U, 6U, 7U, 8U, 12U, 13U, 14U}) {
    const GgmlType& known = *find_ggml_type(type);
    GgufText file;
    file.tensors = {tensor("w", {static_cast<std::uint64_t>(known.values), 2}, type, 0)};
    const auto block = static_cast<std::size_t>(known.bytes);
    file.data = std::string(2 * block, '\1');
    EXPECT_EQ(refusal_of(file.bytes()), "") << known.name;
    const std::size_t scale =
        known.scales.empty() ? 0 : static_cast<std::size_t>(known.scales.back());
    file.data[block + scale + 1] = '\x7C';
    const Result<GgufFile> read = parsed(file.bytes());
    ASSERT_TRUE(read.ok()) << known.name;
    const Failure failure = check_values(read->tensors[0], NonFinite::Taken);
    ASSERT_TRUE(failure) << known.name;
    EXPECT_EQ(to_string(*failure), "a.gguf: the scale of block 1 of 'w' is not a finite number")
        << known.name;
  }
}

// Every number of a block decodes to scale times it and what is added, with the scale 1/2.
TEST(GgmlBlocks, HaveEachNumberInItsPlace) {
  std::vector<std::byte> block(22, std::byte{0});
  block[1] = std::byte{0x38};                 // the float16 1/2
  const GgmlType& type = *find_ggml_type(6);  // Q5_0
  for (std::int64_t k = 0; k < 32; ++k) {
    std::vector<std::byte> one = block;
    one[static_cast<std::size_t>(2 + k / 8)] = std::byte(1U << (k % 8));
    one[static_cast<std::size_t>(6 + k % 16)] = k < 16 ? std::byte{0x03} : std::byte{0x30};
    for (std::int64_t other = 0; other < 32; ++other)
      EXPECT_EQ(type.value(one.data(), other), other == k ? 1.5F : -8.0F) << k << " " << other;
  }
}

TEST(GgufConfig, SaysWhatTheNetworkIs) {
  const Result<GgufFile> file = parsed(GgufText{}.bytes());
  ASSERT_TRUE(file.ok());
  const Result<JsonValue> config = gguf_config(*file, "a.gguf");
  ASSERT_TRUE(config.ok());
  const auto& members = std::get<JsonMembers>(config->data);
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].key, "model_type");
  EXPECT_EQ(std::get<std::string>(members[0].value.data), "llama");
  EXPECT_EQ(gguf_config({}, "a.gguf").error().message,
            "it does not say of which architecture it is, by a text 'general.architecture'");
}

}  // namespace
}  // namespace poet
