#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_request.h"
#include "poet/graph/graph.h"
#include "poet/graph/operator_table.h"

namespace poet {

// The shape structs of emitted calls, each different one once.
class ShapeTexts {
 public:
  // The name of the constant that holds the shape of a call: "shape_3".
  std::string name_of(const KernelCall& call);
  // Of anything else with named fields.
  std::string name_of(std::string_view type, std::string_view fields);

  // Their definitions, one a line.
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> names_;  // by type and fields
  std::string text_;
};

// What never changes, as constants of C: they lie in flash. Each name once, whatever form reads it.
class RomText {
 public:
  // The number of the array that holds a tensor's values: 3 of "poet_rom_3". Its home is Rom, and
  // it has values.
  Result<std::int64_t> number_of(const GraphTensor& tensor,
                                 const std::map<TensorId, Initial>& initial, TensorId id);

  // Of all arrays, in order of their numbers.
  std::vector<std::string> names() const;

  bool empty() const { return numbers_.empty(); }
  std::int64_t bytes() const { return bytes_; }
  const std::string& declarations() const { return declarations_; }
  const std::string& definitions() const { return definitions_; }

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::string declarations_;
  std::string definitions_;
  std::int64_t bytes_ = 0;
};

}  // namespace poet
