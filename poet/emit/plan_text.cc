#include "poet/emit/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "poet/emit/arena_texts.h"
#include "poet/emit/c_text.h"
#include "poet/emit/emit_project.h"
#include "poet/emit/piece_texts.h"
#include "poet/emit/runtime_files.h"
#include "poet/emit/step_tables.h"

namespace poet {
namespace {

// How much of the way from the end of the warm-up to the last step is gone, as in rate_at().
std::string part_gone_text(const LearningRate& rate) {
  const std::int64_t falling = rate.steps - rate.warm_up_steps;
  if (falling <= 1) return "  const float gone = 0.0f;\n  (void)step;\n";
  return fmt::format(
      "  const uint32_t after = step - {0}u;\n"
      "  const float gone = (float)(after < {1}u ? after : {1}u) / (float){1};\n",
      rate.warm_up_steps + 1, falling - 1);
}

std::string after_warm_up(const LearningRate& rate) {
  const std::string peak = c_float(rate.peak);
  const std::string last = c_float(rate.peak * rate.last_ratio);
  switch (rate.shape) {
    case RateShape::Constant:
      return fmt::format("  (void)step;\n  return {};\n", peak);
    case RateShape::Linear:
      return part_gone_text(rate) + fmt::format("  return {0} - ({0} - {1}) * gone;\n", peak, last);
    case RateShape::Cosine:
      return part_gone_text(rate) +
             fmt::format("  return {1} + ({0} - {1}) * (0.5f + 0.5f * poet_cos_f32({2} * gone));\n",
                         peak, last, c_float(3.1415927F));
    case RateShape::Step:
      return fmt::format(
          "  const uint32_t falls = (step - {}u) / {}u;\n"
          "  float rate = {};\n"
          "  for (uint32_t i = 0; i < falls && i < 1000u; ++i) rate *= {};\n"
          "  return rate;\n",
          rate.warm_up_steps + 1, rate.every_steps, peak, c_float(rate.factor));
  }
  return {};
}

std::string headers_of(const FormParts& parts, const EmitRequest& request) {
  std::set<std::string_view> headers;
  for (const std::string& function : parts.functions) headers.insert(header_of(function));
  if (request.learning_rate.shape == RateShape::Cosine) headers.insert("poet/runtime/float_math.h");
  std::string text;
  for (const std::string_view header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text;
}

constexpr const char* kReadInput =
    "static poet_status read_input(const poet_run* run, uint32_t input, void* into, uint32_t "
    "bytes) {\n"
    "  return run->examples->read(run->examples->user, (poet_input)input, run->first, into,\n"
    "                             bytes) == 0\n"
    "             ? POET_OK\n"
    "             : POET_EXAMPLES_FAILED;\n}\n\n";

constexpr const char* kReadPiece =
    "static poet_status read_piece(const poet_run* run, uint32_t input, const poet_piece* piece, "
    "void* into) {\n"
    "  unsigned char* next = into;\n"
    "  if (run->examples->read_part == NULL) return POET_EXAMPLES_FAILED;\n"
    "  for (uint32_t k = 0; k < piece->runs; ++k, next += piece->run_bytes)\n"
    "    if (run->examples->read_part(run->examples->user, (poet_input)input, run->first,\n"
    "                                 poet_piece_offset(piece, k), next, piece->run_bytes) != 0)\n"
    "      return POET_EXAMPLES_FAILED;\n"
    "  return POET_OK;\n}\n\n";

bool is_piece_of_same(const EmittedValue& value, const EmittedValue& first) {
  return &value == &first || (value.piece && whole_name(value) == whole_name(first));
}

// Where a parameter is, or a piece of one.
Result<HomePiece> home_piece(const EmittedValue& value, const StorageMap& storage,
                             FormParts& parts) {
  HomePiece piece;
  if (value.piece)
    piece.values = value.piece->values;
  else
    for (const std::int64_t extent : value.type.shape) piece.values.push_back({0, extent});
  if (value.home == Home::Rom) {
    const Result<std::int64_t> number = parts.rom.number_of(
        at(value.form->step->graph.tensors, value.tensor), *value.form->initial, value.tensor);
    if (!number.ok()) return number.error();
    piece.space = POET_HOME_CONSTANT;
    piece.place = *number;
  } else if (value.home == Home::Resident) {
    piece.space = POET_HOME_ARENA;
    piece.place = parts.tables.place_of(value.memory, value.offset_bytes);
  } else {
    piece.place = (storage.pages_begin() + value.offset_bytes) / storage.block_bytes;
  }
  return piece;
}

std::string prediction_text(const EmitRequest& request) {
  if (!request.prediction) return {};
  return fmt::format(
      "\npoet_status poet_run_prediction(poet_run* run) {{\n  return run_{}(run);\n}}\n",
      request.forms.back().name);
}

// Which form a micro-batch is.
std::string dispatch_text(const EmitRequest& request) {
  std::string text = "\npoet_status poet_run_micro_batch(uint32_t micro_batch, poet_run* run) {\n";
  if (request.micro_batches == 1)
    return text + "  (void)micro_batch;\n  return run_whole(run);\n}\n" + prediction_text(request);
  text += "  if (micro_batch == 0u) return run_first(run);\n";
  if (request.micro_batches > 2)
    text += fmt::format("  if (micro_batch < {}u) return run_middle(run);\n",
                        request.micro_batches - 1);
  return text + "  return run_last(run);\n}\n" + prediction_text(request);
}

}  // namespace

std::string learning_rate_text(const LearningRate& rate) {
  std::string text = "float poet_learning_rate(uint32_t step) {\n";
  if (rate.warm_up_steps > 0)
    text += fmt::format("  if (step <= {0}u) return {1} * (float)step / (float){0};\n",
                        rate.warm_up_steps, c_float(rate.peak));
  return text + after_warm_up(rate) + "}\n";
}

Result<ValueTexts> value_texts(const EmitRequest& request, const EmittedProject& project,
                               const std::vector<StepProgram>& programs, FormParts& parts) {
  ValueTexts texts;
  for (const EmittedValue& value : project.kept) {
    const std::string home =
        value.home == Home::Resident
            ? fmt::format("AT({}, {}), 0u", arena_symbol(request, value.memory), value.offset_bytes)
            : fmt::format("NULL, {}u", project.storage.pages_begin() + value.offset_bytes);
    texts.kept += fmt::format("    {{{}, {}u}}, /* {} */\n", home, size_bytes(value.type),
                              c_comment(value.name));
  }
  StepCodes codes;
  std::size_t written = 0;
  const std::vector<EmittedValue> values = parameter_values(request.forms, programs);
  for (std::size_t k = 0; k < values.size();) {
    const EmittedValue& first = values[k];
    std::vector<HomePiece> pieces;
    for (; k < values.size() && is_piece_of_same(values[k], first); ++k) {
      const Result<HomePiece> piece = home_piece(values[k], project.storage, parts);
      if (!piece.ok()) return piece.error();
      pieces.push_back(*piece);
    }
    add_whole(first.piece ? first.piece->type : first.type, pieces, codes);
    texts.parameters += fmt::format("    /* {} */", c_comment(whole_name(first)));
    for (; written < codes.bytes().size(); ++written)
      texts.parameters += fmt::format(" {},", codes.bytes()[written]);
    texts.parameters += "\n";
    ++texts.parameter_count;
  }
  return texts;
}

std::string plan_text(const EmitRequest& request, const EmittedProject& project,
                      const FormParts& parts, const ValueTexts& values) {
  std::string text = fmt::format("/* The plan of {}, for {}. */\n#include \"poet_plan.h\"\n\n",
                                 c_comment(request.model), c_comment(request.board.name));
  text += "#include <float.h>\n#include <stddef.h>\n#include <string.h>\n\n";
  text += headers_of(parts, request);
  if (!parts.rom.empty()) text += "\n#include \"poet_rom.h\"\n";
  text +=
      "\n#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)\n"
      "#error \"floats must be computed as floats: no x87, no relaxed arithmetic\"\n#endif\n\n" +
      arenas_text(request) +
      "\n#define AT(arena, offset) ((void*)((arena).bytes + (offset)))\n"
      "#define TRY(call)                                    \\\n"
      "  do {                                               \\\n"
      "    const poet_status status_of_call = (call);       \\\n"
      "    if (status_of_call != POET_OK) return status_of_call; \\\n"
      "  } while (0)\n\n";
  if (parts.whole_inputs) text += kReadInput;
  if (parts.inputs_in_pieces) text += kReadPiece;
  text += parts.shapes.text() + parts.tables.text(parts.rom.names()) + dispatch_text(request);
  text += fmt::format("\nstatic const poet_kept_value kept[] = {{\n{}}};\n", values.kept);
  text += fmt::format(
      "\nconst poet_checkpoint_place poet_checkpoint_home = {{kept, {}u, "
      "POET_STORAGE_BLOCK_BYTES, POET_CHECKPOINT_BYTES, {}u}};\n",
      project.kept.size(), project.fingerprint);
  text += fmt::format("\nconst unsigned char poet_parameter_codes[] = {{\n{}}};\n\n",
                      values.parameters);
  return text + learning_rate_text(request.learning_rate);
}

}  // namespace poet
