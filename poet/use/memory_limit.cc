#include "poet/use/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace poet {
namespace {

namespace fs = std::filesystem;

// What version 1 writes for "no limit" is 2^63 less a page; nothing real comes near.
constexpr std::int64_t kNoLimitBytes = std::int64_t{1} << 60;

std::optional<std::int64_t> limit_in(const fs::path& file) {
  std::ifstream text(file);
  std::int64_t bytes = 0;
  if (!(text >> bytes) || bytes < 0 || bytes >= kNoLimitBytes) return std::nullopt;
  return bytes;
}

// The folders of a group and of those around it, innermost first. In a container the path may be
// that of the machine, of which only the root is there.
std::vector<fs::path> folders_of(const fs::path& root, const std::string& group) {
  std::vector<fs::path> folders;
  fs::path path = fs::path(group).relative_path();
  for (; !path.empty(); path = path.parent_path()) folders.push_back(root / path);
  folders.push_back(root);
  return folders;
}

struct Group {
  std::vector<fs::path> folders = {};
  bool is_version_2 = false;
};

// From lines such as "4:memory:/user" of version 1 and "0::/user" of version 2.
std::vector<Group> groups_of(const MemoryFiles& files) {
  const fs::path root = files.control_groups;
  std::vector<Group> groups;
  std::ifstream lines(fs::path(files.proc) / "self" / "cgroup");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string number;
    std::string controllers;
    std::string path;
    if (!std::getline(parts, number, ':') || !std::getline(parts, controllers, ':') ||
        !std::getline(parts, path))
      continue;
    if (controllers.empty()) {
      groups.push_back({folders_of(root, path), true});
      groups.push_back({folders_of(root / "unified", path), true});
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      groups.push_back({folders_of(root / "memory", path), false});
    }
  }
  return groups;
}

std::optional<double> pressure_in(const fs::path& file) {
  std::ifstream lines(file);
  constexpr std::string_view kBefore = "some avg10=";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kBefore)) continue;
    double percent = 0;
    const char* const begin = line.data() + kBefore.size();
    if (std::from_chars(begin, line.data() + line.size(), percent).ec == std::errc())
      return percent;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> memory_limit_bytes(const MemoryFiles& files) {
  std::optional<std::int64_t> least_bytes;
  const auto look_at = [&least_bytes](const fs::path& file) {
    if (const std::optional<std::int64_t> bytes = limit_in(file))
      least_bytes = std::min(*bytes, least_bytes.value_or(*bytes));
  };
  for (const Group& group : groups_of(files))
    for (const fs::path& folder : group.folders) {
      look_at(folder / (group.is_version_2 ? "memory.max" : "memory.limit_in_bytes"));
      look_at(folder / (group.is_version_2 ? "memory.high" : "memory.soft_limit_in_bytes"));
    }
  return least_bytes;
}

std::optional<double> memory_pressure_percent(const MemoryFiles& files) {
  for (const Group& group : groups_of(files)) {
    if (!group.is_version_2) continue;
    for (const fs::path& folder : group.folders)
      if (const std::optional<double> percent = pressure_in(folder / "memory.pressure"))
        return percent;
  }
  return pressure_in(fs::path(files.proc) / "pressure" / "memory");
}

}  // namespace poet
