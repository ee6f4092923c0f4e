#include "poet/device/device.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

constexpr StorageLink kLink = {.latency_s = 0.5, .rate_bytes_per_s = 1'000, .active_power_w = 0.25};

TEST(StorageLink, ATransferWaitsThenStreams) {
  EXPECT_EQ(transfer_s(kLink, 0), 0.5);
  EXPECT_EQ(transfer_s(kLink, 2'000), 2.5);
}

TEST(StorageLink, IsActiveDuringTheWholeTransfer) {
  EXPECT_EQ(transfer_j(kLink, 2'000), 0.625);
}

}  // namespace
}  // namespace poet
