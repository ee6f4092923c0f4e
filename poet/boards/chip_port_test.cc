#include "poet/boards/chip_port.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/boards/board.h"
#include "poet/device/boards.h"

namespace poet {
namespace {

TEST(ChipPorts, AreFoundByName) {
  ASSERT_TRUE(find_port("rp2040-sd").ok());
  EXPECT_EQ(find_port("rp2040-sd")->chip, "Raspberry Pi RP2040");
  EXPECT_EQ(find_port("rp2040-ds").error().message,
            "there is no port 'rp2040-ds'; did you mean 'rp2040-sd'?");
  const std::string message = find_port("foo").error().message;
  EXPECT_TRUE(message.starts_with("there is no port 'foo'; use ")) << message;
  for (const ChipPort& port : port_table())
    EXPECT_NE(message.find(port.name), message.npos) << message;
}

TEST(ChipPorts, GoByTheFiguresOfADeviceThatIsBuiltIn) {
  for (const ChipPort& port : port_table())
    EXPECT_TRUE(load_device(std::string(port.platform)).ok()) << port.name;
}

TEST(ChipPorts, BringEveryFileThatTheyInclude) {
  for (const ChipPort& port : port_table()) {
    const std::vector<EmittedFile> files = port_files(port, 4096);
    const auto has = [&files](const std::string& path) {
      return std::any_of(files.begin(), files.end(),
                         [&path](const EmittedFile& file) { return file.path == path; });
    };
    for (const EmittedFile& file : files) {
      const std::string include = "#include \"";
      for (std::size_t at = file.text.find(include); at != std::string::npos;
           at = file.text.find(include, at + 1)) {
        const std::size_t begin = at + include.size();
        const std::string name = file.text.substr(begin, file.text.find('"', begin) - begin);
        EXPECT_TRUE(name.starts_with("poet/runtime/") || name == "poet_train.h" || has(name))
            << port.name << " " << name;
      }
      for (const char* word : {"@PORT@", "@TITLE@", "@COMPILER@", "@CORE_FLAGS@", "@PORT_SOURCES@",
                               "@EXAMPLES_BEGIN@"})
        EXPECT_EQ(file.text.find(word), std::string::npos) << file.path << word;
    }
    EXPECT_TRUE(has(kPortMakefile)) << port.name;
    for (const std::string& source : port_sources(port)) EXPECT_TRUE(has(source)) << source;
  }
}

TEST(ChipPorts, OfBoardsAreThere) {
  for (const EmulatedBoard& board : board_table())
    EXPECT_TRUE(board.port.empty() || find_port(board.port).ok()) << board.name;
}

}  // namespace
}  // namespace poet
