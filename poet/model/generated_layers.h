#pragma once

#include <cstdint>
#include <string>

#include "poet/model/tape.h"

namespace poet {

// The layers of generated networks: their shapes, parameters, FLOP and gradients, as in the table
// of docs/formats/costed_graph.md. N is the batch size, C channels, H and W the picture, S tokens,
// F features. Each adds one operation, called `name`, and returns its output.

struct WindowSize {
  std::int64_t size = 3;  // square, padded so that stride 1 keeps the picture's size
  std::int64_t stride = 1;
};
TensorId conv(Tape& tape, std::string name, TensorId in, std::int64_t channels, WindowSize kernel);
// Doubles height and width: transposed convolution of 2x2 with stride 2.
TensorId up_conv(Tape& tape, std::string name, TensorId in, std::int64_t channels);
TensorId batch_norm(Tape& tape, std::string name, TensorId in);
TensorId relu(Tape& tape, std::string name, TensorId in);
TensorId halving_max_pool(Tape& tape, std::string name, TensorId in);   // 2x2, stride 2
TensorId picture_mean(Tape& tape, std::string name, TensorId in);       // (N, C, H, W) to (N, C)
TensorId concat(Tape& tape, std::string name, TensorId a, TensorId b);  // of channels, as many each
TensorId add(Tape& tape, std::string name, TensorId a, TensorId b);

TensorId linear(Tape& tape, std::string name, TensorId in, std::int64_t features);  // (..., F)
TensorId layer_norm(Tape& tape, std::string name, TensorId in);
TensorId gelu(Tape& tape, std::string name, TensorId in);
TensorId token_mean(Tape& tape, std::string name, TensorId in);  // (N, S, F) to (N, F)
// Of each head, every query with every key: (N, S, F) twice to (N, heads, S, S).
TensorId attention_scores(Tape& tape, std::string name, TensorId queries, TensorId keys,
                          std::int64_t heads);
TensorId softmax(Tape& tape, std::string name, TensorId in);
// (N, heads, S, S) and (N, S, F) to (N, S, F).
TensorId attention_values(Tape& tape, std::string name, TensorId weights, TensorId values);

TensorId cross_entropy(Tape& tape, TensorId in);  // to one value

}  // namespace poet
