#include "poet/emit/step_codes.h"

#include <limits>

#include "poet/base/check.h"

namespace poet {

void StepCodes::add_number(std::int64_t number) {
  POET_CHECK(number >= 0 && number <= std::numeric_limits<std::uint32_t>::max());
  for (; number >= 0x80; number >>= 7)
    bytes_.push_back(static_cast<unsigned char>(0x80 | (number & 0x7F)));
  bytes_.push_back(static_cast<unsigned char>(number));
}

void StepCodes::add_transfer(std::int64_t block, std::int64_t blocks) {
  const std::int64_t ahead = block - block_;
  add_number(ahead >= 0 ? 2 * ahead : -2 * ahead - 1);
  block_ = block + blocks;
}

void StepCodes::add_place(std::int64_t place) {
  if (place < 0xE000) {
    bytes_.push_back(static_cast<unsigned char>(place >> 8));
    bytes_.push_back(static_cast<unsigned char>(place & 0xFF));
    return;
  }
  bytes_.push_back(static_cast<unsigned char>(0xE0 | (place & 0x1F)));
  add_number(place >> 5);
}

}  // namespace poet
