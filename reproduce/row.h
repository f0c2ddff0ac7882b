#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What experiments and benchmarks report, and the one rule for whether a claim holds.
namespace isochor::reproduce {

/// How a measured number stands to its bound; Shown makes no claim.
enum class Relation { Shown, AtMost, AtLeast, Below, Above };
std::string_view symbol(Relation relation);

/// Empty where there is no claim or no measurement to judge it by.
std::optional<bool> holds(Relation relation, std::optional<double> measured,
                          std::optional<double> bound);

/// "<= 1: holds"; nothing where there is no claim.
std::string claim_text(Relation relation, std::optional<double> measured,
                       std::optional<double> bound);

/// One number of a paper's experiment beside ours.
struct Row {
  std::string id;  ///< "mcadams/hourglass"
  std::string quantity;
  std::string variant;          ///< "paper", "best", or a comparator
  std::string source;           ///< where the paper says so
  std::optional<double> paper;  ///< the paper's number, where it gives one
  std::optional<double> ours;   ///< empty: could not run, `note` says why
  std::string unit;
  Relation relation = Relation::Shown;
  std::optional<double> bound;
  std::string note;
};

/// One rate of a benchmark beside the machine's limit and the best alternative.
struct BenchRow {
  std::string name;
  std::optional<double> value;
  std::string unit;
  std::optional<double> limit;
  std::string limit_kind;  ///< what the limit is computed from
  std::optional<double> peer;
  std::string peer_name;
  Relation relation = Relation::Shown;
  std::optional<double> bound;
  std::string note;
};

}  // namespace isochor::reproduce
