#pragma once

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/files/temporary_folder.h"

namespace isochor::app {

struct Outcome {
  int status = -1;  ///< exit status, or 128 + signal
  std::string out, err;
};

struct Launch {
  std::string out_file;  ///< where standard output goes; empty: captured
  rlim_t largest_file = RLIM_INFINITY;
};

/// Starts the program; `wait_for` decides how it ends.
inline pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& out,
                   const std::filesystem::path& err, const Launch& launch = {}) {
  std::vector<std::string> words{ISOCHOR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int o = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int e = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(o, 1);
  ::dup2(e, 2);
  const rlimit limit{launch.largest_file, launch.largest_file};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Runs the program to its end.
inline Outcome run_program(const files::TemporaryFolder& folder,
                           const std::vector<std::string>& arguments, const Launch& launch = {}) {
  const auto err = folder / "stderr.txt";
  const std::filesystem::path out =
      launch.out_file.empty() ? folder / "stdout.txt" : std::filesystem::path(launch.out_file);
  Outcome outcome;
  outcome.status = wait_for(start(arguments, out, err, launch));
  if (launch.out_file.empty()) outcome.out = slurp(out);
  outcome.err = slurp(err);
  return outcome;
}

}  // namespace isochor::app
