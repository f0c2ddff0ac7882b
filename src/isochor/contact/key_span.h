#pragma once

#include <algorithm>
#include <cstddef>

namespace isochor::contact {

/// Where a time is among keys in order of time: part of the way from one to the next. Before the
/// first and after the last both are the same. A time at a key belongs to the part before it.
struct KeySpan {
  std::size_t from, to;
  double part;    ///< of the way, 0 to 1
  double length;  ///< s
};

template <class Keys>
KeySpan key_span(const Keys& keys, double time) {
  const auto next =
      std::ranges::lower_bound(keys, time, {}, [](const auto& key) { return key.time; });
  const auto to = static_cast<std::size_t>(next - keys.begin());
  if (to == 0) return {0, 0, 0, 1};
  if (to == keys.size()) return {to - 1, to - 1, 0, 1};
  const double length = keys[to].time - keys[to - 1].time;
  return {to - 1, to, (time - keys[to - 1].time) / length, length};
}

}  // namespace isochor::contact
