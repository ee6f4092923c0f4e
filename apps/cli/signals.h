#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <stop_token>
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

// While it lives, SIGUSR1 asks for one RAM budget less and SIGUSR2 for one more. One of them at a
// time.
class LevelSignals {
 public:
  LevelSignals();
  ~LevelSignals();
  LevelSignals(const LevelSignals&) = delete;
  LevelSignals& operator=(const LevelSignals&) = delete;

  // How many levels below the largest budget were asked for, of so many that there are.
  static std::size_t level(std::size_t levels);
};

}  // namespace poet::cli
