#include "apps/cli/bus_error.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "apps/cli/exit_code.h"
#include "poet/base/text_file.h"
#include "poet/model/mapped_file.h"

namespace poet::cli {
namespace {

std::string file_of(const std::string& name, std::size_t bytes) {
  const std::string path = ::testing::TempDir() + "poet-bus-error-" + name;
  EXPECT_FALSE(write_text_file(path, std::string(bytes, 'a')));
  return path;
}

void look_at_what_is_gone(const std::string& path, const StoredBytes& bytes) {
  name_the_file_of_a_bus_error();
  std::filesystem::resize_file(path, 0);
  const volatile std::byte* const last = &bytes.bytes.back();
  static_cast<void>(*last);
}

TEST(BusError, EndsWithTheNameOfTheFileThatBecameShorter) {
  const std::string path = file_of("shorter", 10'000);
  const std::string other = file_of("other", 10'000);
  const Result<StoredBytes> first = map_file(other);
  const Result<StoredBytes> bytes = map_file(path);
  ASSERT_TRUE(first.ok() && bytes.ok());
  EXPECT_EXIT(look_at_what_is_gone(path, *bytes), ::testing::ExitedWithCode(kExitBadInput),
              "^poet: cannot read '.*poet-bus-error-shorter' any more: it became shorter");
}

TEST(BusError, OfAnythingElseEndsTheProgramAsBefore) {
  EXPECT_EXIT(
      {
        name_the_file_of_a_bus_error();
        std::raise(SIGBUS);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedPathAt, KnowsFilesAsLongAsTheyAreMapped) {
  const std::string path = file_of("known", 5000);
  const void* begin = nullptr;
  {
    const Result<StoredBytes> bytes = map_file(path);
    ASSERT_TRUE(bytes.ok());
    begin = bytes->bytes.data();
    EXPECT_EQ(std::string(mapped_path_at(&bytes->bytes.back())), path);
    EXPECT_EQ(mapped_path_at(&begin), nullptr);
  }
  EXPECT_EQ(mapped_path_at(begin), nullptr);
}

}  // namespace
}  // namespace poet::cli
