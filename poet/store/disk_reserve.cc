#include "poet/store/disk_reserve.h"

#include <fcntl.h>

#include "poet/base/file_calls.h"

namespace poet {

void DiskReserve::keep() {
  if (is_there_) return;
  FileCalls& system = system_file_calls();
  const int file = uninterrupted(
      [&] { return system.open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600); });
  if (file < 0) return;
  is_there_ = uninterrupted([&] { return system.reserve(file, kBytes); }) == 0;
  system.close(file);
  if (!is_there_) system.unlink(path_.c_str());
}

void DiskReserve::give_up() {
  is_there_ = false;
  system_file_calls().unlink(path_.c_str());
}

bool DiskReserve::give_back() {
  if (!is_there_) return false;
  is_there_ = false;
  return system_file_calls().unlink(path_.c_str()) == 0;
}

}  // namespace poet
