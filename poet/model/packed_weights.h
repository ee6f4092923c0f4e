#pragma once

#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

// The network of which operations read weights in blocks: what is a parameter of float32 in
// model.packed becomes one of bytes, under its name and id, an operation decodes it in front of the
// first that reads it, and these read what is decoded. Rows that are looked up are picked as
// blocks, and then decoded. All tensors keep their ids; of what is not packed nothing changes.
//
// A weight that is itself an output of the network stays as it is.
Result<Model> with_decoding(Model model);

}  // namespace poet
