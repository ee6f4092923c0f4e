#pragma once

#include <map>
#include <string>
#include <string_view>

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

}  // namespace poet
