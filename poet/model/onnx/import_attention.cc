#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "poet/model/onnx/operators.h"
#include "poet/model/transformer_pieces.h"

// What language models are made of: rotary positions, attention, and the norm by the root of the
// mean square, all since opset 23.

namespace poet {
namespace {

void import_rms_norm(NodeImport& node) {
  node.expect_inputs(2, 2);
  const std::int64_t axis = node.axis(node.whole("axis", -1), node.rank(0));
  const float epsilon = node.number("epsilon", 1e-5F);
  node.ignore("stash_type");  // the type of sums: float32 with us
  const TensorId x = node.tensor(0);
  const TensorId scale = node.weight(1);
  node.output(
      0, rms_norm(node, x, scale, {.epsilon = epsilon, .axis = static_cast<std::size_t>(axis)}));
}

// The last dimension from `start` on, in steps.
TensorId columns(NodeImport& node, TensorId x, std::int64_t start, std::int64_t extent,
                 std::int64_t step = 1) {
  return node.failed() ? x : node.sliced(x, node.shape_of(x).size() - 1, start, extent, step);
}

// --- Rotary positions

struct Rotary {
  Shape shape = {};          // of x as it is
  bool heads_first = true;   // (batch, heads, sequence, size), or with heads behind
  std::int64_t rotated = 0;  // of the size
  bool interleaved = false;
};

Rotary read_rotary(NodeImport& node) {
  node.expect_inputs(3, 4);
  Rotary rotary{.shape = node.shape(0), .interleaved = node.flag("interleaved", false)};
  rotary.heads_first = rotary.shape.size() == 4;
  const std::int64_t heads = node.whole("num_heads", 0);
  std::int64_t size = rotary.shape.empty() ? 0 : rotary.shape.back();
  if (!node.failed() && rotary.shape.size() == 3) {
    if (heads < 1 || size % heads != 0)
      node.refuse(fmt::format("num_heads {} does not divide {}", heads, to_text(rotary.shape)));
    else
      size /= heads;
  } else if (!node.failed() && rotary.shape.size() != 4) {
    node.refuse(fmt::format("takes three or four dimensions, not {}", to_text(rotary.shape)));
  }
  rotary.rotated = node.whole("rotary_embedding_dim", 0);
  if (rotary.rotated == 0) rotary.rotated = size;
  if (!node.failed() && (rotary.rotated < 2 || rotary.rotated > size || rotary.rotated % 2 != 0))
    node.refuse(fmt::format("cannot rotate {} of {} values", rotary.rotated, size));
  return rotary;
}

// cos or sin of every place: (batch, 1, sequence, rotated / 2), or with the 1 behind.
TensorId angles(NodeImport& node, const Rotary& rotary, int i) {
  TensorId table = node.fixed(i);
  if (node.has_input(3))
    table = node.add(Operator::Gather, AxisAttributes{0}, {table, node.tensor(3)});
  if (node.failed()) return table;
  Shape shape = node.shape_of(table);
  if (shape.size() != 3 || shape.back() < rotary.rotated / 2) {
    node.refuse(fmt::format("its angles are {}, not those of {} values at every place",
                            to_text(shape), rotary.rotated));
    return table;
  }
  table = columns(node, table, 0, rotary.rotated / 2);
  shape.back() = rotary.rotated / 2;
  shape.insert(shape.begin() + (rotary.heads_first ? 1 : 2), 1);
  return node.reshaped(table, shape);
}

void import_rotary(NodeImport& node) {
  const Rotary rotary = read_rotary(node);
  if (node.failed()) return;
  Shape apart = rotary.shape;
  if (!rotary.heads_first) {
    const std::int64_t heads = node.whole("num_heads", 1);
    apart = {rotary.shape[0], rotary.shape[1], heads, rotary.shape[2] / heads};
  } else {
    node.ignore("num_heads");
  }
  const TensorId x = node.reshaped(node.tensor(0), apart);
  const std::int64_t half = rotary.rotated / 2;
  const std::int64_t step = rotary.interleaved ? 2 : 1;
  const TensorId first = columns(node, x, 0, half, step);
  const TensorId second = columns(node, x, rotary.interleaved ? 1 : half, half, step);
  const TensorId cosine = angles(node, rotary, 1);
  const TensorId sine = angles(node, rotary, 2);
  auto [real, imaginary] = turned(node, {first, second}, {cosine, sine});
  if (node.failed()) return;
  Shape turned = node.shape_of(real);
  if (rotary.interleaved) {
    turned.push_back(1);
    real = node.reshaped(real, turned);
    imaginary = node.reshaped(imaginary, turned);
    turned.pop_back();
  }
  turned.back() = rotary.rotated;
  TensorId y =
      node.add(Operator::Concat, AxisAttributes{rotary.interleaved ? 4 : 3}, {real, imaginary});
  y = node.reshaped(y, turned);
  const std::int64_t size = apart.back();
  if (rotary.rotated < size) {
    const TensorId rest = columns(node, x, rotary.rotated, size - rotary.rotated);
    y = node.add(Operator::Concat, AxisAttributes{3}, {y, rest});
  }
  if (!node.failed()) node.output(0, node.reshaped(y, rotary.shape));
}

// --- Attention

struct Attention {
  bool flat = false;  // (batch, sequence, heads x size), and so is the output
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  float scale = 1;
  float cap = 0;
  bool causal = false;
};

// (batch, heads, sequence, size)
TensorId by_heads(NodeImport& node, const Attention& attention, int i, std::int64_t heads) {
  const TensorId x = node.tensor(i);
  if (node.failed()) return x;
  const Shape shape = node.shape_of(x);
  if (!attention.flat) return x;
  if (heads < 1 || shape.size() != 3 || shape[2] % heads != 0) {
    node.refuse(fmt::format("{} heads do not divide {}", heads, to_text(shape)));
    return x;
  }
  const TensorId apart = node.reshaped(x, {shape[0], shape[1], heads, shape[2] / heads});
  return node.transposed(apart, {0, 2, 1, 3});
}

Attention read_attention(NodeImport& node) {
  node.expect_inputs(3, 7);
  const Shape q = node.shape(0);
  const Shape k = node.shape(1);
  Attention attention{.flat = q.size() == 3,
                      .cap = node.number("softcap", 0),
                      .causal = node.flag("is_causal", false)};
  node.ignore("qk_matmul_output_mode");  // of an output that is not made
  node.ignore("softmax_precision");      // float32 with us
  if (!node.failed() && ((q.size() != 3 && q.size() != 4) || k.size() != q.size()))
    node.refuse(
        fmt::format("takes three or four dimensions, not {} and {}", to_text(q), to_text(k)));
  if (node.failed()) return attention;
  attention.heads = node.whole("q_num_heads", attention.flat ? 0 : q[1]);
  attention.kv_heads = node.whole("kv_num_heads", attention.flat ? 0 : k[1]);
  if (attention.heads < 1 || attention.kv_heads < 1 || attention.heads % attention.kv_heads != 0)
    node.refuse(fmt::format("{} heads of keys do not divide {} of queries", attention.kv_heads,
                            attention.heads));
  if (node.has_input(6))
    node.refuse(
        "POET has no attention over a part of the keys: leave out nonpad_kv_seqlen, or "
        "give a mask",
        ErrorCode::Unsupported);
  if (attention.cap != 0 && (node.has_input(3) || attention.causal))
    node.refuse(
        "POET has no attention with both softcap and a mask, which versions of ONNX "
        "apply in different orders",
        ErrorCode::Unsupported);
  if (attention.causal && node.has_input(4))
    node.refuse("POET has no causal attention behind earlier keys: give a mask in its place",
                ErrorCode::Unsupported);
  return attention;
}

// What was there before stands first.
TensorId with_past(NodeImport& node, TensorId x, int past, int present) {
  if (node.has_input(past))
    x = node.add(Operator::Concat, AxisAttributes{2}, {node.tensor(past), x});
  if (node.is_needed(present)) node.output(present, node.reshaped(x, node.shape_of(x)));
  return x;
}

// Whether the initializer that is added holds 0 and -infinity (or what exports write for it) alone:
// then it is a mask, and otherwise it may be a bias that is learnt.
bool is_mask(NodeImport& node) {
  constexpr float kAsGoodAsNone = -1e4F;
  const Constant* const known = node.constant(3);
  if (known == nullptr || value_count(known->type.shape) > kLargestKnownArray) return false;
  const KnownArray values = array_of(*known);
  return values.is_float() &&
         std::all_of(values.floats().begin(), values.floats().end(),
                     [](float value) { return value == 0 || value <= kAsGoodAsNone; });
}

// Scores where the mask is false, or behind the diagonal, become -infinity.
TensorId masked(NodeImport& node, const Attention& attention, TensorId scores) {
  const TensorId least = node.scalar(-std::numeric_limits<float>::infinity());
  if (attention.causal && !node.failed()) {
    const Shape shape = node.shape_of(scores);
    const std::int64_t rows = shape[2];
    const std::int64_t keys = shape[3];
    if (rows * keys > kLargestKnownArray)
      node.refuse(fmt::format("has a mask of more than {} values", kLargestKnownArray),
                  ErrorCode::Unsupported);
    if (node.failed()) return scores;
    std::vector<std::int64_t> seen;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t key = 0; key < keys; ++key) seen.push_back(key <= row ? 1 : 0);
    const TensorId mask =
        node.known(constant_of({{ElementType::Bool, {rows, keys}}, std::move(seen)}), "causal");
    scores = node.add(Operator::Where, std::monostate{}, {mask, scores, least});
  }
  if (!node.has_input(3)) return scores;
  if (node.type(3).element == ElementType::Bool)
    return node.add(Operator::Where, std::monostate{}, {node.tensor(3), scores, least});
  return node.binary(Operator::Add, scores, is_mask(node) ? node.fixed(3) : node.tensor(3));
}

// What softmax sees of the scores.
TensorId shown(NodeImport& node, const Attention& attention, TensorId scores) {
  scores = masked(node, attention, scores);
  if (attention.cap == 0) return scores;
  const TensorId cap = node.scalar(attention.cap);
  const TensorId bounded =
      node.add(Operator::Tanh, std::monostate{}, {node.binary(Operator::Div, scores, cap)});
  return node.binary(Operator::Mul, bounded, cap);
}

void import_attention(NodeImport& node) {
  const Attention attention = read_attention(node);
  const TensorId q = by_heads(node, attention, 0, attention.heads);
  TensorId k = by_heads(node, attention, 1, attention.kv_heads);
  TensorId v = by_heads(node, attention, 2, attention.kv_heads);
  k = with_past(node, k, 4, 1);
  v = with_past(node, v, 5, 2);
  if (node.failed()) return;
  const Shape queries = node.shape_of(q);
  const Shape keys = node.shape_of(k);
  const Shape values = node.shape_of(v);
  if (queries.size() != 4 || keys.size() != 4 || values.size() != 4 ||
      queries[1] != attention.heads || keys[1] != attention.kv_heads ||
      values[1] != attention.kv_heads || keys[2] != values[2] || queries[3] != keys[3])
    return node.refuse(fmt::format("queries {}, keys {} and values {} do not go together",
                                   to_text(queries), to_text(keys), to_text(values)));
  const float scale =
      node.number("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(queries[3]))));
  TensorId y = grouped_attention(node, {.query = q, .key = k, .value = v}, scale,
                                 [&](TensorId scores) { return shown(node, attention, scores); });
  if (node.failed()) return;
  if (attention.flat) {
    y = node.transposed(y, {0, 2, 1, 3});
    y = node.reshaped(y, {queries[0], queries[2], attention.heads * values[3]});
  }
  node.output(0, y);
}

}  // namespace

std::vector<OnnxOperator> attention_onnx_operators() {
  return {{"RMSNormalization", import_rms_norm},
          {"RotaryEmbedding", import_rotary},
          {"Attention", import_attention}};
}

}  // namespace poet
