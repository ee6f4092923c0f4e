#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "networks/value_rule.h"
#include "poet/graph/shape.h"
#include "poet/model/onnx_import.h"

namespace poet::testing {

// A weight of the file, whose values follow from its name.
struct GoldenWeight {
  std::string name = {};
  ValueRule rule = {};
  Shape shape = {};
};

struct GoldenSample {
  std::size_t place = 0;
  double value = 0;
};

// What PyTorch got for one parameter's gradient.
struct GoldenGradient {
  std::string name = {};
  Shape shape = {};
  double norm = 0;     // L2
  double largest = 0;  // of the absolute values
  double sum = 0;
  std::array<double, kProjections> projections = {};
  std::vector<GoldenSample> samples = {};
  bool vanishes = false;  // zero, but for rounding
};

// One training step of a network that PyTorch exported (docs/networks.md).
struct NetworkGolden {
  std::string model = {};  // the file, in the golden's folder, without its weights
  BatchNormTraining batch_norms = BatchNormTraining::ByBatch;
  std::string input_name = {};  // that its values follow from
  Shape input = {};
  std::int64_t vocabulary = 0;  // 0: the input is pictures, values in [-1, 1)
  Shape labels = {};
  std::int64_t classes = 0;
  std::vector<GoldenWeight> weights = {};  // in the order in which the file looks for their values
  double loss = 0;
  std::vector<GoldenGradient> gradients = {};
};

// The folder that tools/make_network_goldens.py fills.
std::string network_folder();

// Throws std::runtime_error when the file cannot be read or has lines that it should not have.
NetworkGolden read_network_golden(const std::string& path);

}  // namespace poet::testing
