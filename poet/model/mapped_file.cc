#include "poet/model/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace poet {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Error cannot_read(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return {missing ? ErrorCode::NotFound : ErrorCode::Io,
          "cannot read '" + path +
              "': " + std::error_code(error_number, std::generic_category()).message(),
          {}};
}

// --- Which file lies where

struct Place {
  std::atomic<bool> is_taken = false;
  std::atomic<std::uintptr_t> begin = 0;  // 0: what else stands here is not yet, or no longer, true
  std::atomic<std::size_t> size_bytes = 0;
  std::array<char, 256> path = {};
};

std::array<Place, 64> mapped_places;

Place* note(const void* start, std::size_t size, const std::string& path) {
  for (Place& place : mapped_places) {
    if (place.is_taken.exchange(true)) continue;
    const std::size_t shown = std::min(path.size(), place.path.size() - 1);
    std::copy(path.end() - static_cast<std::ptrdiff_t>(shown), path.end(), place.path.begin());
    place.path[shown] = '\0';
    place.size_bytes = size;
    place.begin = reinterpret_cast<std::uintptr_t>(start);
    return &place;
  }
  return nullptr;
}

void forget(Place* place) {
  if (place == nullptr) return;
  place->begin = 0;
  place->is_taken = false;
}

}  // namespace

const char* mapped_path_at(const void* address) {
  const auto asked = reinterpret_cast<std::uintptr_t>(address);
  for (const Place& place : mapped_places) {
    const std::uintptr_t begin = place.begin;
    if (begin != 0 && asked >= begin && asked - begin < place.size_bytes) return place.path.data();
  }
  return nullptr;
}

Result<StoredBytes> map_file(const std::string& path) {
  const Descriptor file(path);
  if (file.number() < 0) return cannot_read(path, errno);
  return map_open_file(file.number(), path);
}

Result<StoredBytes> map_open_file(int file, const std::string& path) {
  struct stat there {};
  if (::fstat(file, &there) != 0) return cannot_read(path, errno);
  if (!S_ISREG(there.st_mode))
    return Error{ErrorCode::Io, "cannot read '" + path + "': it is not a regular file", {}};
  const auto size = static_cast<std::size_t>(there.st_size);
  if (size == 0) return StoredBytes{};

  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (start == MAP_FAILED) return cannot_read(path, errno);
  Place* const place = note(start, size, path);
  std::shared_ptr<const void> owner(start, [size, place](const void* mapped) {
    forget(place);
    ::munmap(const_cast<void*>(mapped), size);
  });
  return StoredBytes{std::move(owner), {static_cast<const std::byte*>(start), size}};
}

}  // namespace poet
