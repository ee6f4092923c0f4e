#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/disk/page_store.h"
#include "poet/exec/executor.h"
#include "poet/runtime/step.h"

namespace poet::testing {

using Bytes = std::vector<std::byte>;

// What a training run leaves behind.
struct TrainingRun {
  std::vector<Bytes> outputs = {};  // of the graph, in order: a loss for each form of each step
  std::map<std::string, Bytes> kept = {};  // what outlives a step, by name, in the end
};

// What each step brings: the same for every way to run it. Labels are 0 or 1, tokens below 50.
Bytes input_value(const GraphTensor& tensor, int step, int form);
poet_step_words step_words(int step, int form);

// The plainest training there is: every value is a piece of memory of its own, evaluate() computes,
// and new values replace old ones between the forms of a step, which are run one after the other.
TrainingRun naive_training(const std::vector<TrainingGraph>& forms, int steps);

// The problem of a training step on a device whose storage is neither fast nor slow, with sizes for
// running it.
inline constexpr std::int64_t kRunAlignmentBytes = 64;
Problem problem_to_run(const TrainingGraph& step,
                       std::int64_t alignment_bytes = kRunAlignmentBytes);

// Laid out. A failure is the test's.
RunnableStep runnable_step(const TrainingGraph& step, const Problem& problem,
                           const Schedule& schedule,
                           std::int64_t alignment_bytes = kRunAlignmentBytes);

struct RunOptions {
  IoEngine engine = IoEngine::Threads;
  bool direct = false;
  bool checksums = true;
  Poison poison = Poison::On;
};

// The same run by executors that share one arena, one store and one rom. A failure is the test's.
TrainingRun executed_training(const std::vector<TrainingGraph>& forms,
                              std::vector<RunnableStep> steps_to_run, int steps,
                              const RunOptions& options = {});

// As a failed expectation, which names the first difference.
void expect_same_run(const TrainingRun& run, const TrainingRun& naive);

// In the folder for temporary files.
std::string temporary_folder();

}  // namespace poet::testing
