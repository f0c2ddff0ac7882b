#pragma once

#include <exception>
#include <string>

namespace isochor {

/// Whose turn it is to act. Decides the exit status of the program.
enum class Fault {
  Input,       ///< the user's file or argument: exit status 2
  Simulation,  ///< the solver could not go on: exit status 1
  System,      ///< the machine said no (disk full, no memory): exit status 1
};

/// A failure told in the three parts a user needs: where, what, and what to do about it.
/// `place` names a file with line and column, a key, a body or a frame; `problem` says what was
/// found and what was expected; `remedy` is one thing to try.
class Error : public std::exception {
 public:
  Error(Fault fault, std::string place, std::string problem, std::string remedy);

  const char* what() const noexcept override { return message_.c_str(); }
  Fault fault() const { return fault_; }
  const std::string& place() const { return place_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  Fault fault_;
  std::string place_, problem_, remedy_, message_;
};

}  // namespace isochor
