#include "poet/service/least_rights.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "poet/base/file_calls.h"

namespace poet {
namespace {

// linux/landlock.h of Debian 12 ends at version 2; later kernels know more and say so by version.
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;        // version 3
constexpr std::uint64_t kDeviceCalls = std::uint64_t{1} << 15;     // version 5
constexpr std::uint64_t kBindTcp = std::uint64_t{1} << 0;          // version 4
constexpr std::uint64_t kConnectTcp = std::uint64_t{1} << 1;       // version 4
constexpr std::uint64_t kAbstractSockets = std::uint64_t{1} << 0;  // version 6
constexpr std::uint64_t kSignals = std::uint64_t{1} << 1;          // version 6

// struct landlock_ruleset_attr as version 6 has it; a kernel reads as much of it as it knows.
struct LandlockRules {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRun = kRead | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kOfAFile = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceCalls;
// Everything in its own folder but devices and running what it wrote; moving files between its
// folders, too.
constexpr std::uint64_t kUse = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE |
                               LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                               LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | kTruncate;

std::uint64_t known_file_rights(int version) {
  std::uint64_t rights = (std::uint64_t{LANDLOCK_ACCESS_FS_MAKE_SYM} << 1) - 1;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kDeviceCalls;
  return rights;
}

LandlockRules rules_of(int version, const KeptRights& rights) {
  LandlockRules rules{.files = known_file_rights(version)};
  if (version >= 4) rules.network = rights.connects ? kBindTcp : kBindTcp | kConnectTcp;
  if (version >= 6) rules.scoped = kAbstractSockets | kSignals;
  return rules;
}

std::size_t size_of_rules(int version) {
  if (version >= 6) return sizeof(LandlockRules);
  return version >= 4 ? offsetof(LandlockRules, scoped) : offsetof(LandlockRules, network);
}

// False where the kernel refuses; what is not there needs no rule.
bool allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return true;
  struct stat status {};
  landlock_path_beneath_attr rule{};
  rule.parent_fd = file;
  rule.allowed_access = rights;
  if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode)) rule.allowed_access &= kOfAFile;
  const long result = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(file);
  return result == 0;
}

bool restrict_to(const KeptRights& rights, int version) {
  const LandlockRules rules = rules_of(version, rights);
  const long ruleset = syscall(SYS_landlock_create_ruleset, &rules, size_of_rules(version), 0);
  if (ruleset < 0) return false;
  const int file = static_cast<int>(ruleset);
  bool well = allow(file, rights.folder, kUse & rules.files);
  for (const std::string& path : rights.reads) well = allow(file, path, kRead) && well;
  for (const std::string& path : rights.runs) well = allow(file, path, kRun) && well;
  well = syscall(SYS_landlock_restrict_self, file, 0) == 0 && well;
  close(file);
  return well;
}

// Those of root, and of whoever was given some: none is left, neither to this process nor to what
// it starts. The bounding set can be emptied only by those who may, and means nothing to others.
bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number)
    prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

int landlock_version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::vector<std::string> rights_that_stay(int version) {
  if (version == 0)
    return {"files of others, connections and signals to others (this kernel has no Landlock)"};
  std::vector<std::string> rights;
  if (version < 3) rights.push_back("cutting files of others short (before Linux 6.2)");
  if (version < 4) rights.push_back("TCP (before Linux 6.7)");
  if (version < 6)
    rights.push_back("signals to others and abstract unix sockets (before Linux 6.12)");
  // No version that is used here knows these.
  rights.push_back("UDP and unix sockets with a path");
  return rights;
}

std::vector<std::string> keep_least_rights(const KeptRights& rights) {
  // Without the first, the kernel refuses the others.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return {"new privileges: " + reason_of(errno), rights_that_stay(0).front()};
  if (!drop_capabilities()) return {"capabilities: " + reason_of(errno)};
  const int version = landlock_version();
  if (version > 0 && !restrict_to(rights, version))
    return {"files of others, connections and signals to others: " + reason_of(errno)};
  return rights_that_stay(version);
}

void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

}  // namespace poet
