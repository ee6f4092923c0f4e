#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/form_actions.h"
#include "poet/emit/kept_values.h"

namespace poet {

// A file of an emitted project.
struct EmittedFile {
  std::string path = {};  // in the project's folder
  std::string text = {};
};

// A training as a project of C (docs/decisions/0020-emitted-c.md): all its texts, and what its two
// images are made of.
struct EmittedProject {
  std::vector<EmittedFile> files = {};
  std::vector<EmittedValue> kept = {};  // points to the request's initial values
  StorageMap storage = {};
  std::uint32_t fingerprint = 0;
  std::vector<EmittedAction> actions = {};
  bool overlapped = false;  // some form's transfers are beside the processor
  std::int64_t rom_bytes = 0;
  StorageWear wear = {};
};

// Refuses a step that check_step() refuses, a program that check_program() refuses, a layout that
// is aligned to more than 8 bytes or to fewer, outputs of a prediction that are no floats, storage
// of more than 4 GiB, and an arena in which nothing is free between two steps.
Result<EmittedProject> emit_project(const EmitRequest& request);

}  // namespace poet
