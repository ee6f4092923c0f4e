// Whole networks that PyTorch exported: loss and gradients of a training step against PyTorch's own
// (docs/networks.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "networks/network_golden.h"
#include "networks/network_step.h"
#include "networks/value_rule.h"

namespace poet {
namespace {

using testing::GoldenGradient;
using testing::GoldenSample;
using testing::NetworkGolden;
using testing::NetworkStep;

constexpr double kTolerance = 1e-4;
// Of the largest gradient of the network: of one that is zero but for rounding.
constexpr double kVanishing = 1e-6;

// A folder of its own for each network, as its weights may be large.
class ExportedNetwork : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / (std::string("poet_network_") + GetParam());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

double norm_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

double sum_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return sum;
}

double largest_of(const std::vector<float>& values) {
  double largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

// A difference d of norm 1e-4 |g| moves the norm by that at most, a sum of n values by the square
// root of n times that, and a projection by that on average.
void expect_gradient(const std::vector<float>& ours, const GoldenGradient& theirs) {
  const double most = kTolerance * theirs.norm;
  EXPECT_NEAR(norm_of(ours), theirs.norm, most);
  EXPECT_NEAR(sum_of(ours), theirs.sum, most * std::sqrt(static_cast<double>(ours.size())));
  EXPECT_NEAR(largest_of(ours), theirs.largest, kTolerance * theirs.largest);
  const auto projected = testing::projections(theirs.name, ours);
  for (std::size_t k = 0; k < projected.size(); ++k)
    EXPECT_NEAR(projected[k], theirs.projections[k], most) << "projection " << k;
  for (const GoldenSample& sample : theirs.samples)
    EXPECT_NEAR(ours.at(sample.place), sample.value, kTolerance * theirs.largest)
        << "value " << sample.place;
}

double largest_of(const NetworkGolden& golden) {
  double largest = 0;
  for (const GoldenGradient& gradient : golden.gradients)
    largest = std::max(largest, gradient.largest);
  return largest;
}

TEST_P(ExportedNetwork, HasTheLossAndGradientsOfPyTorch) {
  const NetworkGolden golden =
      testing::read_network_golden(testing::network_folder() + "/" + GetParam() + ".txt");
  const Result<NetworkStep> step = testing::take_step(golden, folder_.string());
  ASSERT_TRUE(step.ok()) << to_string(step.error());
  EXPECT_NEAR(step->loss, golden.loss, kTolerance * golden.loss);
  EXPECT_EQ(step->gradients.size(), golden.gradients.size());
  ASSERT_FALSE(golden.gradients.empty());
  for (const GoldenGradient& theirs : golden.gradients) {
    SCOPED_TRACE(theirs.name);
    const auto ours = step->gradients.find(theirs.name);
    ASSERT_NE(ours, step->gradients.end());
    ASSERT_EQ(ours->second.type.shape, theirs.shape);
    const std::vector<float> values = floats_of(ours->second);
    if (theirs.vanishes)
      EXPECT_LT(largest_of(values), kVanishing * largest_of(golden));
    else
      expect_gradient(values, theirs);
  }
}

INSTANTIATE_TEST_SUITE_P(
    PyTorch, ExportedNetwork,
    ::testing::Values("resnet18_cifar_training", "resnet18_cifar_norms_kept",
                      "resnet18_cifar_norms_frozen", "resnet18_imagenet_training",
                      "resnet18_imagenet_inference", "mobilenetv2_training",
                      "mobilenetv2_inference", "unet_training", "unet_norms_frozen",
                      "bert_tiny_training", "bert_tiny_inference", "gpt2_tiny_training",
                      "gpt2_tiny_inference"),
    [](const ::testing::TestParamInfo<const char*>& name) { return std::string(name.param); });

}  // namespace
}  // namespace poet
