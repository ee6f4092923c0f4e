#include "networks/network_golden.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace poet::testing {
namespace {

Shape read_shape(std::istream& words) {
  Shape shape;
  for (std::int64_t extent = 0; words >> extent;) shape.push_back(extent);
  return shape;
}

GoldenWeight read_weight(std::istream& words) {
  GoldenWeight weight;
  words >> weight.name >> weight.rule.scale >> weight.rule.offset;
  weight.shape = read_shape(words);
  return weight;
}

// A line about the gradient that was named last.
bool read_gradient_line(const std::string& kind, std::istream& words, GoldenGradient& gradient) {
  if (kind == "figures") {
    words >> gradient.norm >> gradient.largest >> gradient.sum;
  } else if (kind == "projections") {
    for (double& projection : gradient.projections) words >> projection;
  } else if (kind == "samples") {
    for (GoldenSample sample; words >> sample.place >> sample.value;)
      gradient.samples.push_back(sample);
  } else if (kind == "vanishes") {
    gradient.vanishes = true;
  } else {
    return false;
  }
  return true;
}

void read_line(const std::string& line, NetworkGolden& golden) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "model") {
    words >> golden.model;
  } else if (kind == "batch_norms") {
    words >> kind;
    golden.batch_norms = kind == "frozen" ? BatchNormTraining::Frozen : BatchNormTraining::ByBatch;
  } else if (kind == "draw") {
    words >> kind;
    golden.input_name = "input " + kind;
  } else if (kind == "pictures") {
    golden.input = read_shape(words);
  } else if (kind == "tokens") {
    words >> golden.vocabulary;
    golden.input = read_shape(words);
  } else if (kind == "labels") {
    words >> golden.classes;
    golden.labels = read_shape(words);
  } else if (kind == "weight") {
    golden.weights.push_back(read_weight(words));
  } else if (kind == "loss") {
    words >> golden.loss;
  } else if (kind == "gradient") {
    GoldenGradient& gradient = golden.gradients.emplace_back();
    words >> gradient.name;
    gradient.shape = read_shape(words);
  } else if (golden.gradients.empty() ||
             !read_gradient_line(kind, words, golden.gradients.back())) {
    throw std::runtime_error("a golden network has no lines of kind '" + kind + "'");
  }
}

}  // namespace

std::string network_folder() {
  return std::string(POET_SOURCE_DIR) + "/tests/data/networks";
}

NetworkGolden read_network_golden(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  NetworkGolden golden;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') read_line(line, golden);
  return golden;
}

}  // namespace poet::testing
