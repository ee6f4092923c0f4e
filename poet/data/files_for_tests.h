#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "poet/data/dataset.h"

// Of tests that include GoogleTest themselves.

namespace poet {

// A file with these bytes, in the test's own place.
inline std::string file_with(const std::string& name, const std::string& bytes) {
  std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(test.begin(), test.end(), '/', '-');
  std::string path = testing::TempDir() + "poet-data-" + test + "-" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// "4AFF"
inline std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

// Numbers as they lie in memory.
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A part of an example, or one value of -1 with a failed test.
template <typename T>
std::vector<T> values_of(const Dataset& data, std::int64_t example, std::size_t part) {
  std::vector<T> values(static_cast<std::size_t>(value_count(data.parts()[part].type.shape)));
  const Failure failure = data.read(example, part, std::as_writable_bytes(std::span(values)));
  if (!failure) return values;
  ADD_FAILURE() << failure->message;
  return {T(-1)};
}

// An NPY array of version 1: the header is as long as it is.
inline std::string npy_text(const std::string& dictionary, const std::string& values) {
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  const std::string header = dictionary + "\n";
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header + values;
}

}  // namespace poet
