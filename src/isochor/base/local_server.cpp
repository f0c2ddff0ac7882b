// Together with file.cpp the only platform calls of the project.
#include "isochor/base/local_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "isochor/base/error.h"

namespace isochor {
namespace {

constexpr std::size_t kLongestHead = 16384;
constexpr int kPollMilliseconds = 100;
constexpr std::chrono::seconds kPatience{5};  // with a client that is slow

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// True once the descriptor can be used; false when time or patience is over.
bool wait_for(int descriptor, short event, std::chrono::steady_clock::time_point until,
              const std::atomic<bool>& cancelled) {
  while (!cancelled && std::chrono::steady_clock::now() < until) {
    pollfd waiting{descriptor, event, 0};
    const int ready = ::poll(&waiting, 1, kPollMilliseconds);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

std::optional<HttpRequest> read_request(int client, const std::atomic<bool>& cancelled) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  std::string head;
  while (head.find("\r\n\r\n") == std::string::npos) {
    char piece[4096];
    if (head.size() > kLongestHead || !wait_for(client, POLLIN, until, cancelled)) return {};
    const ssize_t n = ::recv(client, piece, sizeof piece, 0);
    if (n <= 0) return {};
    head.append(piece, static_cast<std::size_t>(n));
  }
  return parse_request(head);
}

void send_all(int client, std::string_view text, const std::atomic<bool>& cancelled) {
  while (!text.empty()) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    if (!wait_for(client, POLLOUT, until, cancelled)) return;
    const ssize_t n = ::send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Bad Request";
  }
}

}  // namespace

std::optional<HttpRequest> parse_request(std::string_view head) {
  const auto next_line = [&]() -> std::optional<std::string_view> {
    const std::size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return {};
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    return line;
  };
  const std::optional<std::string_view> first = next_line();
  if (!first) return {};
  const std::size_t space = first->find(' '), last = first->rfind(' ');
  if (space == std::string_view::npos || last == space) return {};
  if (!first->substr(last + 1).starts_with("HTTP/1.")) return {};
  HttpRequest request{.method = std::string(first->substr(0, space)),
                      .target = std::string(first->substr(space + 1, last - space - 1)),
                      .host = {},
                      .origin = {}};
  int hosts = 0, origins = 0;
  for (auto line = next_line(); line && !line->empty(); line = next_line()) {
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view name = line->substr(0, colon), value = trimmed(line->substr(colon + 1));
    if (same_name(name, "host") && ++hosts > 0) request.host = value;
    if (same_name(name, "origin") && ++origins > 0) request.origin = std::string(value);
  }
  // Two of them are an attempt to be understood in two ways.
  if (hosts > 1 || origins > 1) return {};
  return request;
}

LocalServer::LocalServer(int port) {
  const auto refuse = [&](int error) {
    const std::string why = std::generic_category().message(error);
    throw Error(Fault::Input, "--port", fmt::format("cannot listen on port {}: {}", port, why),
                "choose another one, or none");
  };
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) refuse(errno);
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, plain, size) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, plain, &size) != 0) {
    const int error = errno;
    ::close(socket_);
    refuse(error);
  }
  port_ = ntohs(address.sin_port);
}

LocalServer::~LocalServer() { ::close(socket_); }

void LocalServer::serve(const std::function<HttpResponse(const HttpRequest&)>& answer,
                        const std::atomic<bool>& cancelled) {
  while (!cancelled) {
    const auto soon = std::chrono::steady_clock::now() + kPatience;
    if (!wait_for(socket_, POLLIN, soon, cancelled)) continue;
    const Descriptor client(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
    if (client.get() < 0) continue;
    const std::optional<HttpRequest> request = read_request(client.get(), cancelled);
    const HttpResponse response =
        request ? answer(*request) : HttpResponse{.status = 400, .body = "not a request\n"};
    const bool head_only = request && request->method == "HEAD";
    send_all(
        client.get(),
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                    "Connection: close\r\nCache-Control: no-store\r\n"
                    "X-Content-Type-Options: nosniff\r\n"
                    "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
                    response.status, reason(response.status), response.type, response.body.size()),
        cancelled);
    if (!head_only) send_all(client.get(), response.body, cancelled);
  }
}

}  // namespace isochor
