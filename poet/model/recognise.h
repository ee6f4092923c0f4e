#pragma once

#include "poet/model/model.h"

namespace poet {

// Exporters spell operators out that POET has as one: several operations that together are exactly
// one operator become it, where nobody else reads what lies between. It keeps less for the backward
// pass. What is not recognised stays as it is.
void recognise_operators(Model& model);

// The patterns, one function and file each. Each replaces what it finds in place and leaves
// operations behind that nobody reads; true when it found something.
bool recognise_layer_norm(Model& model);  // (x - mean) / sqrt(variance + epsilon) scale + bias
bool recognise_gelu(Model& model);        // with erf, or with tanh
bool recognise_gated(Model& model);       // x sigmoid(x), x hard_sigmoid(x)
bool recognise_linear(Model& model);      // a matrix product, and a bias added to it

}  // namespace poet
