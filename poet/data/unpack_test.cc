#include "poet/data/unpack.h"

#include <gtest/gtest.h>

#include "poet/data/files_for_tests.h"
#include "tests/support/failing_file_calls.h"

namespace poet {
namespace {

// "poet" seven times, with blanks between: as zlib 1.2.13 packs it.
constexpr std::int64_t kSayingBytes = 34;
constexpr std::uint32_t kSayingCrc32 = 0xF7D349D5;
const std::string kSaying = "poet poet poet poet poet poet poet";

std::string deflated_saying() {
  return from_hexadecimal("2bc84f2d5128c0470000");
}
std::string gzipped_saying() {
  return from_hexadecimal("1f8b08000000000002032bc84f2d5128c0470000d549d3f722000000");
}

// 100,000 zeros in 114 bytes.
std::string many_zeros() {
  return from_hexadecimal("edc13101000000c2a0f54f6d0d0fa0") + std::string(96, '\0') +
         from_hexadecimal("805703");
}

PackedBytes packed(const std::string& bytes, PackedForm form) {
  Result<DataFile> file = DataFile::open(file_with("packed", bytes));
  EXPECT_TRUE(file.ok());
  return {.name = "the file",
          .file = std::make_shared<const DataFile>(*std::move(file)),
          .size_bytes = static_cast<std::int64_t>(bytes.size()),
          .form = form};
}

UnpackOptions here() {
  return {.folder = ::testing::TempDir()};
}

std::string contents(const DataFile& file) {
  std::string text(static_cast<std::size_t>(file.size_bytes()), '\0');
  EXPECT_FALSE(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string complaint(const PackedBytes& bytes, const UnpackedSize& size,
                      const UnpackOptions& options = here()) {
  const Result<std::shared_ptr<const DataFile>> file = unpack(bytes, size, options);
  return file.ok() ? "" : file.error().message;
}

TEST(Unpack, GivesBackWhatWasPacked) {
  for (const auto& [bytes, form] : {std::pair(deflated_saying(), PackedForm::Deflate),
                                    std::pair(gzipped_saying(), PackedForm::Gzip)}) {
    const Result<std::shared_ptr<const DataFile>> file =
        unpack(packed(bytes, form), {.bytes = kSayingBytes}, here());
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(contents(**file), kSaying);
  }
}

TEST(Unpack, GivesManyBytesFromFew) {
  const Result<std::shared_ptr<const DataFile>> file = unpack(
      packed(many_zeros(), PackedForm::Deflate), {.bytes = 100'000, .crc32 = 0xD411957D}, here());
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(contents(**file), std::string(100'000, '\0'));
}

// The last packed bytes say more than fits into the piece that is filled when they are taken.
TEST(Unpack, GivesWhatTheLastBytesSay) {
  struct Zeros {
    std::int64_t bytes;
    std::uint32_t crc32;
    const char* begin;
    int zeros;
    const char* end;
  };
  for (const Zeros& one :
       {Zeros{131'137, 0x3B657795, "edc13101000000c2a0f54f6d094fa0", 127, "4e06"},
        Zeros{262'170, 0xAC2A8E5F, "edc18100000000c3a0f9535fe1005501", 253, "bc06"},
        Zeros{1'048'589, 0x5A4609DB, "edc13101000000c2a0f54f6d094fa0", 1'016, "8e06"}}) {
    const std::string bytes =
        from_hexadecimal(one.begin) + std::string(one.zeros, '\0') + from_hexadecimal(one.end);
    const Result<std::shared_ptr<const DataFile>> file = unpack(
        packed(bytes, PackedForm::Deflate), {.bytes = one.bytes, .crc32 = one.crc32}, here());
    ASSERT_TRUE(file.ok()) << one.bytes << ": " << file.error().message;
    EXPECT_EQ(contents(**file), std::string(static_cast<std::size_t>(one.bytes), '\0'));
  }
}

TEST(Unpack, BeginsWithoutTheRest) {
  std::string first(6, '\0');
  const Result<std::int64_t> count = unpack_beginning(packed(gzipped_saying(), PackedForm::Gzip),
                                                      std::as_writable_bytes(std::span(first)));
  ASSERT_TRUE(count.ok()) << count.error().message;
  EXPECT_EQ(*count, 6);
  EXPECT_EQ(first, "poet p");
}

TEST(Unpack, RefusesMoreAndLessThanIsStated) {
  const PackedBytes saying = packed(deflated_saying(), PackedForm::Deflate);
  EXPECT_EQ(complaint(saying, {.bytes = 33}),
            "cannot unpack the file: it is longer than the 33 bytes that it says");
  EXPECT_EQ(complaint(saying, {.bytes = 35}),
            "cannot unpack the file: it has 34 bytes, and says 35");
}

TEST(Unpack, RefusesWhatIsDamaged) {
  const std::string whole = deflated_saying();
  EXPECT_EQ(complaint(packed(whole.substr(0, 5), PackedForm::Deflate), {.bytes = kSayingBytes}),
            "cannot unpack the file: it is cut off");
  EXPECT_EQ(complaint(packed(whole + "more", PackedForm::Deflate), {.bytes = kSayingBytes}),
            "cannot unpack the file: something follows its end");
  EXPECT_EQ(complaint(packed(std::string(20, '\xFF'), PackedForm::Deflate), {.bytes = 9}),
            "cannot unpack the file: it is damaged");
  EXPECT_EQ(complaint(packed(whole, PackedForm::Deflate),
                      {.bytes = kSayingBytes, .crc32 = kSayingCrc32 + 1}),
            "cannot unpack the file: it does not have its checksum");
  std::string gzipped = gzipped_saying();
  gzipped[gzipped.size() - 5] ^= 1;  // of the checksum
  EXPECT_EQ(complaint(packed(gzipped, PackedForm::Gzip), {.bytes = kSayingBytes}),
            "cannot unpack the file: it is damaged");
}

TEST(Unpack, RefusesWhatWouldFillADisk) {
  const PackedBytes saying = packed(deflated_saying(), PackedForm::Deflate);
  EXPECT_EQ(complaint(saying, {.bytes = 100'000}),
            "cannot unpack the file: 10 packed bytes cannot hold the 100,000 that it says");
  EXPECT_EQ(complaint(packed(many_zeros(), PackedForm::Deflate), {.bytes = 100'000},
                      {.folder = ::testing::TempDir(), .largest_bytes = 99'999}),
            "cannot unpack the file: it has 100,000 bytes, and 99,999 are the limit");
  EXPECT_EQ(complaint(saying, {.bytes = kSayingBytes}, {}),
            "cannot unpack the file: there is no folder to unpack it into");
  EXPECT_EQ(complaint(saying, {.bytes = kSayingBytes}, {.folder = "/nowhere"}),
            "cannot unpack the file: into '/nowhere': No such file or directory");
}

// One sentence or the right bytes, whichever call of the system fails.
TEST(Unpack, SurvivesEveryFailingCall) {
  const PackedBytes saying = packed(deflated_saying(), PackedForm::Deflate);
  for (const testing::Fault fault : testing::kFaults)
    for (std::int64_t call = 0;; ++call) {
      testing::FailingFileCalls calls(call, fault);
      const Result<std::shared_ptr<const DataFile>> file =
          unpack(saying, {.bytes = kSayingBytes, .crc32 = kSayingCrc32}, here(), calls);
      if (!calls.failed()) break;
      SCOPED_TRACE(std::string(calls.failed_call()) + " " + std::string(name_of(fault)));
      if (file.ok())
        EXPECT_EQ(contents(**file), kSaying);
      else
        EXPECT_EQ(file.error().code, ErrorCode::Io);
      EXPECT_EQ(file.ok(), testing::may_be_survived(fault, calls.failed_call()));
    }
}

}  // namespace
}  // namespace poet
