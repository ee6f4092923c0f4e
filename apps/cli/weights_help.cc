#include "apps/cli/weights_help.h"

namespace poet::cli {

std::string weights_help_text() {
  return R"(poet help weights: what --weights and --adapter-weights take

--weights PATH: values that others published, to begin with in place of initial ones
  FOLDER              as Hugging Face has it: model.safetensors, or model.safetensors.index.json and
                      the files that it lists; a config.json must be the network's
  FILE.safetensors    F32, F16, BF16 or F64, or blocks as 'poet quantise' writes them
  FILE.gguf           GGUF of version 2 or 3 for networks of Llama, Qwen2.5, Gemma 3, SmolLM2 and
                      GPT-2: F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K
  FOLDER of GPTQ      with quantize_config.json, or what it says in config.json: 4 or 8 bits
  Names are those that each network is published by; an ONNX file's are those of its initialisers.
  What lies in blocks of 8 or 4 bits stays as it is: adapters are trained beside it.

--adapter-weights FOLDER: adapters of low rank (LoRA), in place of --adapter
  as PEFT keeps them: adapter_config.json, which says rank and alpha, and
  adapter_model.safetensors, which says by its names beside which weights they are.
  Give the weights that they were learnt beside, too, by --weights.

What is refused, in one sentence with the file
  what is cut off, or not as its format has it; other types of values than these
  names and shapes that are not the network's, all at once; --weights-missing initial begins with
  initial values there
  a configuration of another network
  values that are infinite or not numbers, with their tensor and place, before anything is computed;
  --allow-non-finite goes on with them
  adapters whose configuration names the weights that they were learnt beside, without --weights;
  and whatever it asks for beyond W + (alpha / rank) B A

Examples
  poet train --model llama-tiny --sequence-length 16 --weights tiny-llama --adapter lora:rank=4 --batch-size 2 --steps 2
      a folder, whose weights stay, and adapters that are trained
  poet predict --model llama-tiny --sequence-length 16 --weights tiny-llama.gguf --examples 2 --batch-size 2
      a file of llama.cpp's
  poet eval --model llama-tiny --sequence-length 16 --weights tiny-llama --adapter-weights tiny-lora --examples 2 --batch-size 2
      adapters beside the weights that they were learnt beside
  poet export safetensors --model llama-tiny --weights tiny-llama --adapter-weights tiny-lora --merge --out merged-llama
      both in one, in a folder for --weights
)";
}

}  // namespace poet::cli
