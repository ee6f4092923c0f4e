#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// What a packed step is written in (poet/runtime/step_table.h says how it is read).
class StepCodes {
 public:
  // Below 2^32.
  void add_number(std::int64_t number);
  // From where the last one ended; this one ends `blocks` behind it.
  void add_transfer(std::int64_t block, std::int64_t blocks);
  // Of 8 bytes each; below 2^32.
  void add_place(std::int64_t place);

  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
  std::int64_t block_ = 0;  // where the last transfer ended
};

}  // namespace poet
