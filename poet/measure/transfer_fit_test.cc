#include "poet/measure/transfer_fit.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(FitTransfers, FindsLatencyAndRateExactly) {
  const Result<TransferFit> fit = fit_transfers(
      {{4096, 0.001 + 4096 / 1e6}, {65536, 0.001 + 65536 / 1e6}, {1 << 20, 1.049576}});
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit->latency_s, 0.001, 1e-9);
  EXPECT_NEAR(fit->rate_bytes_per_s, 1e6, 1);
  EXPECT_LT(fit->largest_error, 1e-6);
}

TEST(FitTransfers, WeighsSmallTransfersLikeLargeOnes) {
  // A tenth more or less on transfers of seconds must not make the latency.
  const Result<TransferFit> fit = fit_transfers(
      {{1000, 0.002}, {2000, 0.003}, {1'000'000, 1.1 * 1.001}, {2'000'000, 0.9 * 2.001}});
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit->latency_s, 0.001, 1e-4);
  EXPECT_LT(fit->largest_error, 0.15);
}

TEST(FitTransfers, HasNoLatencyBelowZero) {
  const Result<TransferFit> fit = fit_transfers({{1000, 0.001}, {2000, 0.003}});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->latency_s, 0);
  // Least squares of s/t: (1e6 + 2/3 1e6) / (1e12 + (2/3 1e6)^2).
  EXPECT_NEAR(fit->rate_bytes_per_s, (1 + 4.0 / 9) / (5.0 / 3) * 1e6, 1e-3);
}

TEST(FitTransfers, RefusesTimesThatSayNothing) {
  EXPECT_EQ(fit_transfers({{1000, 0.1}}).error().message,
            "a rate needs the times, above 0, of transfers of two sizes");
  EXPECT_FALSE(fit_transfers({{1000, 0.1}, {2000, 0}}).ok());
  EXPECT_EQ(fit_transfers({{1000, 0.2}, {2000, 0.1}}).error().message,
            "larger transfers took no longer than small ones, so they have no rate");
}

}  // namespace
}  // namespace poet
