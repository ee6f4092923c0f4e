// POET from C++: plan the training of a neural network in the memory that a device has.
//
// What stands here is stable within 1.x (docs/stable.md); POET's other headers are not installed.
// The header needs C++17 and includes nothing but the standard library. examples/cpp/ has a whole
// program.
//
// Units. Sizes are bytes, times seconds, energies joules; a name says which (_bytes, _s, _j). All
// of them are for one training step: forward, backward and update of one batch.
//
// Errors. What the caller asked wrongly (an unknown name, a file that cannot be read, a limit that
// is no number) is a Result without a value: an Error with one sentence. A "no" (it does not fit;
// not found in time) is an answer, with a Status. No function throws, but for std::bad_alloc where
// there is no memory, and std::bad_variant_access where the value of a Result is taken that has
// none. A bug in POET ends the process, after a sentence on standard error.
//
// Threads. Every function may be called by several threads at the same time; objects are values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace poet::v1 {

// "1.0.0": of the library that was linked.
std::string version();

enum class ErrorKind {
  BadInput,     // a text, file or number that is not right
  NotFound,     // a name or file that does not exist
  Unsupported,  // understood, but not something that this build can do
  Io,           // the operating system refused a read or write
};

struct Error {
  ErrorKind kind = ErrorKind::BadInput;
  std::string message = {};  // one sentence: what is wrong, and what would be right
};

// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& value() const { return std::get<0>(state_); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// The names that Training takes without a file. The models that only the code of the POET paper has
// come last: they mean its graphs, with their faults and with transfers that take no time.
std::vector<std::string> models();
std::vector<std::string> devices();

// How time passes while bytes move between RAM and storage.
enum class Transfers {
  Free,        // they take none
  Blocking,    // the processor waits for each
  Overlapped,  // one after the other, beside the processor
};

// What is trained, and on what.
struct Training {
  std::string model =
      {};  // a name of models(), or the path of an ONNX file: ending in ".onnx", or with a '/'
  std::string device =
      {};  // a name of devices(), or the path of a TOML file: ending in ".toml", or with a '/'
  std::int64_t batch_size = 1;
  // Of the models that have them; default: the model's own.
  std::optional<std::int64_t> image_size = {};  // pixels a side
  std::optional<std::int64_t> sequence_length = {};
  std::optional<std::int64_t> classes = {};
  std::map<std::string, std::int64_t> dimensions =
      {};  // of an ONNX file, those that it leaves open
};

// What the step must fit into, and what a plan may do for that.
struct Limits {
  std::optional<std::int64_t> ram_bytes = {};      // default: the device's RAM
  std::optional<double> deadline_s = {};           // of the step; default: none
  std::optional<std::int64_t> written_bytes = {};  // to storage, by a step; default: no limit
  bool recomputation = true;                       // drop tensors and compute them again
  bool paging = true;                              // move tensors to storage and back
  std::optional<Transfers> transfers = {};         // default: as the device can
};

// How long to search. Without a stop, and when the time limit was not reached, the same question
// has the same answer on every machine.
struct Search {
  double time_limit_s = 60;  // above 0
  int threads = 1;
  std::function<bool()> stop =
      {};  // asked now and then, by any thread: true ends the search with what is known
};

// A training step before anything is planned.
struct StepSizes {
  std::int64_t operations = 0;
  std::int64_t tensors = 0;
  std::int64_t plain_peak_bytes = 0;  // RAM of a step that keeps everything
  // RAM below which an operation alone does not fit in one piece; with less, operations of networks
  // come in parts. Weights that are updated by slices, as small budgets make them, are thought of.
  std::int64_t least_working_set_bytes = 0;
  double compute_s = 0;  // every operation once
};
Result<StepSizes> step_sizes(const Training& training);

// What a plan costs: counted from its actions, not told by the search.
struct Figures {
  std::int64_t peak_ram_bytes = 0;
  double time_s = 0;
  double energy_j = 0;
  std::int64_t written_bytes = 0;  // to storage
  std::int64_t read_bytes = 0;     // from storage
  std::int64_t storage_bytes = 0;  // that the plan needs there
  std::int64_t recomputed_operations = 0;
  std::int64_t paged_tensors = 0;
};

enum class Verb {
  Compute,  // run an operation
  PageOut,  // copy a tensor from RAM to storage
  PageIn,   // copy a tensor from storage to RAM
  Drop,     // free a tensor's RAM
};

// One action of a step, in the order in which a device takes them.
struct Action {
  Verb verb = Verb::Compute;
  std::string name = {};       // of the operation, or of the tensor
  std::int64_t ram_bytes = 0;  // in use while it runs; of Drop: after it
  double begin_s = 0;          // since the step's begin
  double end_s = 0;
};

struct PlanContent;

// A plan: the actions of one step. Copies share what they hold, which never changes.
class Plan {
 public:
  Figures figures() const;
  std::vector<Action> actions() const;
  // The format "poet-plan", version 1 (docs/formats/plan.md): what `poet solve --out` writes and
  // `poet verify` reads.
  std::string text() const;
  // The same into a file, whole or not at all; nothing where it succeeds.
  std::optional<Error> write(const std::string& path) const;

 private:
  friend struct PlanContent;
  explicit Plan(std::shared_ptr<const PlanContent> content);
  std::shared_ptr<const PlanContent> content_;
};

// The plan in a file of that format. A plan that breaks rules is read as it stands: verify() says
// what is wrong.
Result<Plan> read_plan(const std::string& path);

// What is wrong with a plan, one sentence each; empty: it keeps every rule and its own limits, and
// costs what it claims. By code that shares nothing with the search.
std::vector<std::string> verify(const Plan& plan);

// Of the step that was chosen: its order, which updates are by slices, and its parts. Of others,
// some were tried, and nothing is said of the rest.
enum class Status {
  Optimal,     // nothing better exists of this step, within the search's tolerance
  Feasible,    // a plan; how much better another may be, least_energy_j says
  Infeasible,  // no plan keeps the limits
  Unknown,     // stopped before either
};

// Whose word "optimal" and "infeasible" are.
enum class Evidence {
  None,         // neither is said
  Arithmetic,   // sums over the step alone
  Certificate,  // a proof that was checked by code that shares nothing with the search
  Backend,      // the word of the library that searched
};

struct Answer {
  Status status = Status::Unknown;
  Evidence evidence = Evidence::None;
  std::optional<Plan> plan = {};  // set exactly when Optimal or Feasible
  double least_energy_j = 0;      // no plan of this step's class within the limits needs less
  std::string why_not = {};       // set exactly when Infeasible: one sentence
  // When Infeasible: RAM for which a plan was found.
  std::optional<std::int64_t> working_ram_bytes = {};
  std::vector<std::string> warnings = {};
};

// Looks for the plan of least energy within the limits. What is said of all plans is said of those
// that execute operations first in the step's order, and again within a stage in increasing order,
// each at most once.
Result<Answer> plan(const Training& training, const Limits& limits = {}, const Search& search = {});

struct LeastRam {
  Status status = Status::Unknown;               // Optimal: found_bytes is the least
  std::int64_t proved_bytes = 0;                 // no plan of this step works in less
  std::optional<std::int64_t> found_bytes = {};  // set when there is a plan
  std::optional<Plan> plan = {};                 // one that works in found_bytes
  std::string why_not = {};                      // set exactly when Infeasible: no RAM is enough
  std::vector<std::string> warnings = {};
};

// How little RAM will do. Refuses limits that name RAM.
Result<LeastRam> least_ram(const Training& training, const Limits& limits = {},
                           const Search& search = {});

}  // namespace poet::v1
