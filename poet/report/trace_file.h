#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/report/step_trace.h"

namespace poet {

// Writes a trace in the JSON form of the Trace Event Format, which Perfetto and Chromium's
// about:tracing open (docs/formats/trace.md): tracks of processor and storage and the RAM in use,
// as measured and, beside it, as predicted. Event by event, so that memory does not grow with the
// trace; the whole file or nothing, as write_file_atomically() does.
Failure write_trace(const std::string& path, const StepTrace& trace);

}  // namespace poet
