#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// How well a network did on its test data after a step.
struct TestedStep {
  std::int64_t step = 0;
  double loss = 0;
  std::optional<double> accuracy = {};  // from 0 to 1

  bool operator==(const TestedStep&) const = default;
};

// What a training went through.
struct LearningCurve {
  std::int64_t first_step = 1;
  std::vector<float> losses = {};       // of each step from the first on
  std::vector<TestedStep> tested = {};  // in order of step

  bool operator==(const LearningCurve&) const = default;
};

// The loss of every step, smoothed and as it was, and what the tests say. There must be a step.
Chart loss_chart(const LearningCurve& curve, ChartWidth width);

// Accuracy on the test data over the steps. There must be a test with an accuracy.
Chart accuracy_chart(const LearningCurve& curve, ChartWidth width);

}  // namespace poet
