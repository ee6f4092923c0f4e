// Plans the training of LeNet-5 on a microcontroller: in two thirds of the RAM that keeping
// everything takes, and in the least that will do. Writes the plan to lenet5.plan.json; `poet
// verify lenet5.plan.json` says of it what verify() says here.
#include <poet/poet.h>

#include <cstdint>
#include <cstdio>
#include <map>

namespace {

int refuse(const poet::v1::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 2;
}

void print(const char* title, const poet::v1::Plan& plan) {
  const poet::v1::Figures figures = plan.figures();
  std::printf("%s: %lld bytes of RAM, %.3g s, %.3g J\n", title,
              static_cast<long long>(figures.peak_ram_bytes), figures.time_s, figures.energy_j);
}

void print_actions(const poet::v1::Plan& plan) {
  std::map<poet::v1::Verb, int> times;
  for (const poet::v1::Action& action : plan.actions()) ++times[action.verb];
  std::printf("  %d operations, %d tensors written, %d read, %d freed\n",
              times[poet::v1::Verb::Compute], times[poet::v1::Verb::PageOut],
              times[poet::v1::Verb::PageIn], times[poet::v1::Verb::Drop]);
}

}  // namespace

int main() {
  const poet::v1::Training training{"lenet5", "m4"};
  const auto sizes = poet::v1::step_sizes(training);
  if (!sizes) return refuse(sizes.error());

  poet::v1::Limits limits;
  limits.ram_bytes = sizes->plain_peak_bytes * 2 / 3;
  limits.deadline_s = 2 * sizes->compute_s;
  const auto answer = poet::v1::plan(training, limits);
  if (!answer) return refuse(answer.error());
  if (!answer->plan) {
    std::printf("no plan: %s\n", answer->why_not.c_str());
    return 1;
  }
  print("two thirds of the RAM", *answer->plan);
  print_actions(*answer->plan);
  if (const auto failure = answer->plan->write("lenet5.plan.json")) return refuse(*failure);

  const auto read = poet::v1::read_plan("lenet5.plan.json");
  if (!read) return refuse(read.error());
  for (const std::string& sentence : poet::v1::verify(*read))
    std::printf("wrong: %s\n", sentence.c_str());

  const auto least = poet::v1::least_ram(training);
  if (!least) return refuse(least.error());
  if (least->plan) print("least RAM", *least->plan);
  return 0;
}
