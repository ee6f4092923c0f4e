#include "poet/train/process_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::string_view kExecutable = "r-xp";

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

// A range of addresses and what of it is in RAM.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string rights = {};  // such as kExecutable
  std::string file = {};    // empty or "[heap]": of no file
  std::int64_t size_bytes = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t own_bytes = 0;  // written by the process, whether in RAM or swapped out

  bool is_of_a_file() const { return file.starts_with('/'); }
  bool is_read_only() const { return rights == kExecutable || rights == "r--p"; }
};

// "7f00-7f10 r-xp 00000000 fe:00 1234    /usr/lib/libm.so.6", and nothing of other lines.
std::optional<Mapping> mapping_in(const std::string& line) {
  Mapping mapping;
  char dash = 0;
  std::string offset;
  std::string device;
  std::string inode;
  std::istringstream words(line);
  words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.rights >> offset >> device >>
      inode;
  if (!words || dash != '-') return std::nullopt;
  std::getline(words >> std::ws, mapping.file);
  return mapping;
}

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
  std::ifstream lines("/proc/self/smaps");
  for (std::string line; std::getline(lines, line);) {
    if (std::optional<Mapping> mapping = mapping_in(line)) all.push_back(*std::move(mapping));
    if (all.empty()) continue;
    all.back().size_bytes += figure_in(line, "Size:");
    all.back().resident_bytes += figure_in(line, "Rss:");
    all.back().own_bytes += figure_in(line, "Anonymous:") + figure_in(line, "Swap:");
  }
  return all;
}

// Those of programs and libraries: of files of which something can be executed.
std::vector<Mapping> mappings_of_code() {
  std::vector<Mapping> all = mappings();
  std::set<std::string> files;
  for (const Mapping& mapping : all)
    if (mapping.is_of_a_file() && mapping.rights == kExecutable) files.insert(mapping.file);
  std::erase_if(all, [&files](const Mapping& mapping) { return files.count(mapping.file) == 0; });
  return all;
}

void add_code(ProcessMemory& memory) {
  const std::string program = program_path();
  for (const Mapping& mapping : mappings_of_code())
    if (mapping.file == program)
      memory.unread_program_bytes += mapping.size_bytes - mapping.resident_bytes;
    else
      memory.library_bytes += mapping.resident_bytes;
}

// Code and constants that nobody wrote to: the system has them in their files, and they come back
// as they are used. Not what relocations have changed, which is nowhere else.
void give_back_code() {
  for (const Mapping& mapping : mappings_of_code())
    if (mapping.own_bytes == 0 && mapping.is_read_only())
      ::madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTNEED);
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
  add_code(memory);
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

void give_back_free_memory() {
  ::malloc_trim(0);
}

void forget_peak_memory() {
  give_back_free_memory();
  give_back_code();
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace poet
