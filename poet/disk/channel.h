#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "poet/base/result.h"
#include "poet/disk/transfer.h"

namespace poet {

// Transfers one after the other, in order of issue, on a thread of its own; who waits for one helps
// while that thread is idle, so that a blocking transfer costs no change of threads. After the
// first error nothing more is executed. Nothing is allocated after begin().
class Channel {
 public:
  // `execute` is never called twice at a time.
  Channel(std::int64_t capacity, std::function<Failure(const Transfer&)> execute);
  // Waits for what was begun.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Starts the thread; called once, before all others.
  Failure begin();

  Result<Ticket> start(const Transfer& transfer);
  Failure run(const Transfer& transfer);  // start and wait
  Failure wait(Ticket ticket);
  Failure wait_all();
  bool is_done(Ticket ticket) const;
  // As if the next transfer had failed so.
  void fail(const Error& error);

  std::int64_t memory_bytes() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  static void* run_thread(void* self);
  void serve();
  bool has_work() const;
  bool is_full() const;
  Result<Ticket> enqueue(Lock& lock, const Transfer& transfer);
  void run_oldest(Lock& lock);
  void help_or_wait(Lock& lock);
  Failure wait_for(Lock& lock, std::int64_t ticket);

  const std::function<Failure(const Transfer&)> execute_;
  mutable std::mutex mutex_;
  std::condition_variable work_;      // for the thread: there is something to do, or the end
  std::condition_variable progress_;  // for those who wait
  std::vector<Transfer> queue_;       // ticket t at t modulo the capacity
  std::int64_t issued_ = 0;
  std::int64_t done_ = 0;  // tickets below it
  bool is_running_ = false;
  bool is_ending_ = false;
  Failure failure_;  // of ticket done_
  std::optional<pthread_t> thread_;
};

}  // namespace poet
