// A store beside a vector of bytes: random transfers that overlap in the file and in memory, begun
// and waited for in random order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "poet/disk/page_store.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

constexpr std::int64_t kStoreBytes = 96 << 10;
constexpr std::int64_t kMemoryBytes = 64 << 10;

struct alignas(4096) Memory {
  std::byte bytes[kMemoryBytes] = {};
};

// The file and the memory of one comparison, as they must be once all that was begun is done: the
// oracle does each transfer the moment that it is begun, because order of issue is what counts.
struct Comparison {
  PageStore& store;
  std::mt19937 random;
  std::vector<std::byte> file = std::vector<std::byte>(kStoreBytes);
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  std::vector<std::byte> expected = std::vector<std::byte>(kMemoryBytes);
  std::vector<Ticket> tickets = {};

  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
  }
  // Often on a block, so that direct transfers go straight.
  std::int64_t place(std::int64_t end) {
    const std::int64_t anywhere = below(end);
    return below(2) == 0 ? anywhere : anywhere - anywhere % 4096;
  }

  void transfer() {
    const std::int64_t at = place(kStoreBytes - 1);
    const std::int64_t from = place(kMemoryBytes - 1);
    const std::int64_t most = std::min(kStoreBytes - at, kMemoryBytes - from);
    const std::int64_t size = std::min(most, below(4) == 0 ? below(most) : 1 + place(20'000));
    const std::span<std::byte> bytes(memory->bytes + from, static_cast<std::size_t>(size));
    const bool is_read = below(2) == 0;
    if (is_read)
      std::copy_n(file.begin() + at, size, expected.begin() + from);
    else
      std::copy_n(expected.begin() + from, size, file.begin() + at);
    if (below(3) == 0) {
      ASSERT_EQ(is_read ? store.read(at, bytes) : store.write(at, bytes), Failure{});
      return;
    }
    const Result<Ticket> ticket =
        is_read ? store.start_read(at, bytes) : store.start_write(at, bytes);
    ASSERT_TRUE(ticket.ok());
    tickets.push_back(*ticket);
  }

  void check_and_change() {
    ASSERT_EQ(store.wait_all(), Failure{});
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory->bytes));
    const std::int64_t from = below(kMemoryBytes);
    const std::int64_t size = below(kMemoryBytes - from);
    for (std::int64_t i = from; i < from + size; ++i)
      expected[static_cast<std::size_t>(i)] = memory->bytes[i] = static_cast<std::byte>(random());
  }

  void step() {
    if (below(8) == 0) return check_and_change();
    if (below(8) != 0 || tickets.empty()) return transfer();
    ASSERT_EQ(store.wait(tickets[random() % tickets.size()]), Failure{});
  }
};

struct Way {
  IoEngine engine;
  bool direct;
  bool checksums;
};

class PageStoreBesideAVector : public ::testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(
    Ways, PageStoreBesideAVector,
    ::testing::Values(Way{IoEngine::Uring, false, false}, Way{IoEngine::Uring, false, true},
                      Way{IoEngine::Uring, true, false}, Way{IoEngine::Uring, true, true},
                      Way{IoEngine::Threads, false, false}, Way{IoEngine::Threads, true, true}),
    [](const auto& param) {
      return std::string(to_string(param.param.engine)) + (param.param.direct ? "_direct" : "") +
             (param.param.checksums ? "_checksums" : "");
    });

TEST_P(PageStoreBesideAVector, HoldsTheSameBytes) {
  if (GetParam().engine == IoEngine::Uring)
    if (const auto ring = open_kernel_ring(1); !ring.ok()) GTEST_SKIP() << ring.error().message;
  const testing::TemporaryFolder folder;
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Result<std::unique_ptr<PageStore>> store = PageStore::create(
        {.path = folder.path(),
         .size_bytes = kStoreBytes,
         .direct = GetParam().direct,
         .checksums = GetParam().checksums,
         .engine = GetParam().engine,
         .ring = {.depth = 1 + seed % 4, .piece_bytes = 4096, .writes = seed % 2 == 0},
         .largest_in_flight = 1 + seed % 7,
         .bounce_bytes = 4096});
    ASSERT_TRUE(store.ok()) << store.error().message;
    Comparison comparison{**store, std::mt19937(seed)};
    for (int i = 0; i < 150 && !HasFatalFailure(); ++i) comparison.step();
    if (HasFatalFailure()) return;
    comparison.check_and_change();
    std::vector<std::byte> all(kStoreBytes);
    ASSERT_EQ((*store)->read(0, all), Failure{});
    ASSERT_EQ(all, comparison.file);
  }
}

}  // namespace
}  // namespace poet
