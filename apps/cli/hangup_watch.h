#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace poet::cli {

// Whether this process was started to outlive its terminal, as by nohup. A SIGHUP that is ignored
// and blocked is queued all the same on Linux, so who waits for it has to ask.
bool hangups_are_ignored();

// While it lives, SIGHUP waits: for a HangupWatch that is made meanwhile, or for its end. Make it
// before any other thread.
class BlockedHangups {
 public:
  BlockedHangups();
  ~BlockedHangups();
  BlockedHangups(const BlockedHangups&) = delete;
  BlockedHangups& operator=(const BlockedHangups&) = delete;

 private:
  bool were_blocked_ = false;
};

// While it lives, SIGHUP ends nothing; between begin() and end(), each calls a function, in a
// thread of its own. Make it before any other thread: threads inherit what is blocked.
class HangupWatch {
 public:
  explicit HangupWatch(std::function<void()> heard);
  ~HangupWatch();  // as end()
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

  // A SIGHUP that came before is heard now.
  void begin();
  void end();

 private:
  void wait_for_signals();

  std::function<void()> heard_;
  std::atomic<bool> done_ = false;
  std::thread waiter_;
};

}  // namespace poet::cli
