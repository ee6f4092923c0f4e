#pragma once

#include <httplib.h>

#include <functional>
#include <optional>
#include <string>

namespace poet {

// How long a client may keep us waiting in one request: `patience_s`, and what its bytes take at
// the least rate.
struct StreamPatience {
  std::function<double()> elapsed_s;
  double patience_s = 10;
  double least_bytes_per_s = 16'384;
};

// A connection as httplib reads and writes it, for one request. The head of the request is read
// here first, whole and bounded, and without what POET does not serve: ranges, which make answers
// larger than what they are of.
class ClientStream final : public httplib::Stream {
 public:
  ClientStream(socket_t socket, const StreamPatience& patience, std::string left_over);

  enum class Head { Read, Closed, TooSlow, TooLarge };
  Head read_head();
  // What was read beyond this request: the beginning of the next.
  std::string left_over() const { return buffer_.substr(at_); }

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  using httplib::Stream::write;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait(short events, double& waited_s, double bytes) const;
  bool wait_to_read() const;
  ssize_t receive();

  socket_t socket_;
  StreamPatience patience_;
  std::string buffer_;
  std::size_t at_ = 0;  // read so far
  mutable double read_waited_s_ = 0;
  mutable double write_waited_s_ = 0;
  double read_bytes_ = 0;
  double written_bytes_ = 0;
};

}  // namespace poet
