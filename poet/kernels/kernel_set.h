#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "poet/graph/operator_table.h"

namespace poet {

// An operation of a graph, ready to be executed many times: everything but the addresses is
// settled, so executing it looks nothing up. One object is executed by one caller at a time.
class ReadyOperation {
 public:
  virtual ~ReadyOperation() = default;

  // Of memory that run() may write to and leaves in any state; 0: it needs none.
  virtual std::int64_t workspace_bytes() const = 0;

  // `inputs` and `outputs` are the operation's tensors in its own order, dense and row-major, at
  // addresses that are multiples of their elements' size; the workspace is at a multiple of 8. An
  // output may lie where the operator table allows it to (OperatorEntry::in_place, updates). The
  // same values give the same bits, at whatever addresses and however often.
  virtual void run(std::span<const void* const> inputs, std::span<void* const> outputs,
                   void* workspace) = 0;
};

// A way to execute operations, with a number of threads. Which functions those are shows in the
// bits of what is calculated, and in workspaces; so plans are made for a set of kernels.
class KernelSet {
 public:
  virtual ~KernelSet() = default;

  // For people, and in files of measured costs: "reference", "onednn", "onednn on 2 threads".
  virtual std::string name() const = 0;

  // Of an operation that is no view and that its operator's rules accept.
  virtual std::unique_ptr<ReadyOperation> ready(const OperationTypes& types) const = 0;

  // What it will say of its workspace, for whoever executes nothing.
  virtual std::int64_t workspace_bytes(const OperationTypes& types) const {
    return ready(types)->workspace_bytes();
  }
};

// "onednn", or with several threads "onednn on 2 threads".
std::string name_with_threads(std::string_view name, int threads);

// The C functions of poet/runtime: the bits are the same for any number of threads (>= 1).
std::unique_ptr<KernelSet> reference_kernels(int threads);

// The same with one thread, for whoever needs no other.
const KernelSet& plain_kernels();

}  // namespace poet
