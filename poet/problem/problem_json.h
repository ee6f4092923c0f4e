#pragma once

#include <string>
#include <string_view>

#include "poet/base/json.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// The format "poet-problem", version 1 (docs/formats/problem.md). Fields that have their default
// are not written. Reading refuses what check_problem refuses, and points at the tensor or
// operation.
JsonOut problem_to_json(const Problem& problem);
std::string problem_text(const Problem& problem);
Result<Problem> parse_problem(std::string_view text, const std::string& file);

// The tensors and operations of a problem, read while the document is parsed.
class ProblemLists {
 public:
  explicit ProblemLists(const std::string& file) : tensor_reader_(file), operation_reader_(file) {}
  ProblemLists(const ProblemLists&) = delete;
  ProblemLists& operator=(const ProblemLists&) = delete;

  // For parse_json(): `object` is the member that is the problem; empty: the document is. They
  // refer to this.
  std::vector<JsonItems> items(std::string_view object);

 private:
  friend Problem read_problem(const JsonValue& value, ProblemLists& lists, JsonReader& reader);

  JsonReader tensor_reader_;
  JsonReader operation_reader_;
  std::vector<Tensor> tensors_ = {};
  std::vector<Operation> operations_ = {};
};

// A problem inside another document, whose lists were read before. Complaints go to the reader.
Problem read_problem(const JsonValue& value, ProblemLists& lists, JsonReader& reader);

// The same, of a document that is there whole.
Problem read_problem(const JsonValue& value, JsonReader& reader);

}  // namespace poet
