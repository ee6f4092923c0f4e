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

// Without what is compiled only where a plan's transfers are beside the processor.
std::string without_channel(std::string text) {
  const std::string begin = "#ifdef POET_PORT_CHANNEL", end = "#endif\n";
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin))
    text.erase(at, text.find(end, at) + end.size() - at);
  return text;
}

bool defines_channel(const std::vector<EmittedFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const EmittedFile& file) {
    return file.path == kPortMakefile && file.text.find("-DPOET_PORT_CHANNEL ") != file.text.npos;
  });
}

void expect_whole(const ChipPort& port, const PortedProject& project) {
  const std::vector<EmittedFile> files = port_files(port, project);
  const bool has_channel = project.overlapped && !port.channel_files.empty();
  EXPECT_EQ(defines_channel(files), has_channel) << port.name;
  const auto has = [&files](const std::string& path) {
    return std::any_of(files.begin(), files.end(),
                       [&path](const EmittedFile& file) { return file.path == path; });
  };
  for (const EmittedFile& file : files) {
    const std::string text = has_channel ? file.text : without_channel(file.text);
    const std::string include = "#include \"";
    for (std::size_t at = text.find(include); at != std::string::npos;
         at = text.find(include, at + 1)) {
      const std::size_t begin = at + include.size();
      const std::string name = text.substr(begin, text.find('"', begin) - begin);
      EXPECT_TRUE(name.starts_with("poet/runtime/") || name == "poet_train.h" || has(name))
          << port.name << " " << name;
      // Only a project whose plan needs it has that.
      EXPECT_TRUE(has_channel || name != "poet/runtime/transfers.h") << port.name;
    }
    for (const char* word : {"@PORT@", "@TITLE@", "@COMPILER@", "@CORE_FLAGS@", "@PORT_SOURCES@",
                             "@EXAMPLES_BEGIN@", "@CHANNEL@"})
      EXPECT_EQ(file.text.find(word), std::string::npos) << file.path << word;
  }
  EXPECT_TRUE(has(kPortMakefile)) << port.name;
  for (const std::string& source : port_sources(port, project)) EXPECT_TRUE(has(source)) << source;
}

TEST(ChipPorts, BringEveryFileThatTheyInclude) {
  for (const ChipPort& port : port_table())
    for (const bool overlapped : {false, true})
      expect_whole(port, {.storage_bytes = 4096, .overlapped = overlapped});
}

TEST(ChipPorts, OfTheStm32HaveAChannel) {
  for (const ChipPort& port : port_table())
    EXPECT_EQ(channel_header(port),
              port.name.starts_with("stm32") ? "poet/boards/ports/stm32_channel.h" : "")
        << port.name;
}

TEST(ChipPorts, OfBoardsAreThere) {
  for (const EmulatedBoard& board : board_table())
    EXPECT_TRUE(board.port.empty() || find_port(board.port).ok()) << board.name;
}

}  // namespace
}  // namespace poet
