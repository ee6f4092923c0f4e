#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poet {

// A file of poet/boards/firmware by its name, or of poet/boards/ports by that with its folder; in
// those that end in .in, words between @s stand for what differs.
struct FirmwareText {
  std::string_view name;
  std::string_view text;
};

const std::vector<FirmwareText>& firmware_text_table();

// Such a word, and what is put in its place.
using FirmwareWord = std::pair<std::string_view, std::string>;
std::string filled_firmware(std::string_view text, const std::vector<FirmwareWord>& words);

}  // namespace poet
