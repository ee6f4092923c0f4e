#include "poet/data/npy_text.h"

#include <fmt/core.h>

namespace poet {

std::string npy_header(const Shape& shape, std::int64_t rows) {
  std::string extents = fmt::format("{},", rows);
  for (std::size_t k = 1; k < shape.size(); ++k) extents += fmt::format(" {},", shape[k]);
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", extents);
  // The values begin at a multiple of 64, as the format asks for.
  constexpr std::size_t kPrefix = 10;
  header.resize((kPrefix + header.size() + 1 + 63) / 64 * 64 - kPrefix - 1, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header;
}

}  // namespace poet
