#include "poet/runtime/golden_test_support.h"
#include "tests/support/source_folder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace poet {
namespace {

std::vector<double> read_numbers(std::istream& words) {
  std::vector<double> numbers;
  std::string word;
  while (words >> word && word != ":") numbers.push_back(std::stod(word));
  return numbers;
}

GoldenTensor read_tensor(std::istream& words) {
  GoldenTensor tensor;
  std::int64_t count = 1;
  for (const double extent : read_numbers(words)) {
    tensor.extents.push_back(static_cast<std::int64_t>(extent));
    count *= tensor.extents.back();
  }
  tensor.values = read_numbers(words);
  if (static_cast<std::int64_t>(tensor.values.size()) != count)
    throw std::runtime_error("a golden tensor has not as many values as its extents say");
  return tensor;
}

void read_line(const std::string& line, std::vector<GoldenCase>& cases) {
  std::istringstream words(line);
  std::string kind;
  std::string key;
  words >> kind >> key;
  if (kind == "case") {
    cases.emplace_back().name = key;
    return;
  }
  if (cases.empty()) throw std::runtime_error("a golden file must begin with a case");
  if (kind == "tensor") {
    cases.back().tensors[key] = read_tensor(words);
  } else if (kind == "int" || kind == "float") {
    cases.back().numbers[key] = read_numbers(words);
  } else {
    throw std::runtime_error("a golden file has no lines of kind '" + kind + "'");
  }
}

template <class Number>
std::vector<Number> values_of(const GoldenCase& golden, const std::string& key) {
  std::vector<Number> values;
  for (const double value : golden.tensor(key).values) values.push_back(static_cast<Number>(value));
  return values;
}

}  // namespace

std::int32_t GoldenCase::whole(const std::string& key, std::size_t index) const {
  return static_cast<std::int32_t>(numbers.at(key).at(index));
}

float GoldenCase::real(const std::string& key, std::size_t index) const {
  return static_cast<float>(numbers.at(key).at(index));
}

const GoldenTensor& GoldenCase::tensor(const std::string& key) const {
  return tensors.at(key);
}

std::vector<float> GoldenCase::floats(const std::string& key) const {
  return values_of<float>(*this, key);
}

std::vector<std::int32_t> GoldenCase::words(const std::string& key) const {
  return values_of<std::int32_t>(*this, key);
}

std::vector<GoldenCase> read_goldens(const std::string& family) {
  std::ifstream file(testing::source_folder() + "/tests/data/kernels/" + family + ".txt");
  if (!file.is_open()) throw std::runtime_error("there are no golden values for " + family);
  std::vector<GoldenCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') read_line(line, cases);
  }
  return cases;
}

double relative_error(const std::vector<float>& actual, const std::vector<float>& expected) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.size()) return infinity;
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
    if (expected[i] == actual[i]) continue;
    if (!std::isfinite(expected[i]) || !std::isfinite(actual[i])) return infinity;
    worst = std::max(worst, std::abs(static_cast<double>(actual[i]) - expected[i]));
  }
  for (const float value : expected) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest > 0 ? worst / largest : worst;
}

}  // namespace poet
