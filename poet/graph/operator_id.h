#pragma once

namespace poet {

// What an operation of a graph does. Who only keeps one or hands it on needs to know no more: the
// names are in poet/graph/operator.h, which a new operator changes.
enum class Operator : int;

}  // namespace poet
