#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "poet/base/result.h"
#include "poet/model/initial.h"

namespace poet {

// Reads one thing after the other of a GGUF file, and remembers the first that is wrong; what is
// read behind it is nothing, and takes nothing. Nothing of the file is copied that is not asked
// for.
class GgufReading {
 public:
  GgufReading(const StoredBytes& file, const std::string& path) : file_(file), path_(path) {}

  const Failure& failure() const { return failure_; }
  std::int64_t place() const { return place_; }
  std::int64_t left() const { return std::ssize(file_.bytes) - place_; }

  // To a place that was read before, or that comes right behind such a text.
  void go_back_to(std::int64_t place) { place_ = place; }
  void go_behind(std::string_view text) {
    place_ = std::as_bytes(std::span(text)).data() + text.size() - file_.bytes.data();
  }

  void refuse(std::string message) {
    if (!failure_) failure_ = bad_input(std::move(message), {.file = path_});
  }

  // Whether there are so many; they are skipped.
  const std::byte* take(std::uint64_t bytes, std::string_view what) {
    if (failure_) return nullptr;
    if (bytes > static_cast<std::uint64_t>(left())) {
      refuse(fmt::format("it is cut off in {}, at byte {}", what, place_));
      return nullptr;
    }
    const std::byte* const begin = file_.bytes.data() + place_;
    place_ += static_cast<std::int64_t>(bytes);
    return begin;
  }

  template <typename Number>
  Number number(std::string_view what) {
    Number value{};
    if (const std::byte* const bytes = take(sizeof value, what))
      std::memcpy(&value, bytes, sizeof value);
    return value;
  }

  // Where it lies.
  std::string_view text(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    const std::byte* const bytes = take(length, what);
    if (bytes == nullptr) return {};
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
  }

 private:
  const StoredBytes& file_;
  const std::string& path_;
  std::int64_t place_ = 0;
  Failure failure_ = {};
};

}  // namespace poet
