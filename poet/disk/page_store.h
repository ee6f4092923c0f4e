#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/disk/io_calls.h"

namespace poet {

// Who moves the bytes. Both engines move the same bytes in the same order.
enum class IoEngine {
  Auto,     // io_uring where the kernel lets us, plain calls where not
  Uring,    // io_uring for what is faster with it (RingShape)
  Threads,  // pread and pwrite on the store's own thread
};

std::string_view to_string(IoEngine engine);

struct PageStoreOptions {
  // A folder: the store is a nameless file in it, gone with the store, on a crash as well. Else the
  // name of the file, which is made; one that is there is refused unless it is to be kept.
  std::string path = {};
  std::int64_t size_bytes = 0;  // >= 0; in direct mode rounded up to whole blocks
  bool keep_file = false;       // only where `path` names a file
  bool direct = false;          // past the page cache, to and from the disk itself
  bool checksums = false;       // see PageStore::read()
  IoEngine engine = IoEngine::Auto;
  RingShape ring = {};
  // What is set aside at the start, because nothing is allocated afterwards.
  std::int64_t largest_in_flight = 64;    // transfers begun and not done; >= 1
  std::int64_t largest_extents = 4096;    // pieces of the file with a checksum; >= 1
  std::int64_t bounce_bytes = 256 << 10;  // of the bounce buffer in direct mode; see block_bytes()
};

// What was moved since create(): the bytes that callers asked for, without repeated attempts and
// without what the bounce buffer added.
struct IoCounts {
  std::int64_t reads = 0;
  std::int64_t read_bytes = 0;
  std::int64_t writes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t bounced_bytes = 0;  // of those, through the bounce buffer
  std::int64_t checked_bytes = 0;  // of those read, compared with a checksum

  bool operator==(const IoCounts&) const = default;
};

// Pages of a plan on a disk: one file of a size that was reserved at the start, so that a disk that
// is full is found before the first step and not in the middle of it.
//
// There is one channel. Transfers take effect in order of issue, whatever they overlap: a read sees
// every write begun before it and none begun after it, and a read into memory that an earlier write
// still reads from waits for it. Several threads may call. Memory given to start_read() and
// start_write() is the store's until wait() for that ticket, or for a later one, returns.
//
// After an error the store is of no more use: every transfer from the one that failed on, and every
// later call, gives the same sentence. Transfers before it hold what they should.
//
// Nothing is allocated after create() (but for the sentence of an error).
class PageStore {
 public:
  // Refuses sizes and capacities out of range, a path that cannot hold the file, a file system
  // without direct I/O where that was asked for, io_uring by name where the kernel refuses it, and
  // a disk that is too full.
  static Result<std::unique_ptr<PageStore>> create(const PageStoreOptions& options,
                                                   const IoCalls& calls = {});
  // Waits for what is in flight. Of a file that is kept, call flush() first to be sure of it.
  ~PageStore();
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;

  // Blocking: begun and waited for. Before anything was written, the file reads as zeros (a kept
  // file, as what it was). With checksums, what lies in the range and was written by one transfer
  // that nothing has overlapped since is compared with the checksum of that time.
  // A range that is not within size_bytes() is a bug of the caller.
  Failure read(std::int64_t offset_bytes, std::span<std::byte> into);
  Failure write(std::int64_t offset_bytes, std::span<const std::byte> from);

  // Begin and return at once; where largest_in_flight transfers are under way, when the oldest of
  // them is done.
  Result<Ticket> start_read(std::int64_t offset_bytes, std::span<std::byte> into);
  Result<Ticket> start_write(std::int64_t offset_bytes, std::span<const std::byte> from);

  // Until this transfer, and so all before it, is done or has failed.
  Failure wait(Ticket ticket);
  Failure wait_all();
  // Whether wait() would return at once. After a failure it would.
  bool is_done(Ticket ticket) const;
  // Waits for all, and for the disk to have what was written.
  Failure flush();

  std::int64_t size_bytes() const;
  // 1 unless direct. In direct mode, memory, offsets and sizes that are multiples of it go straight
  // to the disk; anything else goes through the bounce buffer, partial blocks by reading, changing
  // and writing a whole one.
  std::int64_t block_bytes() const;
  IoEngine engine() const;  // Uring or Threads
  IoCounts counts() const;
  // What the store takes of memory, beside the thread's stack: queue, bounce buffer, checksums.
  std::int64_t memory_bytes() const;
  // Sentences that a user should know: a reservation that had to be written, an engine refused.
  const std::vector<std::string>& remarks() const;

 private:
  struct State;
  explicit PageStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace poet
