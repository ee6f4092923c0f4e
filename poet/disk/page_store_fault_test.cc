// Every call that a store makes of the operating system is made to fail once, in every way: each
// failure is one sentence, and nothing that is read is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "poet/disk/page_store.h"
#include "tests/support/failing_ring.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::int64_t kStoreBytes = 32 << 10;

// Blocking and begun transfers that overlap, until the first failure, beside what the file must
// hold.
struct Workload {
  PageStore& store;
  bool is_kept = false;
  Bytes expected = Bytes(kStoreBytes);
  Failure failure = {};

  bool goes_on(const Failure& now) {
    if (now && !failure) failure = now;
    return !failure;
  }

  void write(std::int64_t at, std::int64_t size, int value) {
    if (failure) return;
    const Bytes from(static_cast<std::size_t>(size), static_cast<std::byte>(value));
    if (goes_on(store.write(at, from))) std::copy(from.begin(), from.end(), expected.begin() + at);
  }

  void read(std::int64_t at, std::int64_t size) {
    if (failure) return;
    Bytes into(static_cast<std::size_t>(size));
    if (!goes_on(store.read(at, into))) return;
    EXPECT_TRUE(std::equal(into.begin(), into.end(), expected.begin() + at)) << at;
  }

  // A write, a read of it, a write over it and a read of that, all under way together.
  void overlap(std::int64_t at, std::int64_t size, int value) {
    if (failure) return;
    const auto count = static_cast<std::size_t>(size);
    const Bytes first(count, static_cast<std::byte>(value));
    const Bytes second(count, static_cast<std::byte>(value + 1));
    Bytes after_first(count);
    Bytes after_second(count);
    const std::vector<Result<Ticket>> tickets = {
        store.start_write(at, first), store.start_read(at, after_first),
        store.start_write(at, second), store.start_read(at, after_second)};
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      if (!goes_on(tickets[i].ok() ? store.wait(*tickets[i]) : tickets[i].error())) return;
      if (i == 1) {
        EXPECT_EQ(after_first, first);
      }
    }
    EXPECT_EQ(after_second, second);
    std::copy(second.begin(), second.end(), expected.begin() + at);
  }

  void run() {
    read(0, kStoreBytes);
    write(0, 8192, 1);
    write(5000, 3000, 2);
    overlap(4096, 6144, 3);
    write(12 << 10, 12 << 10, 5);
    read(0, kStoreBytes);
    overlap(10'001, 777, 6);
    read(9'000, 20'000);
    if (is_kept && !failure) goes_on(store.flush());
  }
};

struct Way {
  const char* name;
  IoEngine engine;
  bool direct;
  bool keep_file;
};

constexpr Way kWays[] = {{"uring", IoEngine::Auto, false, false},
                         {"threads", IoEngine::Threads, false, false},
                         {"uring, direct", IoEngine::Auto, true, false},
                         {"threads, direct, kept", IoEngine::Threads, true, true}};

class EveryFault : public ::testing::TestWithParam<testing::Fault> {
 protected:
  PageStoreOptions options_of(const Way& way) const {
    return {.path = way.keep_file ? folder_.path("pages") : folder_.path(),
            .size_bytes = kStoreBytes,
            .keep_file = way.keep_file,
            .direct = way.direct,
            .checksums = true,
            .engine = way.engine,
            .ring = {.depth = 2, .piece_bytes = 2048, .writes = true},
            .bounce_bytes = 2048};
  }

  // The first sentence of failure.
  static Failure use(PageStore& store, const Way& way) {
    Workload workload{store, way.keep_file};
    workload.run();
    if (workload.failure) {
      Bytes byte(1);
      EXPECT_EQ(store.read(0, byte), workload.failure);
      EXPECT_EQ(store.wait_all(), workload.failure);
    }
    return workload.failure;
  }

  testing::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Faults, EveryFault, ::testing::ValuesIn(testing::kFaults),
                         [](const auto& param) { return std::string(name_of(param.param)); });

TEST_P(EveryFault, IsOneSentenceOrIsSurvived) {
  for (const Way& way : kWays) {
    bool reached = true;
    std::int64_t failures = 0;
    for (std::int64_t k = 0; reached; ++k) {
      SCOPED_TRACE(::testing::Message() << way.name << ", call " << k);
      testing::FailingFileCalls calls(k, GetParam());
      Failure failure;
      {
        const Result<std::unique_ptr<PageStore>> store =
            PageStore::create(options_of(way), testing::failing_calls(calls));
        failure = store.ok() ? use(**store, way) : store.error();
      }
      reached = calls.failed();
      const std::string call(calls.failed_call());
      if (failure) {
        ++failures;
        EXPECT_NE(failure->message.find("the page store '" + folder_.path()), std::string::npos)
            << call << ": " << failure->message;
      } else {
        EXPECT_TRUE(!reached || call == "submit" || call == "open_ring" ||
                    testing::may_be_survived(GetParam(), call))
            << call;
      }
      EXPECT_LE(folder_.files(), way.keep_file || call == "unlink" ? 1 : 0) << call;
      std::filesystem::remove(folder_.path("pages"));
      ASSERT_LT(k, 1000);
    }
    const bool is_survivable =
        GetParam() == testing::Fault::Interrupted || GetParam() == testing::Fault::Short;
    EXPECT_TRUE(is_survivable || failures > 20) << failures;
  }
}

}  // namespace
}  // namespace poet
