#include "poet/model/recognise.h"

#include "poet/model/remove_unused.h"

namespace poet {

void recognise_operators(Model& model) {
  for (bool (*const pattern)(Model&) :
       {recognise_layer_norm, recognise_gelu, recognise_gated, recognise_linear})
    if (pattern(model)) remove_unused(model);
}

}  // namespace poet
