#include "poet/emit/plan_text.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "poet/emit/c_text.h"
#include "poet/emit/emit_project.h"
#include "poet/emit/learning_rate_text.h"
#include "poet/emit/runtime_files.h"

namespace poet {
namespace {

// The first form that has a tensor of that name, and its id there.
struct TensorInForm {
  const EmittedForm& form;
  TensorId tensor{};
};

TensorInForm find_tensor(const EmitRequest& request, const std::string& name) {
  for (const EmittedForm& form : request.forms)
    for (std::size_t i = 0; i < form.step->graph.tensors.size(); ++i)
      if (form.step->graph.tensors[i].name == name) return {form, static_cast<TensorId>(i)};
  check_failed("every value is of a form", __FILE__, __LINE__);
}

std::string headers_of(const FormParts& parts, const EmitRequest& request) {
  std::set<std::string_view> headers;
  for (const std::string& function : parts.functions)
    headers.insert(declaration_of(function).header);
  if (request.learning_rate.shape == RateShape::Cosine) headers.insert("poet/runtime/float_math.h");
  std::string text;
  for (const std::string_view header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text;
}

// Which form a micro-batch is.
std::string dispatch_text(const EmitRequest& request) {
  std::string text = "\npoet_status poet_run_micro_batch(uint32_t micro_batch, poet_run* run) {\n";
  if (request.micro_batches == 1)
    return text + "  (void)micro_batch;\n  return run_whole(run);\n}\n";
  text += "  if (micro_batch == 0u) return run_first(run);\n";
  if (request.micro_batches > 2)
    text += fmt::format("  if (micro_batch < {}u) return run_middle(run);\n",
                        request.micro_batches - 1);
  return text + "  return run_last(run);\n}\n";
}

}  // namespace

Result<ValueTexts> value_texts(const EmitRequest& request, const EmittedProject& project,
                               const std::vector<StepProgram>& programs, FormParts& parts) {
  ValueTexts texts;
  const auto home = [&project](const EmittedValue& value) {
    return value.home == Home::Resident
               ? fmt::format("AT({}), 0u", value.offset_bytes)
               : fmt::format("NULL, {}u", project.storage.pages_begin() + value.offset_bytes);
  };
  for (const EmittedValue& value : project.kept)
    texts.kept += fmt::format("    {{{}, {}u}}, /* {} */\n", home(value), size_bytes(value.type),
                              c_comment(value.name));
  for (const EmittedValue& value : parameter_values(request.forms, programs)) {
    std::string place = home(value);
    if (value.home == Home::Rom) {
      const TensorInForm found = find_tensor(request, value.name);
      Result<std::string> name = parts.rom.name_of(at(found.form.step->graph.tensors, found.tensor),
                                                   *found.form.initial, found.tensor);
      if (!name.ok()) return name.error();
      place = *name + ", 0u";
    }
    texts.parameters += fmt::format("    {{{}, {}u}}, /* {} */\n", place, size_bytes(value.type),
                                    c_comment(value.name));
    ++texts.parameter_count;
  }
  return texts;
}

std::string plan_text(const EmitRequest& request, const EmittedProject& project,
                      const FormParts& parts, const std::string& forms, const ValueTexts& values) {
  std::string text = fmt::format("/* The plan of {}, for {}. */\n#include \"poet_plan.h\"\n\n",
                                 c_comment(request.model), c_comment(request.board.name));
  text += "#include <float.h>\n#include <stddef.h>\n#include <string.h>\n\n";
  text += headers_of(parts, request);
  if (!parts.rom.empty()) text += "\n#include \"poet_rom.h\"\n";
  text +=
      "\n#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)\n"
      "#error \"floats must be computed as floats: no x87, no relaxed arithmetic\"\n#endif\n\n"
      "poet_arena_memory poet_arena POET_ARENA_PLACE;\n\n"
      "#define AT(offset) ((void*)(poet_arena.bytes + (offset)))\n"
      "#define TRY(call)                                    \\\n"
      "  do {                                               \\\n"
      "    const poet_status status_of_call = (call);       \\\n"
      "    if (status_of_call != POET_OK) return status_of_call; \\\n"
      "  } while (0)\n\n"
      "static poet_status read_input(const poet_run* run, uint32_t input, void* into, uint32_t "
      "bytes) {\n"
      "  return run->examples->read(run->examples->user, (poet_input)input, run->first, into,\n"
      "                             bytes) == 0\n"
      "             ? POET_OK\n"
      "             : POET_EXAMPLES_FAILED;\n}\n\n";
  text += parts.shapes.text() + forms + dispatch_text(request);
  text += fmt::format("\nstatic const poet_kept_value kept[] = {{\n{}}};\n", values.kept);
  text += fmt::format(
      "\nconst poet_checkpoint_place poet_checkpoint_home = {{kept, {}u, "
      "POET_STORAGE_BLOCK_BYTES, POET_CHECKPOINT_BYTES, {}u}};\n",
      project.kept.size(), project.fingerprint);
  text += fmt::format("\nconst poet_parameter_place poet_parameter_places[{}] = {{\n{}}};\n\n",
                      values.parameter_count, values.parameters);
  return text + learning_rate_text(request.learning_rate);
}

}  // namespace poet
