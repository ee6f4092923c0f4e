// Moves on a draft, each judged by its cost for the excess bytes that it takes away
// (docs/model/search.md §2.2).
#include "poet/solve/greedy_moves.h"

#include <algorithm>
#include <utility>

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Where a move takes nothing away, it is looked at again when bytes cost this many times as much.
constexpr double kLater = 2.0;
constexpr int kDeepest = 200;       // re-executions for one read
constexpr int kMovesPerPrice = 32;  // until prices are worked out again
constexpr std::int64_t kTriesPerStay = 40;
constexpr double kRounding = 1e-12;  // of the cost: no gain

}  // namespace

bool GreedyMoves::Stay::operator>(const Stay& other) const {
  if (price != other.price) return price > other.price;
  if (chain != other.chain) return chain > other.chain;
  return event > other.event;
}

GreedyMoves::GreedyMoves(const Step& step, ScheduleDraft draft, const Stop& stop)
    : step_(step), stop_(stop), draft_(std::move(draft)), plans_(step.chains.size()) {
  for (const Chain& chain : step.chains)
    largest_bytes_ = std::max(largest_bytes_, chain.size_bytes);
}

bool GreedyMoves::fit(const GreedyRule& rule, const StageRange& where, const FitLimits& limits) {
  rule_ = rule;
  price_ = 0;
  set_prices();
  add_stays(where);
  const std::int64_t last_try =
      tries_ +
      std::min(limits.most_tries, kTriesPerStay * static_cast<std::int64_t>(stays_.size()));
  const std::int64_t changes = draft_.all_changes();
  std::int64_t excess_bytes = draft_.excess_bytes();
  while (draft_.excess_bytes() > 0) {
    if (rule_.only_crowded && stays_.empty() && draft_.excess_bytes() < excess_bytes) {
      excess_bytes = draft_.excess_bytes();
      add_stays(where);
    }
    if (stays_.empty() || reckoned_cost() >= limits.most_cost || stop_.requested()) return false;
    if (tries_++ >= last_try || draft_.all_changes() - changes >= limits.most_changes) return false;
    const Stay stay = stays_.top();
    stays_.pop();
    consider(stay);
  }
  return draft_.cost() < limits.most_cost && draft_.keeps_limits();
}

double GreedyMoves::reckoned_cost() const {
  if (!rule_.looks_ahead) return draft_.cost();
  return draft_.cost() + price_ * static_cast<double>(draft_.excess_bytes());
}

bool GreedyMoves::keep_all(const StageRange& where) {
  bool any = false;
  for (const Comeback& comeback : comebacks()) {
    if (!where.contains(comeback.event.stage) || !comes_at(comeback)) continue;
    connect(comeback.chain, draft_.find(comeback.chain, comeback.event));
    any = true;
  }
  draft_.settle();
  return any;
}

// --- stays that may end

void GreedyMoves::add_stays(const StageRange& where) {
  stays_ = {};
  find_crowded();
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const auto c = static_cast<std::int32_t>(n);
    for (const Touch& touch : draft_.touches(c))
      if (where.contains(touch.event.stage)) add_stay(c, touch.event, 0);
  }
}

void GreedyMoves::find_crowded() {
  crowded_.clear();
  if (!rule_.only_crowded) return;
  for (std::int32_t t = 0; t < step_.stages(); ++t)
    if (draft_.ram_bytes(t) > step_.budget_bytes) crowded_.push_back(t);
}

// Or in one of them: what leaves after the first may be smaller there, too.
bool GreedyMoves::is_crowded_between(std::int32_t from, std::int32_t to) const {
  const auto first = std::lower_bound(crowded_.begin(), crowded_.end(), from);
  return first != crowded_.end() && *first <= to;
}

void GreedyMoves::add_stay(std::int32_t c, Event event, double price) {
  if (step_.chains[c].size_bytes == 0 || !is_stay(c, event)) return;
  const std::int32_t since = draft_.touches(c)[draft_.find(c, event) - 1].event.stage;
  if (rule_.only_crowded && !is_crowded_between(since, event.stage)) return;
  stays_.push(Stay{std::max(price, least_price(c, event)), c, event});
}

// When every byte of it, in each stage, is one too many, and what it is made from is there.
double GreedyMoves::least_price(std::int32_t c, Event event) const {
  const std::int32_t since = draft_.touches(c)[draft_.find(c, event) - 1].event.stage;
  const Chain& chain = step_.chains[c];
  double cost = cost_of_reading(c);
  if (chain.producer) cost = std::min(cost, step_.operations[*chain.producer].cost);
  return cost / (static_cast<double>(chain.size_bytes) * (event.stage - since - 1));
}

// One that leaves room in some stage when it ends.
bool GreedyMoves::is_stay(std::int32_t c, Event event) const {
  const std::size_t n = draft_.find(c, event);
  const std::vector<Touch>& list = draft_.touches(c);
  if (n == 0 || n >= list.size() || list[n].event != event || !list[n].stays()) return false;
  return list[n - 1].event.stage + 1 < event.stage;
}

// What a byte costs where RAM is full, summed up over the stages before each.
void GreedyMoves::set_prices() {
  // Petabytes times a rule's factor leave 64 bits.
  const double near_full = std::min(rule_.near_full * static_cast<double>(largest_bytes_), 0x1p62);
  const std::int64_t full = step_.budget_bytes - static_cast<std::int64_t>(near_full);
  price_before_.assign(1, 0.0);
  for (std::int32_t t = 0; t < step_.stages(); ++t)
    price_before_.push_back(price_before_.back() + (draft_.ram_bytes(t) > full ? price_ : 0));
  moves_ = 0;
  price_set_ = price_;
}

void GreedyMoves::consider(const Stay& stay) {
  if (!is_stay(stay.chain, stay.event)) return;
  price_ = std::max(price_, stay.price);
  if (moves_ >= kMovesPerPrice || price_ > rule_.haste * price_set_) set_prices();
  const double price = end_stay(stay);
  if (price <= rule_.haste * price_ || (price_ == 0 && price == 0)) {
    for (const auto& [chain, event] : draft_.placed_since(mark_)) add_stay(chain, event, price_);
    ++moves_;
    return;
  }
  draft_.undo(mark_);
  const double again = price < kNever ? price : kLater * price_;
  if (again > 0) stays_.push(Stay{again, stay.chain, stay.event});
}

// Tries it, and returns what it costs for each byte of excess that it takes away.
double GreedyMoves::end_stay(const Stay& stay) {
  const Way first = cheaper_end(stay);
  double price = try_end(stay, first);
  if (price <= rule_.haste * price_) return price;
  const Way other = first == Way::Read ? Way::Make : Way::Read;
  draft_.undo(mark_);
  return std::min(price, try_end(stay, other));
}

GreedyMoves::Way GreedyMoves::cheaper_end(const Stay& stay) {
  ++question_;
  const double make = cost_of_making(stay.chain, stay.event);
  return make < cost_of_reading(stay.chain) ? Way::Make : Way::Read;
}

double GreedyMoves::try_end(const Stay& stay, Way way) {
  mark_ = draft_.mark();
  const double cost = draft_.cost();
  const std::int64_t excess = draft_.excess_bytes();
  if (way == Way::Read ? cost_of_reading(stay.chain) == kNever
                       : !may_make(stay.chain, stay.event.stage))
    return kNever;
  if (way == Way::Read)
    draft_.set_read(stay.chain, stay.event, true);
  else
    make(stay.chain, stay.event);
  draft_.settle();
  const double gained = static_cast<double>(excess - draft_.excess_bytes());
  if (gained <= 0 || !draft_.keeps_limits()) return kNever;
  return std::max(0.0, draft_.cost() - cost) / gained;
}

// --- what it would cost to have a chain in a stage, at the prices of RAM

bool GreedyMoves::may_make(std::int32_t c, std::int32_t stage) const {
  const std::optional<std::int32_t>& producer = step_.chains[c].producer;
  if (!producer || *producer >= stage) return false;
  return step_.operations[*producer].last_stage >= stage && !draft_.runs(Event{stage, *producer});
}

double GreedyMoves::cost_of_reading(std::int32_t c) const {
  const Chain& chain = step_.chains[c];
  if (!chain.may_be_read || (chain.producer && !rule_.reads)) return kNever;
  const bool must_store = chain.may_be_written && !draft_.stored(c);
  return chain.read_cost + (must_store ? chain.write_cost : 0);
}

// Of producing it in the stage of `event`, with all that this takes.
double GreedyMoves::cost_of_making(std::int32_t c, Event event, int depth) {
  if (!may_make(c, event.stage) || depth > kDeepest) return kNever;
  const Event run{event.stage, *step_.chains[c].producer};
  double cost = step_.operations[run.operation].cost;
  for (const std::int32_t input : step_.operations[run.operation].inputs)
    cost += cost_of_having(input, run, depth + 1);
  return cost;
}

double GreedyMoves::cost_of_having(std::int32_t c, Event event, int depth) {
  Plan& plan = plans_[c];
  if (plan.question == question_) return 0;  // it is paid for already
  plan = Plan{question_};
  const std::vector<Touch>& list = draft_.touches(c);
  const std::size_t n = draft_.find(c, event);
  const bool is_there = n < list.size() && (list[n].event == event || list[n].stays());
  if (is_there || (n > 0 && list[n - 1].event.stage == event.stage)) return 0;
  if (n > 0) plan.cost = rent(c, list[n - 1].event.stage, event.stage);
  const double here = rent(c, event.stage, event.stage + 1);
  take_cheaper(plans_[c], Way::Read, cost_of_reading(c) + here);
  const double making = cost_of_making(c, event, depth) + here;
  take_cheaper(plans_[c], Way::Make, making);
  return std::max(0.0, plans_[c].cost - saved_later(c, n, event.stage));
}

// Another way, where it is the cheaper.
void GreedyMoves::take_cheaper(Plan& plan, Way way, double cost) {
  if (cost >= plan.cost) return;
  plan.way = way;
  plan.cost = cost;
}

double GreedyMoves::rent(std::int32_t c, std::int32_t from, std::int32_t to) const {
  return static_cast<double>(step_.chains[c].size_bytes) *
         (price_before_[to] - price_before_[from]);
}

// When it comes in a stage, it may stay until touch n, where it comes otherwise.
double GreedyMoves::saved_later(std::int32_t c, std::size_t n, std::int32_t stage) const {
  const std::vector<Touch>& list = draft_.touches(c);
  if (n >= list.size() || list[n].stays()) return 0;
  const double saved =
      list[n].read ? step_.chains[c].read_cost : step_.operations[*step_.chains[c].producer].cost;
  return std::max(0.0, saved - rent(c, stage, list[n].event.stage));
}

// --- and doing it

void GreedyMoves::make(std::int32_t c, Event event) {
  const Event run{event.stage, *step_.chains[c].producer};
  draft_.run(run);
  for (const std::int32_t input : step_.operations[run.operation].inputs) bring(input, run);
}

// The chain has been given a touch at the event: it stays from the one before until now.
void GreedyMoves::bring(std::int32_t c, Event event) {
  const std::vector<Touch>& list = draft_.touches(c);
  const std::size_t n = draft_.find(c, event);
  const bool was_there = n + 1 < list.size() && list[n + 1].stays();
  if (was_there || list[n - 1].event.stage == event.stage) return;
  const Way way = plans_[c].question == question_ ? plans_[c].way : Way::Stay;
  if (way == Way::Read) draft_.set_read(c, event, true);
  if (way == Way::Make && may_make(c, event.stage)) make(c, event);
  const std::size_t next = draft_.find(c, event) + 1;
  if (saved_later(c, next, event.stage) > 0) connect(c, next);
}

// Lets it stay until a touch at which it came otherwise.
void GreedyMoves::connect(std::int32_t c, std::size_t n) {
  const Touch touch = draft_.touches(c)[n];
  if (touch.read)
    draft_.set_read(c, touch.event, false);
  else if (!touch.event.certain() && step_.operations[touch.event.operation].outputs.size() == 1)
    draft_.cancel(touch.event);
}

// --- what there turns out to be room for

// Lets stay what has room to, and brings back in the other way what is cheaper so.
void GreedyMoves::restore(double units_each, bool relieves) {
  for (const Comeback& comeback : comebacks()) {
    if (stop_.requested()) return;
    stop_.count(units_each);
    if (!comes_at(comeback)) continue;
    improve([&] { connect(comeback.chain, draft_.find(comeback.chain, comeback.event)); }, false);
    if (!comes_at(comeback)) continue;
    improve([&] { exchange(comeback); }, relieves);
  }
}

bool GreedyMoves::comes_at(const Comeback& comeback) const {
  const std::size_t n = draft_.find(comeback.chain, comeback.event);
  const std::vector<Touch>& list = draft_.touches(comeback.chain);
  return n > 0 && n < list.size() && list[n].event == comeback.event && !list[n].stays();
}

void GreedyMoves::exchange(const Comeback& comeback) {
  const std::size_t n = draft_.find(comeback.chain, comeback.event);
  const Touch touch = draft_.touches(comeback.chain)[n];
  connect(comeback.chain, n);
  ++question_;
  if (touch.read && cost_of_making(comeback.chain, touch.event) < kNever)
    make(comeback.chain, touch.event);
  if (touch.makes && cost_of_reading(comeback.chain) < kNever &&
      n < draft_.touches(comeback.chain).size())
    draft_.set_read(comeback.chain, draft_.touches(comeback.chain)[n].event, true);
}

// --- single moves

void GreedyMoves::set_prices(const GreedyRule& rule, double price) {
  rule_ = rule;
  price_ = price;
  set_prices();
}

void GreedyMoves::set_prices(const std::vector<double>& of_stages) {
  price_before_.assign(1, 0.0);
  for (const double price : of_stages) price_before_.push_back(price_before_.back() + price);
}

bool GreedyMoves::end_stay_at(std::int32_t c, std::size_t n, Ending ending) {
  const Event event = draft_.touches(c)[n].event;
  if (!is_stay(c, event)) return false;
  ++question_;
  const double reading = cost_of_reading(c);
  const double making = cost_of_making(c, event);
  const bool reads = (reading < making) == (ending == Ending::Cheaper);
  if ((reads ? reading : making) == kNever) return false;
  if (reads)
    draft_.set_read(c, event, true);
  else
    make(c, event);
  draft_.settle();
  return true;
}

bool GreedyMoves::keep_until(std::int32_t c, std::size_t n) {
  if (n == 0 || draft_.touches(c)[n].stays()) return false;
  connect(c, n);
  draft_.settle();
  return true;
}

bool GreedyMoves::exchange_at(std::int32_t c, std::size_t n) {
  const Touch touch = draft_.touches(c)[n];
  if (n == 0 || touch.stays()) return false;
  exchange(Comeback{.chain = c, .event = touch.event});
  draft_.settle();
  return true;
}

bool GreedyMoves::make_sooner(std::int32_t c, std::size_t n, std::int32_t stage) {
  const Touch touch = draft_.touches(c)[n];
  const Event sooner{stage, stage};
  ++question_;
  if (n == 0 || !touch.makes || cost_of_making(c, sooner) == kNever) return false;
  make(c, sooner);
  connect(c, draft_.find(c, touch.event));
  draft_.settle();
  return true;
}

// Takes the change back unless it makes the schedule cheaper and keeps every limit.
void GreedyMoves::improve(const std::function<void()>& change, bool relieves) {
  mark_ = draft_.mark();
  const double cost = draft_.cost();
  change();
  draft_.settle();
  if (relieves && draft_.cost() < cost) relieve(mark_);
  const double gain = cost - draft_.cost();
  if (draft_.excess_bytes() > 0 || gain <= kRounding * cost || !draft_.keeps_limits())
    draft_.undo(mark_);
}

// Ends stays that came since the mark, until RAM does.
void GreedyMoves::relieve(std::size_t mark) {
  if (draft_.excess_bytes() == 0) return;
  for (const auto& [chain, event] : draft_.placed_since(mark)) {
    const std::size_t n = draft_.find(chain, event);
    const std::size_t before = draft_.mark();
    if (n == draft_.touches(chain).size() || draft_.touches(chain)[n].event != event) continue;
    if (!end_stay_at(chain, n, Ending::Cheaper)) draft_.undo(before);
    if (draft_.excess_bytes() == 0) return;
  }
}

// The dearest first.
std::vector<GreedyMoves::Comeback> GreedyMoves::comebacks() const {
  std::vector<Comeback> list;
  for (std::size_t n = 0; n < step_.chains.size(); ++n) {
    const auto c = static_cast<std::int32_t>(n);
    for (const Touch& touch : draft_.touches(c)) {
      if (touch.stays() || (touch.makes && touch.event.certain())) continue;
      const double cost =
          touch.read ? step_.chains[n].read_cost : step_.operations[*step_.chains[n].producer].cost;
      list.push_back(Comeback{cost, c, touch.event});
    }
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Comeback& a, const Comeback& b) { return a.cost > b.cost; });
  return list;
}

}  // namespace poet
