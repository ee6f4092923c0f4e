#include "poet/use/training_settings.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "poet/ask/asked_for_tests.h"

namespace poet {
namespace {

// Examples of one number.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::vector<float> numbers) : numbers_(std::move(numbers)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(numbers_.size()); }
  const std::vector<ExamplePart>& parts() const override { return parts_; }
  Failure read(std::int64_t example, std::size_t /*part*/,
               std::span<std::byte> into) const override {
    std::memcpy(into.data(), &numbers_[static_cast<std::size_t>(example)], sizeof(float));
    return std::nullopt;
  }

 private:
  std::vector<float> numbers_;
  std::vector<ExamplePart> parts_ = {{"x", {ElementType::Float32, {1}}}};
};

TrainRequest lenet() {
  TrainRequest request;
  request.plan.model = "lenet5";
  request.plan.platform = "laptop";
  request.plan.batch_size = 4;
  request.plan.network.image_size = 16;
  request.plan.training.train = "last:2";
  request.data.paths = {"x.npy"};
  return request;
}

std::vector<CheckpointSetting> settings_of(const TrainRequest& request,
                                           const std::vector<float>& numbers = {1, 2, 3}) {
  const FormsRequest forms{.question = asked(request.plan), .micro_batches = request.micro_batches};
  const Result<Model> model = model_of(forms.question);
  EXPECT_TRUE(model.ok());
  Result<std::vector<CheckpointSetting>> settings =
      training_settings(request, forms, *model, Numbers(numbers));
  EXPECT_TRUE(settings.ok()) << settings.error().message;
  return *std::move(settings);
}

// What is said when a checkpoint of lenet() meets a request that was changed.
std::string after(const std::function<void(TrainRequest&)>& change) {
  TrainRequest changed = lenet();
  change(changed);
  return settings_that_differ(settings_of(lenet()), settings_of(changed));
}

TEST(TrainingSettings, NameTheOneThatDiffers) {
  EXPECT_EQ(after([](TrainRequest& r) { r.seed = 5; }), "seed (1 there, 5 here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.batch_size = 8; }), "batch size (4 there, 8 here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.micro_batches = 2; }), "micro-batches (1 there, 2 here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.training.largest_gradient_norm = 0.1F; }),
            "largest gradient norm (none there, 0.1 here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.training.optimiser = Optimiser::Adam; }),
            "optimiser (sgd there, adam here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.training.train = "last:1"; }),
            "trained part (last:2 there, last:1 here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.kernels.library = KernelLibrary::Onednn; }),
            "kernels (reference there, onednn here)");
  EXPECT_EQ(after([](TrainRequest& r) { r.learning_rate.peak = 0.5F; }),
            "learning rate (0.01 there, 0.5 here)");
}

// In the words of the command line, and not as checkpoints have it.
TEST(TrainingSettings, AreToldAsTheyAreAsked) {
  const std::vector<CheckpointSetting> there = {
      {"augmentation", "flips true, crop 3"}, {"schedule", "constant"}, {"steps", "0"}};
  const std::vector<CheckpointSetting> here = {
      {"augmentation", "flips false, crop 2"}, {"schedule", "cosine"}, {"steps", "6"}};
  EXPECT_EQ(settings_that_differ(there, here),
            "augmentation (flip,crop:3 there, crop:2 here), schedule (constant there, cosine "
            "here), steps of the schedule (any there, 6 here)");
}

TEST(TrainingSettings, KnowOtherDataOfTheSameLength) {
  EXPECT_EQ(settings_that_differ(settings_of(lenet(), {1, 2, 3}), settings_of(lenet(), {1, 2, 4})),
            "data");
}

// The same layers at other values: what is frozen is in no checkpoint.
TEST(TrainingSettings, KnowOtherFrozenValues) {
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.network.seed = 9; }), "values that are not trained");
}

TEST(TrainingSettings, KnowAnotherNetwork) {
  EXPECT_EQ(after([](TrainRequest& r) { r.plan.network.image_size = 20; }),
            "network, values that are not trained");
}

TEST(TrainingSettings, LeaveOutWhatChangesNoNumber) {
  EXPECT_EQ(after([](TrainRequest& r) {
              PlanRequest& plan = r.plan;
              plan.ram_budget = RamBytes{100'000};
              plan.platform = "m4";
              plan.kernels.threads = 3;
              plan.alignment_bytes = 4096;
              plan.training.updates = Updates::Sliced;
              plan.training.parameters = ParameterPlace::Resident;
              r.evaluate_every = 3;
              r.storage.checksums = !r.storage.checksums;
            }),
            "");
}

}  // namespace
}  // namespace poet
