// Times transfers of one size through a page store and prints one line of JSON (bench/disk/run.py).
//
//   disk_bench PATH uring|uring-writes|threads direct|cached checked|plain TRANSFER_BYTES
//   TOTAL_BYTES DEPTH PIECE_BYTES

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "poet/disk/page_store.h"

namespace {

using poet::Failure;
using poet::PageStore;

constexpr std::int64_t kBuffers = 4;
constexpr std::int64_t kAlignment = 64 << 10;

// A benchmark that cannot go on ends.
void require(const Failure& failure) {
  if (!failure) return;
  std::fprintf(stderr, "%s\n", failure->message.c_str());
  std::exit(1);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Bench {
  PageStore& store;
  std::int64_t transfer_bytes;
  std::int64_t transfers;
  std::byte* memory;  // kBuffers buffers

  std::span<std::byte> buffer(std::int64_t i) const {
    return {memory + i % kBuffers * transfer_bytes, static_cast<std::size_t>(transfer_bytes)};
  }

  // The next begins before the last is done, in kBuffers buffers.
  template <typename Start>
  double streamed_s(const Start& start) const {
    std::vector<poet::Ticket> tickets;
    tickets.reserve(static_cast<std::size_t>(transfers));
    return seconds_of([&] {
      for (std::int64_t i = 0; i < transfers; ++i) {
        if (i >= kBuffers) require(store.wait(tickets[static_cast<std::size_t>(i - kBuffers)]));
        tickets.push_back(start(i * transfer_bytes, buffer(i)));
      }
      require(store.wait_all());
    });
  }

  // Of blocking transfers, one by one.
  template <typename Run>
  double median_s(const Run& run) const {
    std::vector<double> times;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(transfers, 200); ++i)
      times.push_back(seconds_of([&] { require(run(i * transfer_bytes, buffer(i))); }));
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }
};

poet::Ticket ticket_of(const poet::Result<poet::Ticket>& ticket) {
  if (!ticket) require(ticket.error());
  return *ticket;
}

void print_times(const Bench& bench, std::int64_t total_bytes) {
  PageStore& store = bench.store;
  const auto write = [&](std::int64_t at, std::span<std::byte> from) {
    return ticket_of(store.start_write(at, from));
  };
  const auto read = [&](std::int64_t at, std::span<std::byte> into) {
    return ticket_of(store.start_read(at, into));
  };
  const double first_write_s = bench.streamed_s(write);
  const double write_s = bench.streamed_s(write);
  const double read_s = bench.streamed_s(read);
  const double blocking_write_s = bench.median_s(
      [&](std::int64_t at, std::span<std::byte> from) { return store.write(at, from); });
  const double blocking_read_s = bench.median_s(
      [&](std::int64_t at, std::span<std::byte> into) { return store.read(at, into); });
  const auto mb_per_s = [&](double s) { return static_cast<double>(total_bytes) / s / 1e6; };
  std::printf(
      "{\"block_bytes\": %lld, \"first_write_mb_per_s\": %.1f, \"write_mb_per_s\": %.1f, "
      "\"read_mb_per_s\": %.1f, \"blocking_write_us\": %.1f, \"blocking_read_us\": %.1f}\n",
      static_cast<long long>(store.block_bytes()), mb_per_s(first_write_s), mb_per_s(write_s),
      mb_per_s(read_s), blocking_write_s * 1e6, blocking_read_s * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() != 9) {
    std::fprintf(stderr,
                 "usage: disk_bench PATH uring|uring-writes|threads direct|cached checked|plain "
                 "TRANSFER_BYTES TOTAL_BYTES DEPTH PIECE_BYTES\n");
    return 2;
  }
  const std::int64_t transfer_bytes = std::stoll(words[5]);
  const std::int64_t transfers = std::stoll(words[6]) / transfer_bytes;
  const auto store = PageStore::create(
      {.path = words[1],
       .size_bytes = transfers * transfer_bytes,
       .direct = words[3] == "direct",
       .checksums = words[4] == "checked",
       .engine = words[2] == "threads" ? poet::IoEngine::Threads : poet::IoEngine::Uring,
       .ring = {.depth = std::stoll(words[7]),
                .piece_bytes = std::stoll(words[8]),
                .writes = words[2] == "uring-writes"},
       .largest_extents = transfers});
  if (!store) require(store.error());
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(
      kAlignment, static_cast<std::size_t>((kBuffers * transfer_bytes + kAlignment - 1) /
                                           kAlignment * kAlignment)));
  std::fill_n(memory, kBuffers * transfer_bytes, std::byte{1});
  print_times({**store, transfer_bytes, transfers, memory}, transfers * transfer_bytes);
  std::free(memory);
}
