#pragma once

#include <string>
#include <vector>

namespace poet {

enum class Align { Left, Right };

// Rows of equally many cells under a heading, each column as wide as its widest cell.
struct TextTable {
  struct Column {
    std::string name;
    Align align = Align::Right;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string to_text(const TextTable& table);

}  // namespace poet
