#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/service/route_answers.h"
#include "poet/service/service.h"
#include "poet/service/training_folder.h"

namespace poet {
namespace {

constexpr double kHeartbeatS = 10;
// Of a file that is larger, only what comes last is told.
constexpr std::int64_t kMostToldBytes = 16 << 20;
// Lines of steps that are told of what was written before, about; a line has some 300 bytes.
constexpr std::int64_t kMostStepsTold = 4000;
constexpr std::int64_t kBytesOfStep = 256;

std::string event_text(const std::string& event, const JsonOut& data, const std::string& id) {
  const std::string number = id.empty() ? "" : fmt::format("id: {}\n", id);
  return fmt::format("{}event: {}\ndata: {}\n\n", number, event, json_line(data));
}

// One who looks on at one training.
class TrainingStream {
 public:
  TrainingStream(Service& service, const RoutedRequest& request, TrainingReader reader)
      : service_(service),
        http_(request.http),
        caller_(request.caller),
        id_(request.id),
        reader_(std::move(reader)) {
    goes_on_ = reader_->go_on_from(http_.header("last-event-id"));
  }

  void run(const StreamWriter& write) {
    if (!goes_on_ && !tell_begin(write)) return;
    double quiet_s = 0;
    while (!service_.queue().stopping() && service_.still_known(caller_) && !http_.is_given_up()) {
      // Asked before reading: what is read then is all that a training that is over wrote.
      const IsRunning running = reader_->is_running();
      std::string text = news();
      const bool has_more = reader_->unread_bytes() > 0;
      if (!has_more) text += running_text(running);
      const bool is_over = !has_more && (running == false || (!running && has_ended_));
      if (is_over) text += event_text("done", {{"gone", false}}, "");
      if (text.empty() && quiet_s >= kHeartbeatS) text = ": still there\n\n";
      if (!text.empty() && !write(text)) return;
      if (!text.empty()) quiet_s = 0;
      if (is_over) return;
      if (has_more) continue;
      if (reader_->is_another() && !take_up_another(write)) return;
      const double begin_s = service_.clock().elapsed_s();
      reader_->wait(kLookForClientS);
      quiet_s += service_.clock().elapsed_s() - begin_s;
    }
  }

 private:
  bool tell_begin(const StreamWriter& write) {
    const std::int64_t told_bytes = std::min(reader_->unread_bytes(), kMostToldBytes);
    every_ = 1 + told_bytes / (kMostStepsTold * kBytesOfStep);
    const bool is_cut = reader_->unread_bytes() > told_bytes;
    reader_->skip_to_last(told_bytes);
    std::string text = event_text("restart", {{"cut", is_cut}}, "");
    if (is_cut) text += event_text("begin", reader_->begin()->members, "");
    return write(text);
  }

  // Of many steps that were taken before anybody looked, some.
  std::string news() {
    std::vector<ProgressRow> rows = reader_->read_on();
    const bool is_all = reader_->unread_bytes() == 0;
    std::vector<ProgressRow> told;
    for (ProgressRow& row : rows) {
      has_ended_ = row.event == "end";
      if (row.event == "step" && ++steps_ % every_ != 0) {
        held_back_ = std::move(row);
        continue;
      }
      if (row.event != "step" && held_back_) told.push_back(*std::move(held_back_));
      held_back_.reset();
      told.push_back(std::move(row));
    }
    if (is_all && held_back_) told.push_back(*std::move(held_back_));
    if (is_all) held_back_.reset();
    if (is_all) every_ = 1;
    std::string text;
    for (std::size_t k = 0; k < told.size(); ++k) {
      const bool is_last = k + 1 == told.size() && !held_back_;
      text +=
          event_text(told[k].event, told[k].members, is_last ? reader_->place().value_or("") : "");
    }
    return text;
  }

  std::string running_text(const IsRunning& running) {
    if (told_running_ && *told_running_ == running) return {};
    told_running_ = running;
    return event_text("running", {{"running", or_null(running)}}, "");
  }

  bool take_up_another(const StreamWriter& write) {
    Result<std::optional<TrainingReader>> found =
        open_training(service_.options().trainings_folder, id_);
    if (!found.ok() || !*found) {
      write(event_text("done", {{"gone", true}}, ""));
      return false;
    }
    reader_.emplace(**std::move(found));
    told_running_.reset();
    return tell_begin(write);
  }

  Service& service_;
  HttpRequest http_;
  Caller caller_;
  std::string id_;
  std::optional<TrainingReader> reader_;
  bool goes_on_ = false;
  std::int64_t every_ = 1;  // of the steps that is told
  std::int64_t steps_ = 0;
  std::optional<ProgressRow> held_back_ = {};
  bool has_ended_ = false;
  std::optional<IsRunning> told_running_ = {};
};

ServiceError none_shown() {
  return not_found("this service shows no trainings: it was started without --trainings FOLDER");
}

}  // namespace

HttpResponse get_trainings(Service& service, const RoutedRequest&) {
  const std::string& folder = service.options().trainings_folder;
  if (folder.empty())
    return {.body = json_text({{"shown", false}, {"trainings", JsonOut::array()}})};
  Result<std::vector<JsonOut>> trainings = trainings_in(folder);
  if (!trainings.ok()) return internal_error(trainings.error());
  return {.body = json_text({{"shown", true}, {"trainings", *std::move(trainings)}})};
}

HttpResponse get_training_events(Service& service, const RoutedRequest& request) {
  const std::string& folder = service.options().trainings_folder;
  if (folder.empty()) return error_response(none_shown());
  Result<std::optional<TrainingReader>> found = open_training(folder, request.id);
  if (!found.ok()) return internal_error(found.error());
  if (!*found) return error_response(not_found("there is no such training"));
  const WaitingPlaces::Place place = service.places().take(request.http.address);
  if (!place) return no_place_to_wait("GET /v1/trainings still works");
  HttpResponse response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  const auto stream = std::make_shared<TrainingStream>(service, request, **std::move(found));
  response.stream = [stream, place](const StreamWriter& write) { stream->run(write); };
  return response;
}

}  // namespace poet
