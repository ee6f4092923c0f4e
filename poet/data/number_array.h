#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "poet/base/result.h"
#include "poet/data/stored_numbers.h"
#include "poet/data/unpack.h"
#include "poet/graph/shape.h"

namespace poet {

// An array in a file: numbers in row-major order.
struct NumberArray {
  std::string name = {};  // for messages: the file, and the entry in it
  Shape shape = {};
  NumberRun values = {};
};

// The IDX form of the MNIST digits (yann.lecun.com/exdb/mnist): two zero bytes, one for the type of
// the numbers and one for how many dimensions there are, the extents, and the values, most
// significant byte first. Refuses files that are not as long as their header says. One
// that gzip has packed is unpacked, as unpack() does it.
Result<NumberArray> open_idx(const std::string& path, const UnpackOptions& options = {});

// NumPy's form (numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1 to 3.
// Refuses arrays in column-major order, numbers that StoredNumber has not got, and files that are
// not as long as their header says.
Result<NumberArray> open_npy(const std::string& path);

// The same inside a larger file, from `begin_bytes` on, `size_bytes` long; `name` is for messages.
Result<NumberArray> npy_within(std::shared_ptr<const DataFile> file, std::int64_t begin_bytes,
                               std::int64_t size_bytes, const std::string& name);

// What an NPY array (number_array.h) of `rows` rows begins with; its Float32 values follow. `shape`
// has the extents behind the first, whatever its first is.
std::string npy_header(const Shape& shape, std::int64_t rows);

}  // namespace poet
