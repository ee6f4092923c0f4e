// Once it is made, a store allocates nothing: every allocation of this program is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "poet/disk/page_store.h"
#include "tests/support/temporary_folder.h"

namespace {

std::atomic<std::int64_t> allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace poet {
namespace {

// Whether every transfer succeeded.
bool use(PageStore& store, std::span<std::byte> memory) {
  bool good = true;
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::int64_t at = i * 501;
    good &= store.start_write(at, memory.first(500)).ok();
    good &= store.start_read(at, memory.last(500)).ok();
    good &= !store.write(at, memory.subspan(3, 200));
    const Result<Ticket> ticket = store.start_read(0, memory);
    good &= ticket.ok() && !store.wait(*ticket) && store.is_done(*ticket);
    good &= !store.read(at + 1, memory.first(300));
  }
  return good && !store.flush() && store.counts().writes == 200;
}

TEST(PageStoreAllocations, AreNoneAfterItIsMade) {
  const testing::TemporaryFolder folder;
  for (const IoEngine engine : {IoEngine::Auto, IoEngine::Threads}) {
    for (const bool direct : {false, true}) {
      const Result<std::unique_ptr<PageStore>> store =
          PageStore::create({.path = folder.path(),
                             .size_bytes = 64 << 10,
                             .direct = direct,
                             .checksums = true,
                             .engine = engine,
                             .ring = {.depth = 2, .piece_bytes = 4096, .writes = true},
                             .largest_in_flight = 3});
      ASSERT_TRUE(store.ok()) << store.error().message;
      std::vector<std::byte> memory(20'000);
      const std::int64_t before = allocations;
      const bool good = use(**store, memory);
      EXPECT_EQ(allocations, before);
      EXPECT_TRUE(good);
    }
  }
}

TEST(PageStoreAllocations, WouldBeSeen) {
  const std::int64_t before = allocations;
  const std::vector<std::byte> memory(20'000);
  EXPECT_EQ(allocations, before + 1);
}

}  // namespace
}  // namespace poet
