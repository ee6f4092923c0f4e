#include "poet/disk/page_store.h"

#include <gtest/gtest.h>

#include <array>

namespace poet {
namespace {

TEST(PageStore, ReadsWhatWasWritten) {
  for (const IoEngine engine : {IoEngine::Uring, IoEngine::Threads}) {
    for (const bool direct : {false, true}) {
      Result<std::unique_ptr<PageStore>> store = PageStore::create({.path = ::testing::TempDir(),
                                                                    .size_bytes = 1 << 20,
                                                                    .direct = direct,
                                                                    .engine = engine});
      ASSERT_TRUE(store.ok()) << store.error().message;
      std::array<std::byte, 1000> out{};
      out.fill(std::byte{7});
      EXPECT_EQ((*store)->write(99, out), Failure{});
      std::array<std::byte, 1000> in{};
      EXPECT_EQ((*store)->read(99, in), Failure{});
      EXPECT_EQ(in, out);
    }
  }
}

}  // namespace
}  // namespace poet
