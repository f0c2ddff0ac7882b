#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace isochor {

/// The parts of a request that a page's server looks at.
struct HttpRequest {
  std::string method;                 ///< as GET
  std::string target;                 ///< as /report.html
  std::string host;                   ///< empty where there is none
  std::optional<std::string> origin;  ///< of the page that asks, where a browser says so
};

/// The request that these lines are, up to and with the empty one; nothing if they are none.
std::optional<HttpRequest> parse_request(std::string_view head);

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers requests of this machine only: it listens on 127.0.0.1, one connection at a time.
class LocalServer {
 public:
  /// Port 0 takes any that is free. A port that is taken is an input error.
  explicit LocalServer(int port);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  int port() const { return port_; }

  /// Returns soon after `cancelled` was set. What a client does wrong ends its connection only.
  void serve(const std::function<HttpResponse(const HttpRequest&)>& answer,
             const std::atomic<bool>& cancelled);

 private:
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace isochor
