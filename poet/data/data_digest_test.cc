#include "poet/data/data_digest.h"

#include <gtest/gtest.h>

#include <cstring>

namespace poet {
namespace {

// Examples of one byte, and which of them were read.
class Bytes final : public Dataset {
 public:
  explicit Bytes(std::string bytes) : bytes_(std::move(bytes)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  const std::vector<ExamplePart>& parts() const override { return parts_; }
  Failure read(std::int64_t example, std::size_t /*part*/,
               std::span<std::byte> into) const override {
    const char byte = bytes_[static_cast<std::size_t>(example)];
    if (byte == '!') return bad_input("no disk");
    std::memcpy(into.data(), &byte, 1);
    read_ += byte;
    return std::nullopt;
  }

  std::string read_so_far() const { return read_; }

 private:
  std::string bytes_;
  std::vector<ExamplePart> parts_ = {{"x", {ElementType::Uint8, {1}}}};
  mutable std::string read_ = {};
};

std::string digest(const std::string& bytes) {
  return *data_digest(Bytes(bytes));
}

TEST(DataDigest, IsOfEveryByteInItsOrder) {
  EXPECT_EQ(digest("abcd"), digest("abcd"));
  EXPECT_NE(digest("abcd"), digest("abce"));
  EXPECT_NE(digest("abcd"), digest("bacd"));
  EXPECT_NE(digest("abcd"), digest("abcda"));
}

TEST(DataDigest, ReadsASpreadOfWhatIsMore) {
  const Bytes data("abcdefghij");
  ASSERT_TRUE(data_digest(data, 4).ok());
  EXPECT_EQ(data.read_so_far(), "acfh");
}

TEST(DataDigest, SaysWhatCannotBeRead) {
  EXPECT_EQ(data_digest(Bytes("ab!")).error().message, "no disk");
}

}  // namespace
}  // namespace poet
