// Whatever the bytes, a file of data is opened or refused in one line, as each of the formats that
// the first byte chooses between; of one that is opened, the first and last values are read or
// refused. What is packed is unpacked into memory, at most a MiB of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "poet/base/check.h"
#include "poet/data/array_dataset.h"
#include "poet/data/cifar10.h"
#include "poet/data/npz_file.h"
#include "poet/data/number_array.h"
#include "poet/data/text_dataset.h"
#include "tests/fuzz/bytes_as_file.h"

namespace {

using namespace poet;

const UnpackOptions kUnpack{.folder = "/dev/shm", .largest_bytes = 1 << 20};

void check_message(const Error& error) {
  POET_CHECK(!error.message.empty() && error.message.find('\n') == std::string::npos);
}

void read_ends(const NumberArray& array) {
  std::int64_t count = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent == 0) return;
    POET_CHECK(extent > 0 && count <= std::numeric_limits<std::int64_t>::max() / extent);
    count *= extent;
  }
  std::vector<std::byte> one(sizeof(std::int64_t));
  for (const std::int64_t place : {std::int64_t{0}, count - 1}) {
    const ElementType element =
        has_fractions(array.values.number) ? ElementType::Float32 : ElementType::Int64;
    const auto into = std::span(one).first(static_cast<std::size_t>(byte_size(element)));
    if (const Failure failure = read_numbers(array.values, place, element, into))
      check_message(*failure);
  }
}

void look_at(const Result<NumberArray>& array) {
  if (!array.ok()) return check_message(array.error());
  read_ends(*array);
}

void look_at(const Result<std::unique_ptr<Dataset>>& data) {
  if (!data.ok()) return check_message(data.error());
  POET_CHECK((*data)->size() > 0);
  for (std::size_t part = 0; part < (*data)->parts().size(); ++part) {
    const std::int64_t bytes = size_bytes((*data)->parts()[part].type);
    POET_CHECK(bytes >= 0 && bytes <= 1 << 20);
    std::vector<std::byte> into(static_cast<std::size_t>(bytes));
    if (const Failure failure = (*data)->read((*data)->size() - 1, part, into))
      check_message(*failure);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::BytesAsFile file(data + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      look_at(open_idx(file.path(), kUnpack));
      break;
    case 1:
      look_at(open_npy(file.path()));
      break;
    case 2: {
      const Result<std::vector<NamedArray>> arrays = open_npz(file.path(), kUnpack);
      if (!arrays.ok()) {
        check_message(arrays.error());
        break;
      }
      for (const NamedArray& one : *arrays) read_ends(one.array);
      break;
    }
    case 3:
      look_at(open_cifar10({file.path()}, {}));
      break;
    case 4: {
      Result<NumberArray> tokens = open_tokens(file.path(), StoredNumber::Uint16);
      if (tokens.ok()) look_at(next_token_dataset(*std::move(tokens), 2));
      break;
    }
  }
  return 0;
}
