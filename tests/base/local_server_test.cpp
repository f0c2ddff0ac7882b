#include "isochor/base/local_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "isochor/base/error.h"

namespace isochor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Everything that the server on a port answers to these bytes.
std::string ask(int port, const std::string& bytes) {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(s, SHUT_WR);
  std::string all;
  char piece[4096];
  for (ssize_t n; (n = ::recv(s, piece, sizeof piece, 0)) > 0;) {
    all.append(piece, static_cast<std::size_t>(n));
  }
  ::close(s);
  return all;
}

TEST(LocalServer, AnswersOneAfterAnotherUntilCancelled) {
  LocalServer server(0);
  ASSERT_GT(server.port(), 0);
  std::atomic<bool> cancelled{false};
  const std::string large(1 << 20, 'x');
  std::thread thread([&] {
    server.serve(
        [&](const HttpRequest& r) {
          return HttpResponse{.body = r.target == "/large" ? large : r.target + " " + r.host};
        },
        cancelled);
  });
  EXPECT_THAT(ask(server.port(), "GET /a HTTP/1.1\r\nhost: here\r\n\r\n"),
              EndsWith("\r\n\r\n/a here"));
  EXPECT_THAT(ask(server.port(), "GET /large HTTP/1.1\r\nHost: here\r\n\r\n"), EndsWith(large));
  EXPECT_THAT(ask(server.port(), "HEAD /a HTTP/1.1\r\nHost: here\r\n\r\n"), EndsWith("\r\n\r\n"));
  EXPECT_THAT(ask(server.port(), "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask(server.port(), ""), HasSubstr("400"));
  EXPECT_THAT(ask(server.port(), std::string(100000, 'a')), ::testing::AnyOf(HasSubstr("400"), ""));
  cancelled = true;
  thread.join();
}

TEST(LocalServer, APortThatIsTakenIsAnInputError) {
  const LocalServer first(0);
  EXPECT_THROW(LocalServer{first.port()}, Error);
}

TEST(HttpRequest, HeadersAreFoundInAnyCase) {
  const auto request =
      parse_request("GET /a%20b HTTP/1.1\r\nHOST:  127.0.0.1:1 \r\norigin: http://x\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->target, "/a%20b");
  EXPECT_EQ(request->host, "127.0.0.1:1");
  EXPECT_EQ(request->origin, "http://x");
}

TEST(HttpRequest, WhatCanBeReadInTwoWaysIsRefused) {
  EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"));
  EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\nOrigin: a\r\norigin: b\r\n\r\n"));
  EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\nHost a\r\n\r\n"));
  EXPECT_FALSE(parse_request("GET /\r\n\r\n"));
  EXPECT_FALSE(parse_request("GET / SPDY/3\r\n\r\n"));
  EXPECT_FALSE(parse_request(""));
}

}  // namespace
}  // namespace isochor
