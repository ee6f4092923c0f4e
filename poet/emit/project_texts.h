#pragma once

#include <string_view>
#include <vector>

namespace poet {

// A text that emitted projects are made of: a file of poet/runtime, by its path, or a text of
// poet/emit/project, by its name, in which words between @s stand for what differs.
struct ProjectText {
  std::string_view name;
  std::vector<std::string_view> defines = {};  // functions and constants, of a file of C
  std::vector<std::string_view> calls = {};    // those of other files
  std::string_view text;
};

const std::vector<ProjectText>& project_text_table();

// There must be one of that name.
const ProjectText& project_text(std::string_view name);

}  // namespace poet
