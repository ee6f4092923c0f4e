#include "python/src/beside.h"

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "apps/cli/search_command.h"

namespace poet::python {
namespace {

using Call = std::function<void()>;

// How soon Ctrl-C is heard.
constexpr std::chrono::milliseconds kLook(20);
constexpr std::size_t kMostWaiting = 1000;

// The calls on their way from the work to the thread that waits for it.
class Mailbox {
 public:
  void put(Call call) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return calls_.size() < kMostWaiting; });
    calls_.push_back(std::move(call));
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // Those that came within a while, perhaps none; nothing when no more will come.
  std::optional<std::deque<Call>> take() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLook, [this] { return closed_ || !calls_.empty(); });
    if (closed_ && calls_.empty()) return std::nullopt;
    std::deque<Call> taken;
    taken.swap(calls_);
    changed_.notify_all();
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call> calls_;
  bool closed_ = false;
};

// Cbc takes Ctrl-C for itself while it searches, and only ends that search. It is Python's: it is
// taken back at each look.
class OwnInterrupt {
 public:
  OwnInterrupt() { sigaction(SIGINT, nullptr, &own_); }

  void take_back() const {
    struct sigaction now {};
    sigaction(SIGINT, nullptr, &now);
    const bool is_foreign =
        now.sa_handler != own_.sa_handler && now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL;
    if (is_foreign) sigaction(SIGINT, &own_, nullptr);
  }

 private:
  struct sigaction own_ {};
};

// What Python has to say while the work runs; every function needs the interpreter's lock.
class Listener {
 public:
  explicit Listener(std::stop_source& stopper) : stopper_(stopper) {}

  void make(const std::deque<Call>& calls) {
    for (const Call& call : calls) {
      try {
        if (!raised_) call();
      } catch (py::error_already_set& error) {
        hear(std::move(error));
      }
    }
  }

  void look_for_signals() {
    if (PyErr_CheckSignals() != 0) hear(py::error_already_set());
  }

  void raise_what_was_heard() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  void hear(py::error_already_set error) {
    stopper_.request_stop();
    const bool polite = error.matches(PyExc_KeyboardInterrupt) && !interrupted_;
    interrupted_ = true;
    if (!polite && !raised_) raised_.emplace(std::move(error));
  }

  std::stop_source& stopper_;
  bool interrupted_ = false;
  std::optional<py::error_already_set> raised_ = {};
};

}  // namespace

void run_beside(double limit_s, const std::function<void(const Stop&, const Post&)>& work) {
  Mailbox box;
  std::stop_source stopper;
  std::exception_ptr failure;
  Listener listener(stopper);
  const OwnInterrupt interrupt;
  {
    const py::gil_scoped_release unlocked;
    const Stop stop{stopper.get_token(), cli::new_clock(), limit_s};
    std::jthread worker([&] {
      try {
        work(stop, [&box](Call call) { box.put(std::move(call)); });
      } catch (...) {
        failure = std::current_exception();
      }
      box.close();
    });
    while (const std::optional<std::deque<Call>> calls = box.take()) {
      interrupt.take_back();
      const py::gil_scoped_acquire locked;
      listener.make(*calls);
      listener.look_for_signals();
    }
  }
  listener.raise_what_was_heard();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace poet::python
