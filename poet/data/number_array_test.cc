#include "poet/data/number_array.h"

#include <gtest/gtest.h>

#include "poet/data/files_for_tests.h"

namespace poet {
namespace {

template <typename T>
std::vector<T> read(const NumberArray& array, ElementType element) {
  std::vector<T> values(static_cast<std::size_t>(value_count(array.shape)));
  const Failure failure =
      read_numbers(array.values, 0, element, std::as_writable_bytes(std::span(values)));
  if (failure) ADD_FAILURE() << failure->message;
  return values;
}

std::string idx_text(char type, const std::vector<char>& extents, const std::string& values) {
  std::string text = std::string(2, '\0') + type + static_cast<char>(extents.size());
  for (const char extent : extents) text += std::string(3, '\0') + extent;
  return text + values;
}

TEST(IdxArray, ReadsExtentsAndBytes) {
  const std::string path =
      file_with("a", idx_text(8, {2, 3}, {'\0', '\x01', '\x02', '\x03', '\x04', '\xFF'}));
  const Result<NumberArray> array = open_idx(path);
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(array->shape, (Shape{2, 3}));
  EXPECT_EQ(read<float>(*array, ElementType::Float32), (std::vector<float>{0, 1, 2, 3, 4, 255}));
}

TEST(IdxArray, HasItsMostSignificantByteFirst) {
  const std::string path = file_with("a", idx_text(11, {2}, {'\x01', '\x02', '\xFF', '\xFE'}));
  const Result<NumberArray> array = open_idx(path);
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(read<std::int64_t>(*array, ElementType::Int64), (std::vector<std::int64_t>{258, -2}));
}

TEST(IdxArray, RefusesOtherFiles) {
  const auto message = [](const std::string& text) {
    const Result<NumberArray> array = open_idx(file_with("x", text));
    return array.ok() ? "" : array.error().message.substr(array.error().message.find(" is no"));
  };
  EXPECT_EQ(message("ab"), " is not an IDX file: it is too short");
  EXPECT_EQ(message(std::string(20, '\0')),
            " is not an IDX file: it does not begin with two zero bytes, a type and a number of "
            "dimensions");
  EXPECT_EQ(message(idx_text(8, {2, 3}, "12345")),
            " is not an IDX file: its header says (2, 3) values, which 5 bytes do not hold");
}

// (2, 3) bytes of 1 to 6, as gzip packs them.
std::string gzipped() {
  return from_hexadecimal("1f8b08000000000002036360e0606260600061664626661656360048943ee512000000");
}

TEST(IdxArray, UnpacksWhatIsGzipped) {
  const std::string path = file_with("a.gz", gzipped());
  const Result<NumberArray> array = open_idx(path, {.folder = testing::TempDir()});
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(array->shape, (Shape{2, 3}));
  EXPECT_EQ(read<float>(*array, ElementType::Float32), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(IdxArray, RefusesWhatIsGzippedAndDamagedOrHasNowhereToGo) {
  const auto message = [](const std::string& text, const UnpackOptions& options) {
    const Result<NumberArray> array = open_idx(file_with("x", text), options);
    return array.ok() ? "" : array.error().message.substr(array.error().message.find("': "));
  };
  EXPECT_EQ(message(gzipped(), {}), "': there is no folder to unpack it into");
  EXPECT_EQ(message(gzipped().substr(0, 20), {.folder = testing::TempDir()}), "': it is cut off");
}

TEST(NpyArray, ReadsWhatNumpyWrites) {
  const std::string values = bytes_of<double>({0.5, -1, 2, 1e10, 3, 4});
  const std::string path = file_with(
      "a.npy",
      npy_text("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }      ", values));
  const Result<NumberArray> array = open_npy(path);
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(array->shape, (Shape{3, 2}));
  EXPECT_EQ(read<float>(*array, ElementType::Float32),
            (std::vector<float>{0.5F, -1, 2, 1e10F, 3, 4}));
}

TEST(NpyArray, ReadsScalarsAndRows) {
  const std::string row = file_with(
      "row.npy", npy_text("{'descr': '|u1', 'fortran_order': True, 'shape': (2,)}", "ab"));
  EXPECT_EQ(read<std::int64_t>(*open_npy(row), ElementType::Int64),
            (std::vector<std::int64_t>{97, 98}));
  const std::string scalar = file_with(
      "scalar.npy", npy_text("{'descr':'>i2','fortran_order':False,'shape':()}", "\x01\x02"));
  EXPECT_EQ(read<std::int64_t>(*open_npy(scalar), ElementType::Int64),
            (std::vector<std::int64_t>{258}));
}

TEST(NpyArray, ReadsWhatIsWritten) {
  const std::string text = npy_header({99, 2, 3}, 1) + bytes_of<float>({1, 2, 3, 4, 5, 6});
  const Result<NumberArray> array = open_npy(file_with("own.npy", text));
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_EQ(array->shape, (Shape{1, 2, 3}));
  EXPECT_EQ(array->values.offset_bytes % 64, 0);
  EXPECT_EQ(read<float>(*array, ElementType::Float32), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyArray, RefusesWhatItCannotRead) {
  const auto message = [](const std::string& text) {
    const Result<NumberArray> array = open_npy(file_with("x", text));
    return array.ok() ? "" : array.error().message.substr(array.error().message.find("' ") + 1);
  };
  EXPECT_EQ(message("hello, this is text"), " is not an NPY array: it does not begin as one");
  EXPECT_EQ(message(npy_text("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "abcd")),
            " is in column-major order: save it after numpy.ascontiguousarray()");
  EXPECT_EQ(
      message(npy_text("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "abcdefgh")),
      " is made of '<c8': arrays of whole numbers, bool, float32 and float64 can be read");
  EXPECT_EQ(message(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "abcd")),
            " is not an NPY array: its header says (2) values, which 4 bytes do not hold");
  EXPECT_EQ(message(npy_text("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", "abcde")),
            " is not an NPY array: it is 1 byte longer than the (2) values that its header says");
  EXPECT_EQ(message(npy_text("{'descr': '<f4'", "abcd")),
            " is not an NPY array: its header does not say descr, fortran_order and shape");
  EXPECT_EQ(
      message(npy_text("{'descr': '<f4', 'fortran_order': False, "
                       "'shape': (9223372036854775807, 2)}",
                       "abcd")),
      " is not an NPY array: its header says (9223372036854775807, 2) values, which 4 bytes do "
      "not hold");
}

TEST(ReadNumbers, RefusesWhatTheElementCannotHold) {
  const std::string path = file_with("big", bytes_of<std::uint64_t>({1, std::uint64_t{1} << 63}));
  NumberRun run;
  run.file = std::make_shared<const DataFile>(*DataFile::open(path));
  run.number = StoredNumber::Uint64;
  std::vector<std::int64_t> values(2);
  const Failure failure =
      read_numbers(run, 0, ElementType::Int64, std::as_writable_bytes(std::span(values)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "'" + path + "': the number at byte 8 does not fit in int64");
}

TEST(ReadNumbers, RefusesPlacesBeyondTheEnd) {
  const std::string path = file_with("short", "abc");
  NumberRun run;
  run.file = std::make_shared<const DataFile>(*DataFile::open(path));
  std::vector<float> values(2);
  const Failure failure =
      read_numbers(run, 2, ElementType::Float32, std::as_writable_bytes(std::span(values)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "cannot read '" + path + "': it ends at byte 3, where 1 more should follow");
}

// More numbers than are read at once.
TEST(ReadNumbers, ReadsLongRuns) {
  std::vector<std::uint16_t> numbers(20'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint16_t>(3 * i);
  NumberRun run;
  run.file =
      std::make_shared<const DataFile>(*DataFile::open(file_with("long", bytes_of(numbers))));
  run.number = StoredNumber::Uint16;
  std::vector<std::int64_t> values(numbers.size() - 7);
  ASSERT_FALSE(read_numbers(run, 7, ElementType::Int64, std::as_writable_bytes(std::span(values))));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], numbers[i + 7]);
}

}  // namespace
}  // namespace poet
