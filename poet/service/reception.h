#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/service/fair_turns.h"

namespace poet {

struct ReceptionOptions {
  std::function<double()> elapsed_s;
  int most_open = 1024;        // connections, in all
  int most_open_each = 512;    // and of one address
  int most_served_each = 128;  // requests of one address, at the same time
  double idle_s = 5;           // that a connection may be silent between requests
  double patience_s = 10;      // that the head of a request may take, beyond its bytes
  double least_bytes_per_s = 16'384;
};

// Where connections are until the head of a request is there: one thread accepts them and reads
// heads, so that who says nothing, or speaks slowly, costs a descriptor and no thread. Whole heads
// wait for the threads that serve; addresses take turns (FairTurns). When there are too many
// connections, the one that has been silent longest goes, of the address that has most of them; so
// nobody is kept out by those who only hold connections.
//
// Urgent requests have a queue, and should have threads, of their own.
class Reception {
 public:
  enum class Refusal { HeadTooSlow, HeadTooLarge, TooMany };
  // `refusal` writes what a client is told that is sent away, as bytes for the wire.
  Reception(ReceptionOptions options, std::function<bool(std::string_view head)> is_urgent,
            std::function<std::string(Refusal)> refusal);
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  // Accepts from a socket that listens, until stop(), which any thread may call. At its end, every
  // connection that is not being served is closed.
  Failure run(int listening);
  void stop();

  // A request that is to be served, and the connection it came by.
  struct Visit {
    std::uint64_t number = 0;
    int socket = -1;
    std::string head = {};  // to the empty line
    std::string more = {};  // that came after it
    bool is_urgent = false;
  };
  enum class Lane { Usual, Urgent };
  // For threads that serve: waits for one; nothing: it ends. Each is given back by one of:
  std::optional<Visit> next(Lane lane);
  void keep(const Visit& visit, std::string more);  // for more requests, of which `more` has come
  void dismiss(const Visit& visit);                 // its client reads the end of what was written

 private:
  enum class State { Listening, Ready, Served, Leaving };
  struct Connection {
    int socket = -1;
    std::string who = {};
    std::string buffer = {};
    State state = State::Listening;
    double since_s = 0;  // silent, or leaving; of the first byte of a head
  };
  using Connections = std::map<std::uint64_t, Connection>;

  double now_s() const { return options_.elapsed_s(); }
  void serve_event(std::uint64_t number);
  void accept_all(int listening);
  void receive(int socket, const std::string& who);
  bool make_room(const std::string& who);
  bool send_one_away(const std::string& who);
  std::string who_has_most() const;
  void read_head(std::uint64_t number, Connection& connection);
  void discard(std::uint64_t number, Connection& connection);
  void hear(std::uint64_t number, Connection& connection);
  void watch(std::uint64_t number, const Connection& connection);
  void refuse(std::uint64_t number, Refusal why);
  void leave(Connection& connection);
  void close(std::uint64_t number);
  void sweep();

  ReceptionOptions options_;
  std::function<bool(std::string_view)> is_urgent_;
  std::function<std::string(Refusal)> refusal_;
  int events_ = -1;  // epoll
  int wake_ = -1;    // eventfd: stop()

  std::mutex mutex_;               // of what follows
  std::condition_variable ready_;  // one more request may be served, perhaps
  std::condition_variable urgent_ready_;
  bool ending_ = false;
  std::uint64_t last_number_ = 0;
  Connections connections_;
  std::map<std::string, int> open_by_;
  FairTurns turns_;
  std::deque<std::uint64_t> urgent_;
  double swept_s_ = 0;
};

}  // namespace poet
