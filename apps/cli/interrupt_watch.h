#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace poet::cli {

// While it lives, the first Ctrl-C (SIGINT, or SIGTERM, or SIGHUP when a terminal is lost) asks
// politely for a stop, and another one, unless it comes in the same half second, ends the program
// at once with 130. Outside its life the signals do what they always do. A hang-up that is ignored
// (nohup) stays so, and a service has a use of its own for it.
//
// The signals are blocked in every thread and taken by one that waits for them, so that what they
// set off is ordinary code. Make it before any other thread: threads inherit what is blocked.
class InterruptWatch {
 public:
  enum class Hangup { Stops, IsNotOurs };
  explicit InterruptWatch(Hangup hangup = Hangup::Stops);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void wait_for_signals();

  sigset_t signals_ = {};
  std::stop_source source_;
  std::atomic<bool> done_ = false;
  std::thread waiter_;
};

}  // namespace poet::cli
