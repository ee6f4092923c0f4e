#pragma once

#include "poet/model/onnx/node_import.h"

namespace poet {

// Nodes that pick or place values by indices which the network calculates.
void import_calculated_gather_elements(NodeImport& node);
void import_calculated_gather_nd(NodeImport& node);
void import_calculated_scatter_elements(NodeImport& node);
void import_calculated_scatter_nd(NodeImport& node);

}  // namespace poet
