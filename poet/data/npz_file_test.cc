#include "poet/data/npz_file.h"

#include <gtest/gtest.h>

#include "poet/data/files_for_tests.h"

namespace poet {
namespace {

std::string whole(std::uint64_t value, int length) {
  std::string bytes;
  for (int i = 0; i < length; ++i)
    bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
  return bytes;
}

struct ZipEntry {
  std::string name;
  std::string bytes;
  std::uint64_t method = 0;
  std::uint64_t crc32 = 0;           // of a method that packs; else that of the bytes
  std::uint64_t unpacked_bytes = 0;  // of a method that packs
};

// As section 4.4.7 of APPNOTE.TXT has it, bit for bit.
std::uint64_t checksum_of(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes) {
    rest ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xEDB88320 : 0);
  }
  return rest ^ 0xFFFFFFFF;
}

enum class Sizes { In32Bits, In64Bits };

// As numpy.savez() writes it: with In64Bits the sizes stand in the extra fields, as those of arrays
// beyond 4 GiB do.
std::string zip_text(const std::vector<ZipEntry>& entries, Sizes sizes) {
  const bool wide = sizes == Sizes::In64Bits;
  std::string files;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::uint64_t packed = entry.bytes.size();
    const std::uint64_t length = entry.method == 0 ? packed : entry.unpacked_bytes;
    const std::uint64_t checksum = entry.method == 0 ? checksum_of(entry.bytes) : entry.crc32;
    const std::string extra = wide ? whole(1, 2) + whole(24, 2) + whole(length, 8) +
                                         whole(packed, 8) + whole(files.size(), 8)
                                   : "";
    const std::string sizes_text =
        whole(wide ? 0xFFFFFFFF : packed, 4) + whole(wide ? 0xFFFFFFFF : length, 4);
    const std::string offset = whole(wide ? 0xFFFFFFFF : files.size(), 4);
    const std::string common = whole(entry.method, 2) + whole(0, 4) + whole(checksum, 4) +
                               sizes_text + whole(entry.name.size(), 2) + whole(extra.size(), 2);
    directory += whole(0x02014B50, 4) + whole(45, 2) + whole(45, 2) + whole(0, 2) + common +
                 whole(0, 10) + offset + entry.name + extra;
    files += whole(0x04034B50, 4) + whole(45, 2) + whole(0, 2) + common + entry.name + extra +
             entry.bytes;
  }
  const std::string end = whole(0x06054B50, 4) + whole(0, 4) + whole(entries.size(), 2) +
                          whole(entries.size(), 2) + whole(directory.size(), 4) +
                          whole(files.size(), 4) + whole(0, 2);
  return files + directory + end;
}

std::string npy_row(const std::vector<std::int32_t>& values) {
  return npy_text(
      "{'descr': '<i4', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",)}",
      bytes_of(values));
}

class NpzFile : public testing::TestWithParam<Sizes> {};

TEST_P(NpzFile, FindsItsArrays) {
  const std::string path = file_with(
      "a.npz",
      zip_text({{"x.npy", npy_row({1, 2})}, {"note.txt", "hello"}, {"y.npy", npy_row({7})}},
               GetParam()));
  const Result<std::vector<NamedArray>> arrays = open_npz(path);
  ASSERT_TRUE(arrays.ok()) << arrays.error().message;
  ASSERT_EQ(arrays->size(), 2U);
  EXPECT_EQ((*arrays)[0].name, "x");
  EXPECT_EQ((*arrays)[1].name, "y");
  std::vector<std::int64_t> values(1);
  ASSERT_FALSE(read_numbers((*arrays)[1].array.values, 0, ElementType::Int64,
                            std::as_writable_bytes(std::span(values))));
  EXPECT_EQ(values[0], 7);
}
INSTANTIATE_TEST_SUITE_P(, NpzFile, testing::Values(Sizes::In32Bits, Sizes::In64Bits));

// npy_row({7, 8, 9}), as zlib packs it; its checksum is kPackedCrc32.
std::string packed_row() {
  return from_hexadecimal(
      "9bec17ea1b10c9c860c150ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a12774bcc29"
      "4e058a17672416a402f91ac63a9ab55cec0c0c0c1c40cc09c400");
}
constexpr std::uint64_t kPackedCrc32 = 0x4062F374;
constexpr std::uint64_t kUnpackedBytes = 78;

ZipEntry packed_entry() {
  return {.name = "x.npy",
          .bytes = packed_row(),
          .method = 8,
          .crc32 = kPackedCrc32,
          .unpacked_bytes = kUnpackedBytes};
}

TEST_P(NpzFile, UnpacksCompressedArrays) {
  const std::string path = file_with("a.npz", zip_text({packed_entry()}, GetParam()));
  const Result<std::vector<NamedArray>> arrays = open_npz(path, {.folder = testing::TempDir()});
  ASSERT_TRUE(arrays.ok()) << arrays.error().message;
  std::vector<std::int64_t> values(3);
  ASSERT_FALSE(read_numbers(arrays->front().array.values, 0, ElementType::Int64,
                            std::as_writable_bytes(std::span(values))));
  EXPECT_EQ(values, (std::vector<std::int64_t>{7, 8, 9}));
}

TEST(NpzFileErrors, RefusesCompressedArraysThatAreNotWhatTheySay) {
  const auto message = [](const ZipEntry& entry) {
    const Result<std::vector<NamedArray>> arrays = open_npz(
        file_with("a.npz", zip_text({entry}, Sizes::In32Bits)), {.folder = testing::TempDir()});
    return arrays.ok() ? ""
                       : arrays.error().message.substr(arrays.error().message.find("npz' ") + 4);
  };
  ZipEntry entry = packed_entry();
  entry.method = 12;
  EXPECT_EQ(message(entry),
            " is compressed by method 12 of ZIP: save with numpy.savez() or "
            "numpy.savez_compressed()");
  const auto unpacking = [](const ZipEntry& one) {
    const Result<std::vector<NamedArray>> arrays = open_npz(
        file_with("a.npz", zip_text({one}, Sizes::In32Bits)), {.folder = testing::TempDir()});
    return arrays.ok() ? "" : arrays.error().message.substr(arrays.error().message.find("': ") + 3);
  };
  entry = packed_entry();
  entry.crc32 += 1;
  EXPECT_EQ(unpacking(entry), "it does not have its checksum");
  entry = packed_entry();
  entry.unpacked_bytes += 1;
  EXPECT_EQ(unpacking(entry), "it has 78 bytes, and says 79");
}

TEST(NpzFileErrors, RefusesStoredArraysThatWereChanged) {
  const auto message = [](const std::string& text) {
    const Result<std::vector<NamedArray>> arrays = open_npz(file_with("a.npz", text));
    return arrays.ok() ? "" : arrays.error().message.substr(arrays.error().message.find("': ") + 3);
  };
  const std::string right = zip_text({{"x.npy", npy_row({7, 8, 9})}}, Sizes::In32Bits);
  EXPECT_EQ(message(right), "");
  const std::string row = bytes_of(std::vector<std::int32_t>{7, 8, 9});
  const std::size_t values = right.find(row);
  ASSERT_NE(values, std::string::npos);
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::string changed = right;
    changed[values + i] = static_cast<char>(changed[values + i] ^ 1);
    EXPECT_EQ(message(changed), "it does not have its checksum");
  }
}

TEST(NpzFileErrors, RefusesTwoArraysOfOneName) {
  const Result<std::vector<NamedArray>> arrays = open_npz(file_with(
      "a.npz", zip_text({{"x.npy", npy_row({1})}, {"x.npy", npy_row({2})}}, Sizes::In32Bits)));
  ASSERT_FALSE(arrays.ok());
  EXPECT_EQ(arrays.error().message.substr(arrays.error().message.find("' ") + 1),
            " is not an NPZ file: it holds 'x.npy' twice");
}

TEST(NpzFileErrors, RefusesWhatIsNoArchive) {
  const auto message = [](const std::string& text) {
    const Result<std::vector<NamedArray>> arrays = open_npz(file_with("x.npz", text));
    return arrays.ok() ? "" : arrays.error().message.substr(arrays.error().message.find("' ") + 1);
  };
  EXPECT_EQ(message("some text"), " is not an NPZ file: it has no directory");
  EXPECT_EQ(message(zip_text({{"note.txt", "hello"}}, Sizes::In32Bits)),
            " is not an NPZ file: it holds no NPY arrays");
}

// Wherever an archive is cut, or a byte of it changed, it is read or refused, and nothing else.
TEST(NpzFileErrors, SurvivesEveryCutAndEveryChangedByte) {
  const std::string whole_text = zip_text({{"x.npy", npy_row({1, 2, 3})}}, Sizes::In64Bits);
  for (std::size_t i = 0; i < whole_text.size(); ++i) {
    (void)open_npz(file_with("cut.npz", whole_text.substr(0, i)));
    std::string changed = whole_text;
    changed[i] = static_cast<char>(changed[i] ^ 0xFF);
    (void)open_npz(file_with("changed.npz", changed));
  }
}

}  // namespace
}  // namespace poet
