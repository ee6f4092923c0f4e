#include "poet/use/ranks_of_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "poet/train/rank_sums.h"

namespace poet {

Failure RanksOfRun::meet(const Result<RankWord>& word, const StepForms& forms,
                         std::int64_t micro_batches, TrainReport& report) {
  const Result<RankAgreement> agreed = poet::meet(*conference_, word, micro_batches);
  if (!agreed.ok()) return agreed.error();
  report.no = agreed->no;
  if (!report.no.empty()) {
    conference_->close();
    return std::nullopt;
  }
  own_ = agreed->ranges[static_cast<std::size_t>(place_->own)];
  for (std::size_t rank = 0; rank < agreed->ranges.size(); ++rank)
    report.ranks.push_back({.micro_batches = agreed->ranges[rank].count(),
                            .micro_batch_s = agreed->figures[rank].micro_batch_s,
                            .ram_budget_bytes = agreed->figures[rank].ram_budget_bytes,
                            .plain_peak_bytes = agreed->figures[rank].plain_peak_bytes});
  accumulators_ = forms.forms[0].accumulators;
  updated_.assign(forms.forms[1].trained.begin(), forms.forms[1].trained.end());
  return std::nullopt;
}

bool RanksOfRun::is_state_of_one(const HeldValue& value) const {
  return !updates_.parameters.empty() && value.role == TensorRole::OptimiserState;
}

Failure RanksOfRun::divide_updates(const RunningForms& running, std::vector<HeldValue>& held) {
  gradients_ = accumulators(*running.form("first"));
  std::vector<HeldValue> states;
  for (const HeldValue& value : held)
    if (value.role == TensorRole::OptimiserState) states.push_back(value);
  Result<DividedUpdates> updates = meet_over_updates(*conference_, updated_, states);
  if (!updates.ok()) return updates.error();
  updates_ = *std::move(updates);
  for (const HeldValue& value : held)
    if (value.write && !is_state_of_one(value)) common_.push_back(value);
  for (HeldValue& state : updates_.states_of_others) held.push_back(std::move(state));
  std::sort(held.begin(), held.end(),
            [](const HeldValue& a, const HeldValue& b) { return a.name < b.name; });
  return std::nullopt;
}

Result<std::int64_t> RanksOfRun::begin(std::int64_t done) {
  const Result<std::string> of_first = conference_->confer(
      std::string(), [done](const std::vector<std::string>&) -> Result<std::string> {
        return std::to_string(done);
      });
  if (!of_first.ok()) return of_first.error();
  RankBuffers buffers(kValuePieceBytes);
  if (Failure failure = pass_on(conference_->ranks(), 0, common_, buffers)) return *failure;
  return std::stoll(*of_first);
}

// What each rank updates; none where all update everything.
std::vector<RankedTrainer::Part> RanksOfRun::parts_of_updates() const {
  std::vector<RankedTrainer::Part> parts;
  for (const std::vector<std::string>& names : updates_.parameters) {
    RankedTrainer::Part part;
    const auto is_its = [&names](const std::string& parameter) {
      return std::find(names.begin(), names.end(), parameter) != names.end();
    };
    for (const HeldValue& gradient : gradients_)
      if (is_its(accumulators_.at(gradient.name))) part.gradients.push_back(gradient);
    for (const HeldValue& value : common_)
      if (value.role == TensorRole::Parameter && is_its(value.name))
        part.parameters.push_back(value);
    parts.push_back(std::move(part));
  }
  return parts;
}

// Null where nothing is put aside.
Result<std::unique_ptr<PageStore>> RanksOfRun::make_aside() const {
  const StoreSize size{
      .bytes = RankedTrainer::aside_bytes(gradients_, own_.count()),
      .write_places = RankedTrainer::aside_pieces(gradients_, own_.count(), kValuePieceBytes)};
  return size.bytes > 0 ? make_store_beside(storage_, size)
                        : Result<std::unique_ptr<PageStore>>(std::unique_ptr<PageStore>());
}

Result<RankedTrainer> RanksOfRun::trainer(Trainer micro_batches, const RunningForms& running,
                                          const std::function<double()>& clock_s) {
  Result<std::unique_ptr<PageStore>> aside = make_aside();
  if (!aside.ok()) return aside.error();
  std::vector<RankedTrainer::Part> updates = parts_of_updates();
  return RankedTrainer({.micro_batches = std::move(micro_batches),
                        .update = *running.form("update"),
                        .gradients = std::move(gradients_),
                        .updates = std::move(updates),
                        .own = own_,
                        .conference = conference_,
                        .aside = *std::move(aside),
                        .piece_bytes = kValuePieceBytes,
                        .clock_s = clock_s});
}

Result<RanksOfRun::Next> RanksOfRun::confer_on_next(bool is_asked_to_stop,
                                                    const std::function<bool()>& is_at_end) {
  const std::string stop = "stop", go = "go", end = "end";
  const Result<std::string> answer = conference_->confer(
      is_asked_to_stop ? stop : go,
      [&](const std::vector<std::string>& words) -> Result<std::string> {
        if (is_at_end()) return end;
        return std::find(words.begin(), words.end(), stop) == words.end() ? go : stop;
      });
  if (!answer.ok()) return answer.error();
  return *answer == go ? Next::Step : *answer == stop ? Next::Stop : Next::End;
}

Failure RanksOfRun::end() {
  const Result<std::string> answer = conference_->confer(
      std::string(),
      [](const std::vector<std::string>&) -> Result<std::string> { return std::string(); });
  if (!answer.ok()) return answer.error();
  conference_->close();
  return std::nullopt;
}

}  // namespace poet
