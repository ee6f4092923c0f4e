#include "poet/solve/greedy_recomputation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <vector>

#include "poet/solve/schedule_draft.h"

namespace poet {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Where a move takes nothing away, it is looked at again when bytes cost this many times as much.
constexpr double kLater = 2.0;
constexpr int kDeepest = 200;       // re-executions for one read
constexpr int kMovesPerPrice = 32;  // until prices are worked out again
// Moves that are tried: with one rule, for each stay; and before no further rule is begun.
constexpr std::int64_t kTriesPerStay = 40;
constexpr std::int64_t kEnoughTries = 150'000;

// None is best everywhere.
struct Rule {
  bool reads = true;     // what was made may be read back, and not only be made again
  double haste = 1.1;    // a move that costs this much more than was thought is made at once
  double near_full = 8;  // stages with room for this many of the largest chain count as full
};
constexpr Rule kRules[] = {{},
                           {.reads = false, .near_full = 1000},
                           {.haste = 1.02},
                           {.reads = false, .haste = 1.3},
                           {.haste = 1.02, .near_full = 0}};

// The stay that ends at `event`.
struct Stay {
  double price = 0;  // cost per byte at which it may be worth ending
  std::int32_t chain = 0;
  Event event = {};

  bool operator>(const Stay& other) const {
    if (price != other.price) return price > other.price;
    if (chain != other.chain) return chain > other.chain;
    return event > other.event;
  }
};

class Greedy {
 public:
  Greedy(const Step& step, const Rule& rule, const Stop& stop)
      : step_(step), rule_(rule), stop_(stop), draft_(step), plans_(step.chains.size()) {
    for (const Chain& chain : step.chains) largest_ = std::max(largest_, chain.size_bytes);
  }

  std::optional<EventChoice> run() {
    if (!draft_.keeps_limits()) return std::nullopt;
    begin();
    while (draft_.excess_bytes() > 0) {
      if (stays_.empty() || tries_++ >= most_tries_ || stop_.requested()) return std::nullopt;
      const Stay stay = stays_.top();
      stays_.pop();
      consider(stay);
    }
    restore();
    return draft_.choice();
  }

  std::int64_t tries() const { return tries_; }

 private:
  enum class Way { Stay, Read, Make };
  // How a chain comes to be in RAM in the stage of one question.
  struct Plan {
    std::int64_t question = -1;
    Way way = Way::Stay;
    double cost = 0;
  };

  void begin() {
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      for (const Touch& touch : draft_.touches(static_cast<std::int32_t>(c)))
        add_stay(static_cast<std::int32_t>(c), touch.event, 0);
    most_tries_ = kTriesPerStay * static_cast<std::int64_t>(stays_.size());
    set_prices();
  }

  void add_stay(std::int32_t c, Event event, double price) {
    if (step_.chains[c].size_bytes == 0 || !is_stay(c, event)) return;
    stays_.push(Stay{std::max(price, least_price(c, event)), c, event});
  }

  // When every byte of it, in each stage, is one too many, and what it is made from is there.
  double least_price(std::int32_t c, Event event) const {
    const std::int32_t since = draft_.touches(c)[draft_.find(c, event) - 1].event.stage;
    const Chain& chain = step_.chains[c];
    double cost = cost_of_reading(c);
    if (chain.producer) cost = std::min(cost, step_.operations[*chain.producer].cost);
    return cost / (static_cast<double>(chain.size_bytes) * (event.stage - since - 1));
  }

  // One that leaves room in some stage when it ends.
  bool is_stay(std::int32_t c, Event event) const {
    const std::size_t n = draft_.find(c, event);
    const std::vector<Touch>& list = draft_.touches(c);
    if (n == 0 || n >= list.size() || list[n].event != event || !list[n].stays()) return false;
    return list[n - 1].event.stage + 1 < event.stage;
  }

  // What a byte costs where RAM is full, summed up over the stages before each.
  void set_prices() {
    const double near_full = rule_.near_full * static_cast<double>(largest_);
    const std::int64_t full = step_.budget_bytes - static_cast<std::int64_t>(near_full);
    price_before_.assign(1, 0.0);
    for (std::int32_t t = 0; t < step_.stages(); ++t)
      price_before_.push_back(price_before_.back() + (draft_.ram_bytes(t) > full ? price_ : 0));
    moves_ = 0;
    price_set_ = price_;
  }

  void consider(const Stay& stay) {
    if (!is_stay(stay.chain, stay.event)) return;
    price_ = std::max(price_, stay.price);
    if (moves_ >= kMovesPerPrice || price_ > rule_.haste * price_set_) set_prices();
    const double price = end_stay(stay);
    if (price <= rule_.haste * price_ || (price_ == 0 && price == 0)) {
      accept();
      return;
    }
    draft_.undo(mark_);
    const double again = price < kNever ? price : kLater * price_;
    if (again > 0) stays_.push(Stay{again, stay.chain, stay.event});
  }

  void accept() {
    for (const auto& [chain, event] : draft_.placed_since(mark_)) add_stay(chain, event, price_);
    ++moves_;
    draft_.forget_changes();
  }

  // Tries it, and returns what it costs for each byte of excess that it takes away.
  double end_stay(const Stay& stay) {
    const Way first = cheaper_end(stay);
    double price = try_end(stay, first);
    if (price <= rule_.haste * price_) return price;
    const Way other = first == Way::Read ? Way::Make : Way::Read;
    draft_.undo(mark_);
    return std::min(price, try_end(stay, other));
  }

  Way cheaper_end(const Stay& stay) {
    ++question_;
    const double make = cost_of_making(stay.chain, stay.event);
    return make < cost_of_reading(stay.chain) ? Way::Make : Way::Read;
  }

  double try_end(const Stay& stay, Way way) {
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

  bool may_make(std::int32_t c, std::int32_t stage) const {
    const std::optional<std::int32_t>& producer = step_.chains[c].producer;
    if (!producer || *producer >= stage) return false;
    return step_.operations[*producer].last_stage >= stage && !draft_.runs(Event{stage, *producer});
  }

  double cost_of_reading(std::int32_t c) const {
    const Chain& chain = step_.chains[c];
    if (!chain.may_be_read || (chain.producer && !rule_.reads)) return kNever;
    const bool must_store = chain.may_be_written && !draft_.stored(c);
    return chain.read_cost + (must_store ? chain.write_cost : 0);
  }

  // Of producing it in the stage of `event`, with all that this takes.
  double cost_of_making(std::int32_t c, Event event, int depth = 0) {
    if (!may_make(c, event.stage) || depth > kDeepest) return kNever;
    const Event run{event.stage, *step_.chains[c].producer};
    double cost = step_.operations[run.operation].cost;
    for (const std::int32_t input : step_.operations[run.operation].inputs)
      cost += cost_of_having(input, run, depth + 1);
    return cost;
  }

  double cost_of_having(std::int32_t c, Event event, int depth) {
    Plan& plan = plans_[c];
    if (plan.question == question_) return 0;  // it is paid for already
    plan = Plan{question_};
    const std::vector<Touch>& list = draft_.touches(c);
    const std::size_t n = draft_.find(c, event);
    const bool is_there = n < list.size() && (list[n].event == event || list[n].stays());
    if (is_there || (n > 0 && list[n - 1].event.stage == event.stage)) return 0;
    if (n > 0) plan.cost = rent(c, list[n - 1].event.stage, event.stage);
    const double here = rent(c, event.stage, event.stage + 1);
    consider_way(plan, Way::Read, cost_of_reading(c) + here);
    const double making = cost_of_making(c, event, depth) + here;
    consider_way(plans_[c], Way::Make, making);
    return std::max(0.0, plans_[c].cost - saved_later(c, n, event.stage));
  }

  static void consider_way(Plan& plan, Way way, double cost) {
    if (cost >= plan.cost) return;
    plan.way = way;
    plan.cost = cost;
  }

  double rent(std::int32_t c, std::int32_t from, std::int32_t to) const {
    return static_cast<double>(step_.chains[c].size_bytes) *
           (price_before_[to] - price_before_[from]);
  }

  // When it comes in a stage, it may stay until touch n, where it comes otherwise.
  double saved_later(std::int32_t c, std::size_t n, std::int32_t stage) const {
    const std::vector<Touch>& list = draft_.touches(c);
    if (n >= list.size() || list[n].stays()) return 0;
    const double saved =
        list[n].read ? step_.chains[c].read_cost : step_.operations[*step_.chains[c].producer].cost;
    return std::max(0.0, saved - rent(c, stage, list[n].event.stage));
  }

  // --- and doing it

  void make(std::int32_t c, Event event) {
    const Event run{event.stage, *step_.chains[c].producer};
    draft_.run(run);
    for (const std::int32_t input : step_.operations[run.operation].inputs) bring(input, run);
  }

  // The chain has been given a touch at the event: it stays from the one before until now.
  void bring(std::int32_t c, Event event) {
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
  void connect(std::int32_t c, std::size_t n) {
    const Touch touch = draft_.touches(c)[n];
    if (touch.read)
      draft_.set_read(c, touch.event, false);
    else if (!touch.event.certain() && step_.operations[touch.event.operation].outputs.size() == 1)
      draft_.cancel(touch.event);
  }

  // --- what is there for nothing in the end

  struct Comeback {
    double cost = 0;
    std::int32_t chain = 0;
    Event event = {};
  };

  // Lets stay what has room to, and brings back in the other way what is cheaper so.
  void restore() {
    for (const Comeback& comeback : comebacks()) {
      if (!comes_at(comeback)) continue;
      improve([&] { connect(comeback.chain, draft_.find(comeback.chain, comeback.event)); });
      if (!comes_at(comeback)) continue;
      improve([&] { exchange(comeback); });
    }
  }

  bool comes_at(const Comeback& comeback) const {
    const std::size_t n = draft_.find(comeback.chain, comeback.event);
    const std::vector<Touch>& list = draft_.touches(comeback.chain);
    return n > 0 && n < list.size() && list[n].event == comeback.event && !list[n].stays();
  }

  void exchange(const Comeback& comeback) {
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

  // Takes the change back unless it makes the schedule cheaper and keeps every limit.
  template <typename Change>
  void improve(const Change& change) {
    mark_ = draft_.mark();
    const double cost = draft_.cost();
    change();
    draft_.settle();
    const double gain = cost - draft_.cost();
    if (draft_.excess_bytes() > 0 || gain <= 1e-12 * cost || !draft_.keeps_limits())
      draft_.undo(mark_);
    draft_.forget_changes();
  }

  // The dearest first.
  std::vector<Comeback> comebacks() const {
    std::vector<Comeback> list;
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const auto c = static_cast<std::int32_t>(n);
      for (const Touch& touch : draft_.touches(c)) {
        if (touch.stays() || (touch.makes && touch.event.certain())) continue;
        const double cost = touch.read ? step_.chains[n].read_cost
                                       : step_.operations[*step_.chains[n].producer].cost;
        list.push_back(Comeback{cost, c, touch.event});
      }
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Comeback& a, const Comeback& b) { return a.cost > b.cost; });
    return list;
  }

  const Step& step_;
  Rule rule_;
  const Stop& stop_;
  ScheduleDraft draft_;
  std::int64_t largest_ = 0;
  std::priority_queue<Stay, std::vector<Stay>, std::greater<>> stays_;
  std::int64_t tries_ = 0;
  std::int64_t most_tries_ = 0;
  double price_ = 0;      // of a byte in a stage that is full
  double price_set_ = 0;  // as price_before_ has it
  int moves_ = 0;         // since then
  std::vector<double> price_before_;
  std::vector<Plan> plans_;
  std::int64_t question_ = 0;
  std::size_t mark_ = 0;
};

}  // namespace

std::optional<EventChoice> greedy_recomputation(const Step& step, const Stop& stop) {
  std::optional<EventChoice> best;
  double best_cost = 0;
  std::int64_t tries = 0;
  for (const Rule& rule : kRules) {
    if (tries > kEnoughTries) break;
    Greedy greedy(step, rule, stop);
    std::optional<EventChoice> choice = greedy.run();
    tries += greedy.tries();
    if (!choice) continue;
    *choice = without_waste(step, std::move(*choice));
    const ChoiceFigures figures = figures_of(step, *choice);
    if (!keeps_budgets(step, figures) || (best && figures.cost >= best_cost)) continue;
    best_cost = figures.cost;
    best = std::move(choice);
  }
  return best;
}

}  // namespace poet
