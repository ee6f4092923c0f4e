#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace poet {

// Room on a disk that is kept for deleting: a file of zeros that is given back when the disk is
// full, because a database that is to become smaller has to write first. Its owner alone uses it.
class DiskReserve {
 public:
  static constexpr std::int64_t kBytes = 512 << 10;

  explicit DiskReserve(std::string path) : path_(std::move(path)) {}

  // Has it, from before or made anew; a disk without the room for it is left alone.
  void keep();
  // Has none any more, not even from before.
  void give_up();
  // Whether there was one, whose room is free now.
  bool give_back();

 private:
  std::string path_;
  bool is_there_ = false;
};

}  // namespace poet
