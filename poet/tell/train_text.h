#pragma once

#include <string>

#include "poet/base/json_out.h"
#include "poet/use/train_network.h"
#include "poet/use/use_network.h"

namespace poet {

// What 'poet train' answers: for people, and for programs (docs/formats/train-json.md).
std::string train_text(const TrainReport& report);
JsonOut train_to_json(const TrainReport& report);

// A line of the log: one JSON object.
std::string log_line(const StepLine& line);
std::string log_line(const EvaluationLine& line);

std::string log_line(const MoveLine& line);
std::string log_line(const ReplanLine& line);

// "step 12: from 1,048,576 bytes of RAM to 262,144 bytes"
std::string move_text(const MoveLine& line);

// "step 6: plans again: the parts of a step are 41.0 % off those of the plan; ..."
std::string replan_text(const ReplanLine& line);

// "step 12/50  loss 2.1034  31.4 ms/step  0.52 J  peak 12.3 MiB": as a display shows it.
std::string progress_line(const StepLine& line);

// "loss 0.1203, accuracy 96.40 % on 1,000 examples"; of text its perplexity, too
std::string score_text(const Score& score);
// Of the first example that has infinite numbers, or none, in what the network says of it.
std::string not_finite_text(std::int64_t example);
JsonOut score_to_json(const Score& score);

}  // namespace poet
