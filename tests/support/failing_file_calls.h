#pragma once

#include <atomic>
#include <string_view>

#include "poet/base/file_calls.h"

// The system's calls, of which one fails: the k-th of all, once, in a chosen way.
namespace poet::testing {

enum class Fault {
  Broken,       // EIO
  Full,         // ENOSPC
  Interrupted,  // EINTR
  Short,        // half of the bytes; only reads and writes can be short
};

inline constexpr Fault kFaults[] = {Fault::Broken, Fault::Full, Fault::Interrupted, Fault::Short};

inline std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::Broken:
      return "broken";
    case Fault::Full:
      return "full";
    case Fault::Interrupted:
      return "interrupted";
    case Fault::Short:
      return "short";
  }
  return "";
}

inline int error_of(Fault fault) {
  if (fault == Fault::Interrupted) return -EINTR;
  return fault == Fault::Full ? -ENOSPC : -EIO;
}

// Whether code may do without what failed: what is interrupted or short is continued, nothing is
// lost when what is thrown away cannot be closed or removed.
inline bool may_be_survived(Fault fault, std::string_view call) {
  return fault == Fault::Interrupted || fault == Fault::Short || call == "close" ||
         call == "unlink";
}

class FailingFileCalls final : public FileCalls {
 public:
  FailingFileCalls(std::int64_t failing_call, Fault fault)
      : failing_call_(failing_call), fault_(fault) {}

  // Whether so many calls were made that one failed.
  bool failed() const { return calls_ > failing_call_; }
  std::string_view failed_call() const { return failed_call_; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails("open") ? error_of(fault_) : real_.open(path, flags, mode);
  }
  // The file is closed all the same, as by the system.
  int close(int file) override {
    const bool failing = fails("close");
    const int result = real_.close(file);
    return failing && fault_ != Fault::Interrupted ? error_of(fault_) : result;
  }
  int status(int file, struct stat* into) override {
    return fails("status") ? error_of(fault_) : real_.status(file, into);
  }
  int permit(int file, mode_t mode) override {
    return fails("permit") ? error_of(fault_) : real_.permit(file, mode);
  }
  int lock(int file) override { return fails("lock") ? error_of(fault_) : real_.lock(file); }
  int resize(int file, std::int64_t size_bytes) override {
    return fails("resize") ? error_of(fault_) : real_.resize(file, size_bytes);
  }
  int reserve(int file, std::int64_t size_bytes) override {
    return fails("reserve") ? error_of(fault_) : real_.reserve(file, size_bytes);
  }
  std::int64_t read_at(int file, std::int64_t offset_bytes, std::span<std::byte> into) override {
    if (!fails("read_at", into.size() > 1)) return real_.read_at(file, offset_bytes, into);
    if (fault_ != Fault::Short) return error_of(fault_);
    return real_.read_at(file, offset_bytes, into.first(into.size() / 2));
  }
  std::int64_t write_at(int file, std::int64_t offset_bytes,
                        std::span<const std::byte> from) override {
    if (!fails("write_at", from.size() > 1)) return real_.write_at(file, offset_bytes, from);
    if (fault_ != Fault::Short) return error_of(fault_);
    return real_.write_at(file, offset_bytes, from.first(from.size() / 2));
  }
  int sync(int file) override { return fails("sync") ? error_of(fault_) : real_.sync(file); }
  int rename(const char* from, const char* to) override {
    return fails("rename") ? error_of(fault_) : real_.rename(from, to);
  }
  int unlink(const char* path) override {
    return fails("unlink") ? error_of(fault_) : real_.unlink(path);
  }
  std::int64_t direct_alignment(int file) override {
    return fails("direct_alignment") ? error_of(fault_) : real_.direct_alignment(file);
  }

  // For seams beside this one that share its count.
  bool fails(std::string_view call, bool can_be_short = false) {
    const bool now = calls_++ == failing_call_;
    if (now) failed_call_ = call;
    return now && (fault_ != Fault::Short || can_be_short);
  }
  Fault fault() const { return fault_; }

 private:
  FileCalls& real_ = system_file_calls();
  std::int64_t failing_call_;
  Fault fault_;
  std::atomic<std::int64_t> calls_ = 0;
  std::string_view failed_call_;
};

}  // namespace poet::testing
