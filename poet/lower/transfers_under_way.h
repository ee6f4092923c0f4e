#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/lower/step_program.h"

namespace poet {

// Foretells, while a step is lowered, for which transfer the processor must wait before it touches
// memory. Transfers count from 0 in order of issue, and end in that order: who waits for one waits
// for all before it, and does not wait for them again.
class TransfersUnderWay {
 public:
  enum class Kind { IntoMemory, OutOfMemory };

  // Its number.
  std::int64_t begin(Kind kind, const BytePlace& memory);

  // The last transfer that must have ended first: one that brings what is read, or any that touches
  // what is written. Nothing when no wait is needed.
  std::optional<std::int64_t> before_reading(const BytePlace& memory) const;
  std::optional<std::int64_t> before_writing(const BytePlace& memory) const;

  // It, and all before it, have ended.
  void ended(std::int64_t number) { ended_ = number + 1; }

  std::int64_t count() const { return static_cast<std::int64_t>(transfers_.size()); }

 private:
  struct Transfer {
    Kind kind = Kind::IntoMemory;
    BytePlace memory = {};
  };
  std::vector<Transfer> transfers_;
  std::int64_t ended_ = 0;  // so many of the first
};

}  // namespace poet
