#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/service/job_question.h"
#include "poet/service/service_error.h"
#include "poet/store/job_store.h"

namespace poet {

// What a process of its own does for the service, in a folder of its own: whatever it reads, and
// however much memory it wants, the service lives on.

// What the folder holds besides, by name.
inline constexpr const char* kOrderFile = "order.json";
// Of an upload: in a folder of its own, so that nothing that it names is a file of the worker.
inline constexpr const char* kModelFile = "model/model.onnx";
inline constexpr const char* kPlanFile = "plan.json";  // of Explain and Project
inline constexpr const char* kOutputFile = "output";   // what the work answers, as one file

enum class WorkKind {
  Job,       // a question
  Figures,   // how large a step is: GET /v1/models/{model}
  Describe,  // whether an upload is a model: POST /v1/models
};

inline constexpr Named<WorkKind> kWorkKinds[] = {
    {"job", WorkKind::Job}, {"figures", WorkKind::Figures}, {"describe", WorkKind::Describe}};

// What the worker who does it holds itself to, besides its limit on memory.
struct WorkLimits {
  double search_s = 600;  // all searches of the work together: then the best so far is the answer
  double cpu_s = 3600;    // of processor time; the system ends it there
};

struct WorkOrder {
  WorkKind kind = WorkKind::Job;
  JobQuestion question = {};
  std::string model_name = {};  // for people
  WorkLimits limits = {};
};

// How a worker ends that wants more memory than its limit; no other of its exits.
inline constexpr int kExitWorkerNoMemory = 12;

std::string order_text(const WorkOrder& order);
Result<WorkOrder> parse_order(const std::string& text);

// What comes out. Texts are JSON; empty: none.
struct WorkOutput {
  std::optional<ServiceError> error = {};
  std::string result = {};
  std::string summary = {};
  std::vector<StoredFile> files = {};

  bool has_result() const { return !result.empty(); }
};

// How the search stands: one line of JSON, as `GET .../events` sends it.
using ProgressLine = std::function<void(const std::string& line)>;

// Does what an order says, with what lies in `folder`. A stop ends a search with the best so far.
WorkOutput do_work(const WorkOrder& order, const std::string& folder, const Stop& stop,
                   const ProgressLine& progress);

// The output as one file and back: a line of JSON with the lengths, then the bytes.
std::string output_text(const WorkOutput& output);
Result<WorkOutput> parse_output(const std::string& text);

}  // namespace poet
