#include "isochor/run/report_server.h"

#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::run {
namespace {

class ReportServer : public ::testing::Test {
 protected:
  void SetUp() override {
    make_directory(run_.root);
    write_file_atomic(run_.report(), "<p>report</p>");
    write_file_atomic(run_.manifest(), "{}");
    write_file_atomic(folder_ / "secret.txt", "secret");
    write_file_atomic(folder_ / "run.txt", "secret");
    std::filesystem::create_symlink(folder_ / "secret.txt", run_.root / "link.txt");
  }

  HttpResponse get(const std::string& target, const std::string& host = "127.0.0.1:8123",
                   std::optional<std::string> origin = {}, const std::string& method = "GET") {
    return answer_request(run_, 8123, {method, target, host, std::move(origin)});
  }

  files::TemporaryFolder folder_;
  RunDirectory run_{folder_ / "run"};
};

TEST_F(ReportServer, GivesFilesOfTheRun) {
  EXPECT_EQ(get("/").body, "<p>report</p>");
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/report.html?x=1").body, "<p>report</p>");
  EXPECT_EQ(get("/run.json", "localhost:8123").body, "{}");
  EXPECT_EQ(get("/%72un.json").body, "{}");
  EXPECT_EQ(get("/frames/").status, 404);
}

TEST_F(ReportServer, RefusesForeignNames) {
  // A name of the attacker that leads here would make this server one of theirs.
  for (const char* host : {"evil.example:8123", "evil.example", "127.0.0.1:80", "127.0.0.1", ""}) {
    EXPECT_EQ(get("/", host).status, 403) << host;
  }
}

TEST_F(ReportServer, RefusesForeignOrigins) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8123",
                             "http://127.0.0.1:81", "http://127.0.0.1:8123.evil.example"}) {
    EXPECT_EQ(get("/", "127.0.0.1:8123", origin).status, 403) << origin;
  }
  EXPECT_EQ(get("/", "127.0.0.1:8123", "http://127.0.0.1:8123").status, 200);
}

TEST_F(ReportServer, RefusesPathsOutsideOfTheRun) {
  for (const char* target : {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
                             "/link.txt", "//etc/passwd", "/../run.txt", "/.."}) {
    EXPECT_EQ(get(target).status, 404) << target;
  }
  for (const char* target : {"secret", "/%", "/%zz", "/a%00b", "/..\\secret.txt", "*"}) {
    EXPECT_EQ(get(target).status, 400) << target;
  }
}

TEST_F(ReportServer, AnswersReadingOnly) {
  EXPECT_EQ(get("/", "127.0.0.1:8123", {}, "POST").status, 405);
  EXPECT_EQ(get("/", "127.0.0.1:8123", {}, "HEAD").status, 200);
}

}  // namespace
}  // namespace isochor::run
