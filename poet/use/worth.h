#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"
#include "poet/use/train_network.h"
#include "poet/use/training_choices.h"
#include "poet/use/training_gains.h"

namespace poet {

// What is worth training within limits.
struct WorthRequest {
  // The network, the data that gains are measured on, and the limits: the RAM budget in bytes
  // (none: the device's RAM), and a deadline in seconds.
  TrainRequest training = {};
  std::optional<double> energy_budget_j = {};  // of a step
  std::int64_t most_of_a_way = 6;              // choices that are looked at
  std::int64_t most_tries = 24;                // of the greedy walk
  double limit_s = 5;                          // of each search, on the clock of the caller's Stop
};

// What one choice takes.
struct WorthRow {
  TrainingChoice choice = {};
  bool fits = false;         // there is a plan within all limits
  std::string why_not = {};  // where not
  // Of the plan within the RAM budget and the deadline, where there is one.
  std::optional<double> energy_j = {};
  std::optional<double> time_s = {};
  std::optional<std::int64_t> peak_ram_bytes = {};
  SolveStatus status = SolveStatus::Unknown;
  // Whatever the RAM budget: the least that a schedule was found for, and that none has less (0
  // where that is proved of larger steps alone).
  std::optional<std::int64_t> least_bytes = {};
  std::int64_t proved_bytes = 0;
};

struct WorthReport {
  Question question = {};
  TrainingGains gains = {};
  std::vector<LayerGain> layers = {};    // layer_gains()
  TrainingChoice adapters = {};          // adapters_choice(): every row trains these, too
  std::vector<WorthRow> rows = {};       // from the largest gain on
  std::optional<std::size_t> best = {};  // of the rows: the first that fits
  std::int64_t ram_budget_bytes = 0;
  std::optional<double> energy_budget_j = {};
  std::int64_t trainable_values = 0;
  bool ended_by_clock = false;  // some search was, so that the answer may be another next time
  std::vector<std::string> warnings = {};
};

// Of all layers together.
double gain_of_all(const WorthReport& report);

// Before each search: how many of those that are known were made, and of what.
using WorthProgress =
    std::function<void(std::int64_t done, std::int64_t known, const std::string& train)>;

// Plans every choice of training_choices() and the greedy one within the limits, as make_plan()
// does, and looks for the least RAM of each, as find_minimum() does. The best is the one with the
// largest gain of those that fit and were looked at; nothing is said of all others.
Result<WorthReport> worth_training(const WorthRequest& request, const Stop& stop,
                                   const WorthProgress& progress = {},
                                   const GainsProgress& of_gains = {});

// The gains of a request for training: those of its file, or measured.
Result<TrainingGains> gains_of(const TrainRequest& request, const Model& model, const Stop& stop,
                               const GainsProgress& progress);

// Refuses limits that are parts of what a choice itself takes.
Failure check_choosable(const PlanRequest& request);

}  // namespace poet
