#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/onnx_file.h"

namespace poet {

// What of a file POET does not support, gathered so that a user need not find it node by node.
class UnsupportedNodes {
 public:
  // An operator that POET has not; the line says what to do instead.
  void add_operator(const OnnxNode& node);
  // A form of one that it has: the sentence says which, and names the node.
  void add_sentence(const std::string& sentence) { lines_.push_back(sentence); }

  bool empty() const { return lines_.empty(); }
  Error error() const;

 private:
  std::vector<std::string> lines_ = {};
  bool has_operator_ = false;
};

// What an export by PyTorch did to a network that a training would show, one sentence each with the
// call that avoids it: batch norms that were folded into convolutions, and parameters of equal
// values that were merged into one. `nodes` are those that are imported. Other programs leave no
// trace of it.
std::vector<std::string> export_notes(const OnnxModel& file,
                                      const std::vector<const OnnxNode*>& nodes);

}  // namespace poet
