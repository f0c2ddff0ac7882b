#include "isochor/base/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace isochor {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Levenshtein distance that counts a swap of neighbours as one, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  // Among equally near names the one with fewer edits wins.
  using Rank = std::pair<std::size_t, std::size_t>;
  Rank best_rank{std::max<std::size_t>(1, word.size() / 3) + 1, 0};
  for (const std::string_view c : candidates) {
    const std::size_t edits = edit_distance(word, c);
    Rank rank{edits, edits};
    // A shortened word ("pois") or one with an ending too many counts as near.
    const std::size_t common = std::min(word.size(), c.size());
    if (common >= 3 && edit_distance(word.substr(0, common), c.substr(0, common)) == 0) {
      rank.first = std::min<std::size_t>(edits, 1);
    }
    if (rank < best_rank) {
      best = c;
      best_rank = rank;
    }
  }
  return best;
}

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  std::string text;
  for (const std::string_view w : words) {
    if (!text.empty()) text += separator;
    text += w;
  }
  return text;
}

std::string suggest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest_name(word, candidates);
  if (!near.empty()) return "did you mean '" + std::string(near) + "'?";
  return "known here: " + join(candidates);
}

}  // namespace isochor
