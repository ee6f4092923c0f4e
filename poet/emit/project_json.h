#pragma once

#include <string>

#include "poet/emit/emit_project.h"

namespace poet {

// A file of every emitted project, and what its "format" says there.
inline constexpr const char* kProjectFile = "project.json";
inline constexpr const char* kProjectFormat = "poet-emitted-project";

// project.json: the figures of an emitted project, for programs (docs/formats/emitted-project.md).
std::string project_json_text(const EmitRequest& request, const EmittedProject& project,
                              const FormParts& parts);

}  // namespace poet
