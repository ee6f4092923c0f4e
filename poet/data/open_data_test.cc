#include "poet/data/open_data.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/data/files_for_tests.h"

namespace poet {
namespace {

ExamplePart floats(const std::string& name, Shape shape) {
  return {.name = name, .type = {ElementType::Float32, std::move(shape)}};
}
ExamplePart wholes(const std::string& name, Shape shape, std::int64_t limit) {
  return {.name = name, .type = {ElementType::Int64, std::move(shape)}, .value_limit = limit};
}

const WantedParts kDigits{{floats("image", {1, 2, 2}), wholes("labels", {}, 10)}};
const WantedParts kText{{wholes("input_ids", {3}, 100), wholes("labels", {3}, 100)}};

std::string message_of(const DataSource& source, const WantedParts& wanted) {
  const Result<std::unique_ptr<Dataset>> data = open_data(source, wanted);
  return data.ok() ? "" : data.error().message;
}

std::string idx_images() {
  return std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02", 16) +
         std::string("\0\x33\x66\xFF\x01\x02\x03\x04", 8);
}
std::string idx_labels(char first, char second) {
  return std::string("\0\0\x08\x01\0\0\0\x02", 8) + first + second;
}

TEST(OpenData, ReadsMnistFromAFolder) {
  const std::string folder = testing::TempDir() + "poet-data-mnist";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/train-images-idx3-ubyte", std::ios::binary) << idx_images();
  std::ofstream(folder + "/train-labels-idx1-ubyte", std::ios::binary) << idx_labels(3, 9);
  const Result<std::unique_ptr<Dataset>> data = open_data({.paths = {folder}}, kDigits);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ((*data)->size(), 2);
  EXPECT_EQ(values_of<float>(**data, 0, 0), (std::vector<float>{0, 0.2F, 0.4F, 1}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 1), (std::vector<std::int64_t>{9}));
  EXPECT_TRUE(folder_has_split(folder, DataSplit::Training));
  EXPECT_FALSE(folder_has_split(folder, DataSplit::Test));
  EXPECT_EQ(message_of({.paths = {folder}, .split = DataSplit::Test}, kDigits),
            "the folder '" + folder +
                "' has no test data: test_batch.bin of CIFAR-10, or t10k-images* and t10k-labels* "
                "of MNIST");
}

TEST(OpenData, SaysWhichExampleHasALabelThatTheNetworkDoesNotKnow) {
  const DataSource source{
      .paths = {file_with("images.idx", idx_images()), file_with("labels.idx", idx_labels(3, 12))}};
  const Result<std::unique_ptr<Dataset>> data = open_data(source, kDigits);
  ASSERT_TRUE(data.ok()) << data.error().message;
  std::int64_t label = 0;
  const Failure failure = (*data)->read(1, 1, std::as_writable_bytes(std::span(&label, 1)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "example 1 of the data has 12 in its 'labels': the network knows 0 to 9");
}

TEST(OpenData, CutsRawTokensIntoExamplesWithTheirNextTokens) {
  const std::string path = file_with("t.bin", bytes_of<std::uint32_t>({5, 6, 7, 8, 9, 10, 11, 12}));
  const Result<std::unique_ptr<Dataset>> data = open_data(
      {.paths = {path}, .format = DataFormat::Tokens, .tokens = StoredNumber::Uint32}, kText);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ((*data)->size(), 2);
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 0), (std::vector<std::int64_t>{8, 9, 10}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 1), (std::vector<std::int64_t>{9, 10, 11}));
}

TEST(OpenData, ReadsTokensFromAnNpyRow) {
  const std::string path =
      file_with("t.npy", npy_text("{'descr': '<u2', 'fortran_order': False, 'shape': (5,)}",
                                  bytes_of<std::uint16_t>({1, 2, 3, 4, 5})));
  const Result<std::unique_ptr<Dataset>> data = open_data({.paths = {path}}, kText);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ((*data)->size(), 1);
  EXPECT_EQ(values_of<std::int64_t>(**data, 0, 1), (std::vector<std::int64_t>{2, 3, 4}));
}

// Two rows of two tokens with their labels, for a network that also wants types.
TEST(OpenData, FillsInTokenTypesAndFindsPartsByNameOrOrder) {
  const std::string ids =
      file_with("a.npy", npy_text("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)}",
                                  bytes_of<std::int64_t>({1, 2, 3, 4})));
  const std::string labels =
      file_with("b.npy", npy_text("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}",
                                  bytes_of<std::int32_t>({0, 1})));
  const WantedParts wanted{
      {wholes("input_ids", {2}, 100), wholes("token_type_ids", {2}, 2), wholes("labels", {}, 2)}};
  const Result<std::unique_ptr<Dataset>> data = open_data({.paths = {ids, labels}}, wanted);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 0), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 1), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(values_of<std::int64_t>(**data, 1, 2), (std::vector<std::int64_t>{1}));
}

// They would be taken as they are.
TEST(OpenData, RefusesAScaleOfWhatIsNoPixels) {
  const std::string floats =
      file_with("f.npy", npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 2)}",
                                  std::string(16, '\0')));
  const std::string bytes =
      file_with("p.npy", npy_text("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2, 2)}",
                                  std::string(4, '\0')));
  const std::string labels =
      file_with("l.npy", npy_text("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "\1"));
  const PixelScale scale{.deviation = {0.5F}};
  const std::string why = " none: leave them out, or scale the numbers before";
  const std::string what = "--pixel-mean and --pixel-deviation are of pixels of a byte, and ";
  EXPECT_EQ(message_of({.paths = {floats, labels}, .scale = scale}, kDigits),
            what + "'" + floats + "' has" + why);
  EXPECT_EQ(message_of({.scale = scale, .synthetic_examples = 1}, kDigits),
            what + "made-up examples have" + why);
  EXPECT_EQ(message_of({.paths = {bytes, labels}, .scale = scale}, kDigits), "");
  EXPECT_EQ(message_of({.paths = {floats, labels}}, kDigits), "");
}

TEST(OpenData, RefusesArraysOfDifferentLengths) {
  const std::string a = file_with(
      "a.npy", npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd"));
  const std::string b =
      file_with("b.npy", npy_text("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab"));
  EXPECT_EQ(message_of({.paths = {a, b}}, kDigits),
            "'" + a + "' has 1 examples and '" + b + "' has 2: they should be as many");
}

TEST(OpenData, SaysWhatIsMissing) {
  const std::string a = file_with(
      "a.npy",
      npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}", "abcdabcdabcd"));
  const std::string b =
      file_with("b.npy", npy_text("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "a"));
  const std::string stem = std::filesystem::path(a).stem().string();
  const std::string other = std::filesystem::path(b).stem().string();
  EXPECT_EQ(message_of({.paths = {a, b}}, kDigits),
            "the network wants 'image' float32 (1, 2, 2) of every example, and the data have '" +
                stem + "' float32 (3), '" + other + "' int64 ()");
}

TEST(OpenData, RefusesPathsThatDoNotSayWhatTheyAre) {
  const std::string mystery = file_with("mystery", "?");
  EXPECT_EQ(message_of({.paths = {mystery}}, kDigits),
            "'" + mystery + "' does not say what is in it: give --data-format");
  EXPECT_EQ(message_of({.paths = {"nowhere"}}, kDigits),
            "cannot read 'nowhere': No such file or directory");
  EXPECT_EQ(message_of({.paths = {"a-ubyte"}}, kDigits),
            "IDX data are two files: the images, and after a comma the labels");
  EXPECT_EQ(message_of({.paths = {"t.npy"}, .format = DataFormat::Tokens}, kDigits),
            "tokens alone teach what comes next, and this network has other inputs or targets: "
            "give arrays for each, as NPY or NPZ");
}

}  // namespace
}  // namespace poet
