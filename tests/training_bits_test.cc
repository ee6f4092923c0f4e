// The reference kernels give the same bits on every machine: a short training ends in parameters
// whose hash is written here, whatever built this test and wherever it runs. scripts/check --arm64
// runs it on emulated 64-bit Arm.

#include <gtest/gtest.h>

#include "poet/use/train_network.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

TrainRequest lenet5(const std::string& folder) {
  TrainRequest request;
  PlanRequest& plan = request.plan;
  plan.model = "lenet5";
  plan.platform = "laptop";
  plan.batch_size = 8;
  plan.training.optimiser = Optimiser::Adam;
  plan.alignment_bytes = 64;
  plan.ram_budget = RamOfPlainPeak{0.8};
  request.data.synthetic_examples = 64;
  request.steps = 5;
  request.learning_rate.peak = 0.01F;
  request.storage.path = folder;
  return request;
}

TEST(Training, EndsInTheSameBitsOnEveryMachine) {
  const testing::TemporaryFolder folder;
  const Result<TrainReport> report = train_network(lenet5(folder.path()), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(report->paged_out_bytes, 0);
  EXPECT_EQ(report->parameters_sha256,
            "307b050eef6c61c277b03bbfdf952b119ea9eba3dd18f6884fd4a5e3b31fefb8");
}

}  // namespace
}  // namespace poet
