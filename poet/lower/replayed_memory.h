#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "poet/base/ids.h"

namespace poet {

// Whose bytes lie where in one memory, by name and without the bytes: what a program is replayed
// on.
class ReplayedMemory {
 public:
  struct Stretch {
    std::int64_t end_bytes = 0;
    std::optional<TensorId> value = {};         // none: nothing that anybody may read
    std::int64_t begins_at_bytes = 0;           // where in the memory the value's first byte is
    std::optional<std::int64_t> transfer = {};  // that brings it
    std::optional<std::int64_t> since = {};     // the instruction that put it there; none: before
  };

  // Bytes [begin, begin + size) are those of `value` from its first on, or nobody's; whatever was
  // there is there no more.
  void put(std::int64_t begin_bytes, std::int64_t size_bytes, const Stretch& what);

  // The first stretch of [begin, begin + size) that is not of this value with its first byte at
  // `begin`; nothing when all of it is.
  std::optional<Stretch> first_other(std::int64_t begin_bytes, std::int64_t size_bytes,
                                     TensorId value) const;

  // The last transfer that brings any byte of [begin, begin + size).
  std::optional<std::int64_t> last_transfer(std::int64_t begin_bytes,
                                            std::int64_t size_bytes) const;

 private:
  using Stretches = std::map<std::int64_t, Stretch>;  // by first byte; disjoint
  Stretches::const_iterator first_at(std::int64_t begin_bytes) const;
  void split(std::int64_t at_bytes);

  Stretches stretches_ = {};
};

}  // namespace poet
