#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"

namespace poet {

// Where it comes from what training a part of a network is worth.
struct GainSource {
  std::optional<std::string> path = {};  // a file of gains; none: measured_gains()
  std::int64_t batches = 4;              // that are measured
};

// Before each batch that is measured: how many were, of how many.
using GainsProgress = std::function<void(std::int64_t done, std::int64_t batches)>;

// What training each part of a network is worth, in numbers that add up; who makes them says what
// they mean.
struct TrainingGains {
  std::string source = {};                        // "squared gradients of 4 batches"
  std::map<std::string, double> parameters = {};  // by their names
  // Of layers as wholes, by their names: counted where all of a layer is trained.
  std::map<std::string, double> layers = {};
};

// The sum over all that is trained. What the gains say nothing of adds nothing.
double gain_of(const TrainingGains& gains, const Graph& graph, const std::vector<bool>& trained);

// Reads gains that a user measured, of this graph (docs/formats/gains.md). Refuses names that are
// neither a parameter's nor a layer's, and pipes and devices.
Result<TrainingGains> read_gains(const std::string& path, const Graph& graph);
Result<std::string> read_gains_file(const std::string& path);
Result<TrainingGains> parse_gains(const std::string& text, const std::string& path,
                                  const Graph& graph);

// The file of such gains.
std::string gains_text(const TrainingGains& gains);

}  // namespace poet
