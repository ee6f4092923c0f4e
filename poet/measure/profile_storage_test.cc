#include "poet/measure/profile_storage.h"

#include <gtest/gtest.h>

#include <memory>

namespace poet {
namespace {

std::unique_ptr<PageStore> store(bool direct) {
  Result<std::unique_ptr<PageStore>> made = PageStore::create(
      {.path = ::testing::TempDir(), .size_bytes = kProfiledStorageBytes, .direct = direct});
  return made.ok() ? *std::move(made) : nullptr;
}

// A clock by which a transfer takes a millisecond, and a microsecond for each KiB that the store
// has moved.
Stop clock_of(const PageStore& store) {
  return {.token = {}, .elapsed_s = [&store] {
            const IoCounts counts = store.counts();
            const auto kib = static_cast<double>(counts.read_bytes + counts.written_bytes) / 1024;
            return 1e-3 * static_cast<double>(counts.reads + counts.writes) + 1e-6 * kib;
          }};
}

TEST(ProfileStorage, FindsTheLatencyAndRateOfAStore) {
  const std::unique_ptr<PageStore> pages = store(false);
  ASSERT_NE(pages, nullptr);
  const Result<StorageProfile> profile = profile_storage(*pages, clock_of(*pages));
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  for (const TransferFit& fit : {profile->read, profile->write}) {
    EXPECT_NEAR(fit.latency_s, 1e-3, 1e-9);
    EXPECT_NEAR(fit.rate_bytes_per_s, 1024e6, 1e3);
  }
  EXPECT_EQ(profile->reads.size(), 6U);
  EXPECT_EQ(profile->writes.front().size_bytes, 4096);
  EXPECT_EQ(profile->writes.back().size_bytes, 4 << 20);
  EXPECT_EQ(pages->counts().reads, 6 * profile->samples);
}

TEST(ProfileStorage, GoesStraightToTheDisk) {
  const std::unique_ptr<PageStore> pages = store(true);
  if (pages == nullptr) GTEST_SKIP() << "no direct transfers in this folder";
  ASSERT_TRUE(profile_storage(*pages, clock_of(*pages)).ok());
  EXPECT_EQ(pages->counts().bounced_bytes, 0);
}

TEST(ProfileStorage, IsRefusedWhenItIsStopped) {
  const std::unique_ptr<PageStore> pages = store(false);
  ASSERT_NE(pages, nullptr);
  Stop stop = clock_of(*pages);
  stop.limit_s = 0.01;
  const Result<StorageProfile> profile = profile_storage(*pages, stop);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().message, "stopped before the storage was measured");
}

}  // namespace
}  // namespace poet
