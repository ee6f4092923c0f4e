#pragma once

#include <httplib.h>

#include <cstdint>
#include <functional>
#include <string>

namespace poet {

// How long a client may keep us waiting in one request: `patience_s`, and what its bytes take at
// the least rate.
struct StreamPatience {
  std::function<double()> elapsed_s;
  double patience_s = 10;
  double least_bytes_per_s = 16'384;
  std::function<bool()> must_end = {};  // asked while it is read: no more is; empty: it need not
};

// A connection as httplib reads and writes it, for one request whose head is there: it ends where
// its body ends, whatever httplib makes of the head.
class ClientStream final : public httplib::Stream {
 public:
  // `more` came after the head: the beginning of the body, and what follows it.
  ClientStream(socket_t socket, const StreamPatience& patience, std::string head, std::string more,
               std::int64_t body_bytes);

  // What was read beyond this request: the beginning of the next.
  std::string left_over() const { return beyond_; }

  // Whether some of this request was not read: it stands before the next one on the connection.
  bool has_unread() const { return at_ < buffer_.size() || to_come_bytes_ > 0; }
  // Whether its client took longer to send it than it may.
  bool is_late() const { return is_late_; }

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  using httplib::Stream::write;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short events, double& waited_s, double bytes,
            const std::function<bool()>& must_end) const;
  bool wait_to_read() const;
  ssize_t receive();

  socket_t socket_;
  StreamPatience patience_;
  std::string buffer_;
  std::size_t at_ = 0;  // read so far
  std::string beyond_;
  std::int64_t to_come_bytes_;  // of the body, that were not received
  mutable double read_waited_s_ = 0;
  mutable double write_waited_s_ = 0;
  mutable bool is_late_ = false;
  double read_bytes_ = 0;
  double written_bytes_ = 0;
};

}  // namespace poet
