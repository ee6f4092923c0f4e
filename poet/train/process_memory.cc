#include "poet/train/process_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kKiB = 1024;

// "VmRSS:      1234 kB" in the lines of a file in /proc.
std::int64_t figure_in(const std::string& line, const std::string& name) {
  if (line.compare(0, name.size(), name) != 0) return 0;
  std::istringstream rest(line.substr(name.size()));
  std::int64_t kilobytes = 0;
  rest >> kilobytes;
  return kilobytes * kKiB;
}

std::string program_path() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return path;
}

std::int64_t unread_program_bytes() {
  const std::string program = program_path();
  std::ifstream maps("/proc/self/smaps");
  std::int64_t bytes = 0;
  bool is_program = false;
  for (std::string line; std::getline(maps, line);) {
    const bool begins = line.find('-') < line.find(' ') && line.find(':') > line.find('-');
    if (begins) is_program = !program.empty() && line.ends_with(program);
    if (is_program) bytes += figure_in(line, "Size:") - figure_in(line, "Rss:");
  }
  return bytes;
}

}  // namespace

ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    memory.resident_bytes += figure_in(line, "VmRSS:");
    memory.peak_bytes += figure_in(line, "VmHWM:");
    memory.address_space_bytes += figure_in(line, "VmPeak:");
  }
  memory.unread_program_bytes = unread_program_bytes();
  return memory;
}

std::int64_t resident_bytes(std::span<const std::byte> memory) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
  if (memory.empty()) return 0;
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  if (::mincore(reinterpret_cast<void*>(begin), end - begin, pages.data()) != 0) return 0;
  std::int64_t count = 0;
  for (const unsigned char flags : pages) count += flags & 1;
  return count * static_cast<std::int64_t>(page);
}

void forget_peak_memory() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace poet
