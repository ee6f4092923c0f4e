#pragma once

#include <string_view>
#include <vector>

namespace poet {

// A file of poet/boards/firmware; in those that end in .in, words between @s stand for what
// differs.
struct FirmwareText {
  std::string_view name;
  std::string_view text;
};

const std::vector<FirmwareText>& firmware_text_table();

}  // namespace poet
