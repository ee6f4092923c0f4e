#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace poet {

struct GoldenTensor {
  std::vector<std::int64_t> extents;
  std::vector<double> values;  // row-major; whole numbers too
};

// One case of a golden file: numbers by which a kernel was called, and the tensors of that call.
// Asking for a name that is not there throws std::out_of_range, which fails the test.
struct GoldenCase {
  std::string name;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, GoldenTensor> tensors;

  bool has(const std::string& tensor) const { return tensors.count(tensor) > 0; }
  std::int32_t whole(const std::string& key, std::size_t index = 0) const;
  float real(const std::string& key, std::size_t index = 0) const;
  const GoldenTensor& tensor(const std::string& key) const;
  std::vector<float> floats(const std::string& key) const;
  std::vector<std::int32_t> words(const std::string& key) const;
};

// The cases of tests/data/kernels/<family>.txt, which tools/make_kernel_goldens.py writes with
// PyTorch. Lines are `case NAME`, `int KEY value...`, `float KEY value...` and
// `tensor KEY extent... : value...`.
std::vector<GoldenCase> read_goldens(const std::string& family);

// The largest |actual - expected|, divided by the largest |expected| (by 1 if that is 0). Infinite
// when the lengths differ, or where one has a NaN or an infinity that the other has not.
double relative_error(const std::vector<float>& actual, const std::vector<float>& expected);

}  // namespace poet
