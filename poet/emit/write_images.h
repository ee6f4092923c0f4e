#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/data/batch_reader.h"
#include "poet/emit/emit_project.h"

namespace poet {

// The beginning of the storage: the first checkpoint, with the initial values.
Failure write_storage_image(const std::string& path, const EmittedProject& project);

// The examples of the first request.example_steps steps, in the order in which training takes them:
// all parts of one, then all of the next.
Failure write_examples(const std::string& path, const EmitRequest& request,
                       const BatchReader& data);

}  // namespace poet
