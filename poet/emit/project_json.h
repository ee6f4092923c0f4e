#pragma once

#include <string>

#include "poet/emit/emit_project.h"

namespace poet {

// project.json: the figures of an emitted project, for programs (docs/formats/emitted-project.md).
std::string project_json_text(const EmitRequest& request, const EmittedProject& project,
                              const FormParts& parts);

}  // namespace poet
