#pragma once

#include <string>
#include <vector>

#include "poet/emit/emit_project.h"

namespace poet {

// Where a project of this kind has the C files of the training: "src/", or its own folder, "".
std::string_view source_folder(ProjectKind kind);

// What stands before each C file of the training: Arduino's builds take no flags of a library.
std::string_view source_prefix(ProjectKind kind);

// What the build system of a project wants of it beside its C files, whose paths those are, and an
// example that trains from an SD card. Nothing for make and CMake.
std::vector<EmittedFile> tool_files(const EmitRequest& request,
                                    const std::vector<std::string>& sources);

// How the training comes into a program there, for README.md; nothing for make and CMake.
std::string tool_guide(const EmitRequest& request);

// Every path that a project of some kind may have and one of another kind has not.
std::vector<std::string> tool_paths();

}  // namespace poet
