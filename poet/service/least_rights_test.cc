#include "poet/service/least_rights.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

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

int error_of_connect() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
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

class LeastRights : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (!rights_that_stay().empty()) GTEST_SKIP() << "this kernel keeps " << rights_that_stay()[0];
    root_ = fs::path(::testing::TempDir()) / "least_rights";
    fs::remove_all(root_);
    fs::create_directories(root_ / "own");
    std::ofstream(root_ / "own/order") << "order";
    std::ofstream(root_ / "secret") << "secret";
    fs::create_symlink(root_ / "secret", root_ / "own/link");
  }
  void TearDown() override { fs::remove_all(root_); }

  // Ends with the number of the first thing that is not as it should be.
  [[noreturn]] void check_in_this_process() const {
    if (!keep_least_rights({.folder = (root_ / "own").string(), .reads = {"/usr/share"}}).empty())
      _exit(1);
    if (error_of_open(root_ / "own/order", O_RDONLY) != 0) _exit(2);
    if (error_of_open(root_ / "own/new", O_WRONLY | O_CREAT) != 0) _exit(3);
    if (error_of_open(root_ / "secret", O_RDONLY) != EACCES) _exit(4);
    if (error_of_open(root_ / "own/link", O_RDONLY) != EACCES) _exit(5);
    if (error_of_open(root_ / "new", O_WRONLY | O_CREAT) != EACCES) _exit(6);
    if (error_of_open("/usr/share", O_RDONLY | O_DIRECTORY) != 0) _exit(7);
    if (error_of_connect() != EACCES) _exit(8);
    if (execl("/bin/true", "true", nullptr) != -1 || errno != EACCES) _exit(9);
    _exit(0);
  }

  fs::path root_;
};

TEST_F(LeastRights, LeaveItsOwnFolderAndWhatIsNamed) {
  EXPECT_EXIT(check_in_this_process(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace poet
