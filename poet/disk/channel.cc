#include "poet/disk/channel.h"

#include <csignal>
#include <utility>

#include "poet/base/file_calls.h"

namespace poet {
namespace {

// Deep enough for transfers and the sentence of an error. The default of 8 MiB would count against
// a limit on the address space.
constexpr std::size_t kStackBytes = 512 << 10;

}  // namespace

Channel::Channel(std::int64_t capacity, std::function<Failure(const Transfer&)> execute)
    : execute_(std::move(execute)), queue_(static_cast<std::size_t>(capacity)) {}

Channel::~Channel() {
  if (!thread_) return;
  wait_all();
  {
    const Lock lock(mutex_);
    is_ending_ = true;
  }
  work_.notify_one();
  ::pthread_join(*thread_, nullptr);
}

// Signals are for the program's threads.
Failure Channel::begin() {
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  pthread_attr_t attributes{};
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = ::pthread_create(&thread, &attributes, run_thread, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0)
    return Error{ErrorCode::Io, "cannot start the page store's thread: " + reason_of(error), {}};
  thread_ = thread;
  return std::nullopt;
}

void* Channel::run_thread(void* self) {
  static_cast<Channel*>(self)->serve();
  return nullptr;
}

void Channel::serve() {
  Lock lock(mutex_);
  while (!is_ending_) {
    if (has_work())
      run_oldest(lock);
    else
      work_.wait(lock);
  }
}

bool Channel::has_work() const {
  return !is_running_ && done_ < issued_ && !failure_;
}

bool Channel::is_full() const {
  return issued_ - done_ == static_cast<std::int64_t>(queue_.size());
}

Result<Ticket> Channel::start(const Transfer& transfer) {
  Lock lock(mutex_);
  const Result<Ticket> ticket = enqueue(lock, transfer);
  lock.unlock();
  work_.notify_one();
  return ticket;
}

Failure Channel::run(const Transfer& transfer) {
  Lock lock(mutex_);
  const Result<Ticket> ticket = enqueue(lock, transfer);
  if (!ticket) return ticket.error();
  return wait_for(lock, static_cast<std::int64_t>(*ticket));
}

Result<Ticket> Channel::enqueue(Lock& lock, const Transfer& transfer) {
  while (is_full() && !failure_) help_or_wait(lock);
  if (failure_) return *failure_;
  queue_[static_cast<std::size_t>(issued_) % queue_.size()] = transfer;
  return Ticket{issued_++};
}

void Channel::run_oldest(Lock& lock) {
  const Transfer transfer = queue_[static_cast<std::size_t>(done_) % queue_.size()];
  is_running_ = true;
  lock.unlock();
  Failure failure = execute_(transfer);
  lock.lock();
  is_running_ = false;
  if (failure)
    failure_ = std::move(failure);
  else
    ++done_;
  progress_.notify_all();
}

// A helper that leaves work behind wakes the thread.
void Channel::help_or_wait(Lock& lock) {
  if (!has_work()) return progress_.wait(lock);
  run_oldest(lock);
  if (has_work()) work_.notify_one();
}

Failure Channel::wait_for(Lock& lock, std::int64_t ticket) {
  while (done_ <= ticket && !failure_) help_or_wait(lock);
  return done_ > ticket ? Failure{} : failure_;
}

Failure Channel::wait(Ticket ticket) {
  Lock lock(mutex_);
  POET_CHECK(static_cast<std::int64_t>(ticket) < issued_);
  return wait_for(lock, static_cast<std::int64_t>(ticket));
}

Failure Channel::wait_all() {
  Lock lock(mutex_);
  if (Failure failure = wait_for(lock, issued_ - 1)) return failure;
  return failure_;
}

bool Channel::is_done(Ticket ticket) const {
  const Lock lock(mutex_);
  return done_ > static_cast<std::int64_t>(ticket) || failure_.has_value();
}

void Channel::fail(const Error& error) {
  const Lock lock(mutex_);
  if (!failure_) failure_ = error;
  progress_.notify_all();
}

std::int64_t Channel::memory_bytes() const {
  return static_cast<std::int64_t>(sizeof(*this) + queue_.size() * sizeof(Transfer));
}

}  // namespace poet
