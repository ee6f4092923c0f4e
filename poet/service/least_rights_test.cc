#include "poet/service/least_rights.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace poet {
namespace {

namespace fs = std::filesystem;

// 0: the file can be opened.
int error_of_open(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

// Cuts by name, for which a file need not be opened.
int error_of_truncate(const fs::path& path) {
  return truncate(path.c_str(), 1) == 0 ? 0 : errno;
}

int error_of_signal(pid_t process) {
  return kill(process, 0) == 0 ? 0 : errno;
}

int error_of_connect(int type) {
  const int socket = ::socket(AF_INET, type, 0);
  if (socket < 0) return errno;
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_port = htons(9);
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int error =
      connect(socket, reinterpret_cast<sockaddr*>(&nobody), sizeof nobody) == 0 ? 0 : errno;
  close(socket);
  return error;
}

// A socket whose name the kernel makes up, in no folder.
class AbstractSocket {
 public:
  AbstractSocket() : listening_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    name_.sun_family = AF_UNIX;
    bind(listening_, reinterpret_cast<sockaddr*>(&name_), sizeof name_.sun_family);
    getsockname(listening_, reinterpret_cast<sockaddr*>(&name_), &length_);
    listen(listening_, 1);
  }
  ~AbstractSocket() { close(listening_); }
  AbstractSocket(const AbstractSocket&) = delete;
  AbstractSocket& operator=(const AbstractSocket&) = delete;

  int error_of_connect() const {
    const int mine = socket(AF_UNIX, SOCK_STREAM, 0);
    if (mine < 0) return errno;
    const int error =
        connect(mine, reinterpret_cast<const sockaddr*>(&name_), length_) == 0 ? 0 : errno;
    close(mine);
    return error;
  }

 private:
  int listening_;
  sockaddr_un name_{};
  socklen_t length_ = sizeof name_;
};

TEST(RightsThatStay, AreTheFewerTheNewerTheKernel) {
  using Rights = std::vector<std::string>;
  const std::string none = "files of others, connections and signals to others";
  EXPECT_EQ(rights_that_stay(0), Rights{none + " (this kernel has no Landlock)"});
  const std::string cutting = "cutting files of others short (before Linux 6.2)";
  const std::string tcp = "TCP (before Linux 6.7)";
  const std::string signals = "signals to others and abstract unix sockets (before Linux 6.12)";
  const std::string always = "UDP and unix sockets with a path";
  for (const int version : {1, 2})
    EXPECT_EQ(rights_that_stay(version), (Rights{cutting, tcp, signals, always})) << version;
  EXPECT_EQ(rights_that_stay(3), (Rights{tcp, signals, always}));
  for (const int version : {4, 5})
    EXPECT_EQ(rights_that_stay(version), (Rights{signals, always})) << version;
  for (const int version : {6, 7}) EXPECT_EQ(rights_that_stay(version), Rights{always}) << version;
}

class LeastRights : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    root_ = fs::path(::testing::TempDir()) / "least_rights";
    fs::remove_all(root_);
    fs::create_directories(root_ / "own");
    std::ofstream(root_ / "own/order") << "order";
    std::ofstream(root_ / "secret") << "secret";
    fs::create_symlink(root_ / "secret", root_ / "own/link");
  }
  void TearDown() override { fs::remove_all(root_); }

  // Ends with the number of the first thing that is not as the kernel's version of Landlock
  // promises, for better or worse: what is told to stay does.
  [[noreturn]] void check_in_this_process() const {
    const int version = landlock_version();
    const AbstractSocket others;
    const KeptRights rights{.folder = (root_ / "own").string(), .reads = {"/usr/share"}};
    if (keep_least_rights(rights) != rights_that_stay(version)) _exit(1);
    if (error_of_open(root_ / "own/order", O_RDONLY) != 0) _exit(2);
    if (error_of_open(root_ / "own/new", O_WRONLY | O_CREAT) != 0) _exit(3);
    if (error_of_open(root_ / "secret", O_RDONLY) != EACCES) _exit(4);
    if (error_of_open(root_ / "own/link", O_RDONLY) != EACCES) _exit(5);
    if (error_of_open(root_ / "new", O_WRONLY | O_CREAT) != EACCES) _exit(6);
    if (error_of_open("/usr/share", O_RDONLY | O_DIRECTORY) != 0) _exit(7);
    if (execl("/bin/true", "true", nullptr) != -1 || errno != EACCES) _exit(8);
    if (error_of_truncate(root_ / "own/order") != 0) _exit(9);
    if ((error_of_truncate(root_ / "secret") == EACCES) != (version >= 3)) _exit(10);
    if ((error_of_connect(SOCK_STREAM) == EACCES) != (version >= 4)) _exit(11);
    if (error_of_connect(SOCK_DGRAM) == EACCES) _exit(12);
    if ((error_of_signal(getppid()) == EPERM) != (version >= 6)) _exit(13);
    if ((others.error_of_connect() == EPERM) != (version >= 6)) _exit(14);
    _exit(0);
  }

  fs::path root_;
};

TEST_F(LeastRights, LeaveItsOwnFolderAndWhatIsNamed) {
  EXPECT_EXIT(check_in_this_process(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace poet
