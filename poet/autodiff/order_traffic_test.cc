#include "poet/autodiff/order_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>

namespace poet {
namespace {

// Operation v makes buffer v, after `given` buffers that lie in storage and are read there.
struct Made {
  std::int64_t bytes = 0;
  std::vector<std::int32_t> reads = {};
};

StepMemory memory_of(const std::vector<std::int64_t>& given_bytes, const std::vector<Made>& made) {
  StepMemory memory;
  memory.bytes = given_bytes;
  for (const Made& one : made) {
    const auto buffer = static_cast<std::int32_t>(memory.bytes.size());
    memory.bytes.push_back(one.bytes);
    memory.operations.push_back({.reads = one.reads, .makes = {buffer}});
  }
  return memory;
}

Order in_turn(const StepMemory& memory) {
  Order order(memory.operations.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(PagedBytes, AreThoseOfWhatLiesInStorageWhereAllFits) {
  const StepMemory memory = memory_of({4, 8}, {{16, {0}}, {16, {1, 2}}, {1, {0, 2, 3}}});
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 1'000), 4 + 8);
}

// 0 -> 1 -> 2 -> 3 (0, 2): in 25 bytes buffer 0 leaves while 2 is made, and is written for that.
TEST(PagedBytes, CountWritingAndReadingOfWhatHasToWait) {
  const StepMemory memory = memory_of({}, {{10, {}}, {10, {0}}, {10, {1}}, {1, {0, 2}}});
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 30), 0);
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 25), 10 + 10);
}

// What lies in storage need not be written to leave.
TEST(PagedBytes, CountNoWritingOfWhatHasACopy) {
  const StepMemory memory = memory_of({10}, {{10, {0}}, {10, {1}}, {1, {0, 2}}});
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 30), 10);
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 25), 10 + 10);
}

TEST(PagedBytes, LeavesRoomForWorkspacesAndSharesBuffers) {
  StepMemory memory = memory_of({}, {{10, {}}, {10, {}}, {10, {1}}, {1, {0, 2}}});
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 29), 20);
  memory.operations[2].handovers = {{1, 2}};
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 29), 0);
  memory.operations[2].workspace_bytes = 10;
  EXPECT_EQ(paged_bytes(memory, in_turn(memory), 29), 20);
}

// The same rule, read off the order anew for every question.
class Oracle {
 public:
  Oracle(const StepMemory& memory, const Order& order) : memory_(memory), order_(order) {}

  std::int64_t run(std::int64_t ram_bytes) const {
    std::set<std::int32_t> ram, copied;
    for (std::size_t b = 0; b < memory_.bytes.size(); ++b)
      if (!is_made(static_cast<std::int32_t>(b))) copied.insert(static_cast<std::int32_t>(b));
    std::int64_t moved = 0;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const MemoryUse& use = this->use(at);
      for (const std::int32_t b : use.reads)
        if (ram.insert(b).second) moved += bytes(b);
      ram.insert(use.makes.begin(), use.makes.end());
      std::int64_t shared = 0;
      for (const BufferHandover& handover : use.handovers)
        if (shared == 0 && next_use(handover.read, at + 1) == order_.size())
          shared = bytes(handover.made);
      while (sum(ram) + use.workspace_bytes - shared > ram_bytes) {
        const auto leaves = last_needed(ram, use, at);
        if (!leaves) break;
        if (copied.insert(*leaves).second) moved += bytes(*leaves);
        ram.erase(*leaves);
      }
      std::erase_if(ram, [&](std::int32_t b) { return next_use(b, at + 1) == order_.size(); });
    }
    return moved;
  }

 private:
  const MemoryUse& use(std::size_t at) const {
    return memory_.operations[static_cast<std::size_t>(order_[at])];
  }
  std::int64_t bytes(std::int32_t b) const { return memory_.bytes[static_cast<std::size_t>(b)]; }
  bool is_made(std::int32_t b) const {
    return std::any_of(memory_.operations.begin(), memory_.operations.end(), [b](const auto& it) {
      return std::count(it.makes.begin(), it.makes.end(), b) > 0;
    });
  }
  std::size_t next_use(std::int32_t b, std::size_t from) const {
    for (; from < order_.size(); ++from)
      if (std::count(use(from).reads.begin(), use(from).reads.end(), b) > 0) break;
    return from;
  }
  std::int64_t sum(const std::set<std::int32_t>& ram) const {
    std::int64_t all = memory_.resident_bytes;
    for (const std::int32_t b : ram) all += bytes(b);
    return all;
  }
  std::optional<std::int32_t> last_needed(const std::set<std::int32_t>& ram, const MemoryUse& use,
                                          std::size_t at) const {
    std::optional<std::int32_t> last;
    for (const std::int32_t b : ram) {
      if (std::count(use.reads.begin(), use.reads.end(), b) > 0) continue;
      if (std::count(use.makes.begin(), use.makes.end(), b) > 0) continue;
      if (!last || next_use(b, at + 1) >= next_use(*last, at + 1)) last = b;
    }
    return last;
  }

  const StepMemory& memory_;
  const Order& order_;
};

TEST(PagedBytes, AreThoseOfTheOracle) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint64_t below) {
      return static_cast<std::int64_t>(random() % below);
    };
    std::vector<std::int64_t> given;
    for (std::int64_t k = draw(4); k > 0; --k) given.push_back(1 + draw(20));
    std::vector<Made> made;
    for (std::int64_t v = 0; v < 12; ++v) {
      Made one{.bytes = 1 + draw(20)};
      const auto known = static_cast<std::int32_t>(given.size()) + static_cast<std::int32_t>(v);
      for (std::int32_t earlier = 0; earlier < known; ++earlier)
        if (draw(4) == 0) one.reads.push_back(earlier);
      made.push_back(one);
    }
    StepMemory memory = memory_of(given, made);
    memory.resident_bytes = draw(5);
    for (MemoryUse& use : memory.operations) {
      use.workspace_bytes = draw(8);
      for (const std::int32_t read : use.reads)
        if (memory.bytes[static_cast<std::size_t>(read)] ==
            memory.bytes[static_cast<std::size_t>(use.makes[0])])
          use.handovers.push_back({read, use.makes[0]});
    }
    const Order order = in_turn(memory);
    for (const std::int64_t ram_bytes : {10, 40, 60, 90, 140})
      ASSERT_EQ(paged_bytes(memory, order, ram_bytes), Oracle(memory, order).run(ram_bytes))
          << ram_bytes;
  }
}

}  // namespace
}  // namespace poet
