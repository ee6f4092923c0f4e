#include "poet/emit/arena_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "poet/emit/c_text.h"
#include "poet/emit/project_texts.h"

namespace poet {
namespace {

std::vector<MemoryId> used_further(const EmitRequest& request) {
  std::vector<MemoryId> used;
  for (std::size_t m = 0; m < request.further.size(); ++m)
    if (request.further[m].arena_bytes > 0) used.push_back(MemoryId(static_cast<int>(m) + 1));
  return used;
}

const EmittedMemory& further(const EmitRequest& request, MemoryId memory) {
  return request.further[static_cast<std::size_t>(memory) - 1];
}

// Names of memories are anybody's, so two may be the same in C: the later has its number behind it.
std::string macro_of(const EmitRequest& request, MemoryId memory) {
  const std::string name = c_macro_name(further(request, memory).name);
  for (MemoryId before{1}; before < memory; before = MemoryId(static_cast<int>(before) + 1))
    if (macro_of(request, before) == name)
      return fmt::format("{}_{}", name, static_cast<int>(memory));
  return name;
}

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

std::string arena_symbol(const EmitRequest& request, MemoryId memory) {
  if (memory == kFastRam) return "poet_arena";
  return "poet_arena_" + lower(macro_of(request, memory));
}

std::vector<CodedArena> coded_arenas(const EmitRequest& request) {
  std::vector<CodedArena> arenas = {
      {.symbol = arena_symbol(request, kFastRam), .size_bytes = request.arena_bytes}};
  for (std::size_t m = 0; m < request.further.size(); ++m)
    arenas.push_back({.symbol = arena_symbol(request, MemoryId(static_cast<int>(m) + 1)),
                      .size_bytes = request.further[m].arena_bytes});
  return arenas;
}

std::string arena_section(const EmitRequest& request, MemoryId memory) {
  return ".bss." + arena_symbol(request, memory);
}

std::string further_sizes_text(const EmitRequest& request) {
  std::string text;
  for (const MemoryId memory : used_further(request)) {
    const EmittedMemory& one = further(request, memory);
    const std::string macro = macro_of(request, memory);
    text += fmt::format(
        "#define POET_ARENA_{0}_BYTES {1} /* another, {2}, of the {3} bytes of {4} */\n"
        "#if POET_ARENA_{0}_BYTES > {3}\n"
        "#error \"the arena in {0} takes more than it has\"\n#endif\n",
        macro, one.arena_bytes, arena_symbol(request, memory), one.size_bytes, c_comment(one.name));
  }
  return text;
}

std::string further_arenas_text(const EmitRequest& request) {
  std::string text;
  for (const MemoryId memory : used_further(request))
    text += filled_in(project_text("further_arena.h").text,
                      {{"NAME", c_comment(further(request, memory).name)},
                       {"MACRO", macro_of(request, memory)},
                       {"SYMBOL", arena_symbol(request, memory)},
                       {"SECTION", arena_section(request, memory)}});
  return text;
}

std::string further_rows_text(const EmitRequest& request) {
  std::string text;
  for (const MemoryId memory : used_further(request)) {
    const EmittedMemory& one = further(request, memory);
    text += fmt::format("| arena in {}, static | {} |\n| {} | {} |\n", one.name, one.arena_bytes,
                        one.name, one.size_bytes);
  }
  return text;
}

std::string further_guide(const EmitRequest& request) {
  std::string text;
  for (const MemoryId memory : used_further(request))
    text +=
        filled_in(project_text("further.md").text, {{"NAME", further(request, memory).name},
                                                    {"MACRO", macro_of(request, memory)},
                                                    {"SYMBOL", arena_symbol(request, memory)},
                                                    {"SECTION", arena_section(request, memory)}});
  return text;
}

std::string arenas_text(const EmitRequest& request) {
  std::string text = "poet_arena_memory poet_arena POET_ARENA_PLACE;\n";
  for (const MemoryId memory : used_further(request))
    text += fmt::format("{0}_memory {0} POET_ARENA_{1}_PLACE;\n", arena_symbol(request, memory),
                        macro_of(request, memory));
  return text;
}

}  // namespace poet
