#include "poet/emit/tool_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/emit/arena_texts.h"
#include "poet/emit/c_text.h"
#include "poet/emit/project_texts.h"
#include "poet/emit/runtime_files.h"

namespace poet {
namespace {

// Of an operating system's thread, beside what the plan keeps: its file system has a share.
constexpr std::int64_t kFileSystemStackBytes = 4 << 10;
// What Arduino's library manager takes at most.
constexpr std::size_t kLongestName = 63;

struct ToolFile {
  ProjectKind kind = {};
  std::string_view path;
  std::string_view text;  // its name among the texts of projects; none: made here
};
constexpr std::string_view kSketch = "arduino_train.ino";
constexpr std::string_view kCallbacks = "card_callbacks.h";
constexpr ToolFile kToolFiles[] = {
    {ProjectKind::PlatformIO, "library.json", ""},
    {ProjectKind::PlatformIO, "examples/train/main.cpp", kSketch},
    {ProjectKind::PlatformIO, "examples/train/card_callbacks.h", kCallbacks},
    {ProjectKind::Arduino, "library.properties", "library.properties"},
    {ProjectKind::Arduino, "examples/Train/Train.ino", kSketch},
    {ProjectKind::Arduino, "examples/Train/card_callbacks.h", kCallbacks},
    {ProjectKind::Zephyr, "zephyr/module.yml", "zephyr_module.yml"},
    {ProjectKind::Zephyr, "zephyr/Kconfig", "zephyr_Kconfig"},
    {ProjectKind::Zephyr, "zephyr/CMakeLists.txt", "zephyr_CMakeLists.txt"},
    {ProjectKind::Zephyr, "samples/train/CMakeLists.txt", "zephyr_sample_CMakeLists.txt"},
    {ProjectKind::Zephyr, "samples/train/prj.conf", "zephyr_prj.conf"},
    {ProjectKind::Zephyr, "samples/train/src/main.c", "zephyr_main.c"},
    {ProjectKind::Zephyr, "samples/train/src/card_callbacks.h", kCallbacks},
    {ProjectKind::EspIdf, "CMakeLists.txt", "esp_idf_CMakeLists.txt"},
    {ProjectKind::EspIdf, "idf_component.yml", "idf_component.yml"},
    {ProjectKind::EspIdf, "examples/train/CMakeLists.txt", "esp_idf_project.txt"},
    {ProjectKind::EspIdf, "examples/train/sdkconfig.defaults", "esp_idf_sdkconfig"},
    {ProjectKind::EspIdf, "examples/train/main/CMakeLists.txt", "esp_idf_main_CMakeLists.txt"},
    {ProjectKind::EspIdf, "examples/train/main/main.c", "esp_idf_main.c"},
    {ProjectKind::EspIdf, "examples/train/main/card_callbacks.h", kCallbacks}};

// A name that every one of these tools takes for a library: letters, digits and underscores.
// Arduino keeps its own name for itself.
std::string library_name(std::string_view model) {
  std::string name = "poet_";
  for (const char letter : model.substr(model.rfind('/') + 1)) {
    const auto code = static_cast<unsigned char>(letter);
    name += code < 0x80 && std::isalnum(code) ? static_cast<char>(std::tolower(code)) : '_';
  }
  name.resize(std::min(name.size(), kLongestName));
  return name.find("arduino") == name.npos ? name : "poet_training";
}

std::string description(const EmitRequest& request) {
  return fmt::format("Trains {} on the board, in {} bytes of RAM.", c_comment(request.model),
                     request.arena_bytes);
}

// PlatformIO's manifest.
std::string library_json(const EmitRequest& request) {
  JsonOut out;
  out["name"] = library_name(request.model);
  out["version"] = "1.0.0";
  out["description"] = description(request);
  out["keywords"] = "training, neural network, microcontroller";
  out["license"] = "Apache-2.0";
  out["headers"] = "poet_train.h";
  out["frameworks"] = "*";
  out["platforms"] = "*";
  out["build"] = {{"srcDir", "src"},
                  {"includeDir", "src"},
                  {"flags", {"-ffp-contract=off", "-fno-strict-aliasing"}}};
  out["examples"] = JsonOut::array({{{"name", "train"},
                                     {"base", "examples/train"},
                                     {"files", {"main.cpp", std::string(kCallbacks)}}}});
  return json_text(out);
}

// ESP-IDF's words for arrays in the chip's external RAM.
std::string esp_idf_memories(const EmitRequest& request) {
  if (further_rows_text(request).empty()) return {};
  return "# Arrays in external RAM. Octal chips need CONFIG_SPIRAM_MODE_OCT as well.\n"
         "CONFIG_SPIRAM=y\nCONFIG_SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY=y\n";
}

// CMake's, as paths from a folder `up` of the project's.
std::string cmake_sources(const std::vector<std::string>& sources, std::string_view up) {
  std::string list;
  for (const std::string& source : sources)
    list += fmt::format("{}    {}{}", list.empty() ? "" : "\n", up, source);
  return list;
}

}  // namespace

std::string_view source_folder(ProjectKind kind) {
  return is_plain(kind) ? "" : "src/";
}

std::string_view source_prefix(ProjectKind kind) {
  if (kind != ProjectKind::Arduino) return "";
  return "/* No a*b+c in one rounding; one memory holds values of every type. */\n"
         "#ifdef __clang__\n"
         "#pragma STDC FP_CONTRACT OFF\n"
         "#else\n"
         "#pragma GCC optimize(\"fp-contract=off\", \"no-strict-aliasing\")\n"
         "#endif\n";
}

std::vector<EmittedFile> tool_files(const EmitRequest& request,
                                    const std::vector<std::string>& sources) {
  const std::string text = description(request);
  const std::int64_t stack_bytes = request.board.stack_bytes + kFileSystemStackBytes;
  std::vector<EmittedFile> files;
  for (const ToolFile& file : kToolFiles) {
    if (file.kind != request.kind) continue;
    if (file.text.empty()) {
      files.push_back({std::string(file.path), library_json(request)});
      continue;
    }
    const bool is_quoted = file.path.ends_with(".yml");  // a string of JSON is one of YAML
    files.push_back(
        {std::string(file.path),
         filled_in(project_text(file.text).text,
                   {{"MODEL", c_comment(request.model)},
                    {"LIBRARY", library_name(request.model)},
                    {"DESCRIPTION", is_quoted ? json_line(JsonOut(text)) : text},
                    {"ARENA_BYTES", fmt::format("{}", request.arena_bytes)},
                    {"STACK_BYTES", fmt::format("{}", request.board.stack_bytes)},
                    {"FURTHER", esp_idf_memories(request)},
                    {"MAIN_STACK_BYTES", fmt::format("{}", stack_bytes)},
                    {"INCLUDE_ARDUINO",
                     request.kind == ProjectKind::PlatformIO ? "#include <Arduino.h>\n" : ""},
                    {"SOURCES",
                     cmake_sources(sources, file.path.starts_with("zephyr/") ? "../" : "")}})});
  }
  return files;
}

std::string tool_guide(const EmitRequest& request) {
  const std::string name = fmt::format("{}.md", name_of(kProjectKinds, request.kind));
  return is_plain(request.kind) ? "" : std::string(project_text(name).text);
}

std::vector<std::string> tool_paths() {
  std::vector<std::string> paths;
  for (const ToolFile& file : kToolFiles) paths.emplace_back(file.path);
  return paths;
}

}  // namespace poet
