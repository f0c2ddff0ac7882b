#include "isochor/grid/cell_contents.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace isochor::grid {

void CellContents::look_at(const Index3& cell, std::span<const Touch> touches) {
  const Vec3d low = box_.corner(cell);
  touches_ = touches;
  corners_.resize(touches.size());
  for (std::size_t i = 0; i < touches.size(); ++i) {
    corners_[i] = body_.corners(touches[i].triangle());
    for (Vec3d& p : corners_[i]) p = (p - low) * (1 / box_.spacing);
  }
  sets_ = geometry::DisjointSets(lines_.sample_count() + touches.size());
  stretches_.clear();
  arrivals_.clear();
  find_crossings();
  ask_samples(low);
  for (int line = 0; line < lines_.line_count(); ++line) follow_line(line);
}

void CellContents::find_crossings() {
  crossings_.clear();
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    if (touches_[i].enters()) {
      lines_.find_crossings(corners_[i], static_cast<std::int32_t>(i), crossings_);
    }
  }
  std::sort(crossings_.begin(), crossings_.end());
  line_starts_.assign(lines_.line_count() + 1, 0);
  for (const Crossing& c : crossings_) ++line_starts_[c.line + 1];
  std::inclusive_scan(line_starts_.begin(), line_starts_.end(), line_starts_.begin());
}

/// Calls f(sample, next sample, crossings between) along a line; the first and the last sample are
/// kNone, for the walls.
template <class F>
void CellContents::for_each_step(int line, F&& f) const {
  auto rest = std::span(crossings_)
                  .subspan(line_starts_[line], line_starts_[line + 1] - line_starts_[line]);
  Element from = kNone;
  for (int step = 0; step < lines_.subdivision(); ++step) {
    const double end = lines_.coordinate(line, step);
    const auto passed =
        std::find_if(rest.begin(), rest.end(), [&](const Crossing& c) { return c.at > end; });
    const auto count = static_cast<std::size_t>(passed - rest.begin());
    const Element to = lines_.sample(line, step);
    f(from, to, rest.first(count));
    rest = rest.subspan(count);
    from = to;
  }
  f(from, kNone, rest);
}

/// The winding number, once for all samples between which no triangle passes.
void CellContents::ask_samples(const Vec3d& low) {
  for (int line = 0; line < lines_.line_count(); ++line) {
    for_each_step(line, [&](Element from, Element to, std::span<const Crossing> between) {
      if (from != kNone && to != kNone && between.empty()) unite(from, to);
    });
  }
  winding_.assign(lines_.sample_count(), 0);
  for (Element s = 0; s < lines_.sample_count(); ++s) {
    const Element first = name(s);
    if (first < s) {
      winding_[s] = winding_[first];
      continue;
    }
    const double w = (*body_.winding)(low + box_.spacing * lines_.position(s));
    const int whole = static_cast<int>(std::lround(w));
    winding_[s] = w > 0.5 ? std::max(1, whole) : std::min(0, whole);
  }
}

void CellContents::follow_line(int line) {
  line_ = line;
  double at = 0;
  int step = 0;
  for_each_step(line, [&](Element from, Element to, std::span<const Crossing> between) {
    const double end = to == kNone ? 1 : lines_.coordinate(line, step++);
    if (from == kNone) {
      // From the first sample backward to the wall.
      arrive(lines_.face_slot(line, false),
             follow(to, winding_[to], end, between.rbegin(), between.rend(), -1, 0));
    } else if (to == kNone) {
      arrive(lines_.face_slot(line, true),
             follow(from, winding_[from], at, between.begin(), between.end(), 1, 1));
    } else {
      join_samples(from, at, between, to, end);
    }
    at = end;
  });
}

/// Goes from an element along a line to `end`. Returns whose material arrives there, if any.
template <class Iterator>
CellContents::Element CellContents::follow(Element from, int winding, double at, Iterator first,
                                           Iterator last, int direction, double end) {
  Element element = winding > 0 ? from : kNone;
  const auto go = [&](double to) {
    if (element != kNone) {
      stretches_.push_back({element, line_, std::min(at, to), std::max(at, to)});
    }
    at = to;
  };
  for (Iterator c = first; c != last; ++c) {
    go(c->at);
    if (element != kNone) unite(element, this->element(c->touch));
    winding -= c->rise * direction;
    element = winding > 0 ? this->element(c->touch) : kNone;
  }
  go(end);
  return element;
}

/// The same between two samples. What is before the first crossing and after the last is known from
/// the samples, whichever way the triangles face.
void CellContents::join_samples(Element from, double at, std::span<const Crossing> between,
                                Element to, double end) {
  if (between.empty()) {
    if (is_inside(from)) stretches_.push_back({from, line_, at, end});
    return;
  }
  const Crossing& last = between.back();
  const Element before =
      follow(from, winding_[from], at, between.begin(), between.end() - 1, 1, last.at);
  if (before != kNone) unite(before, element(last.touch));
  if (!is_inside(to)) return;
  unite(element(last.touch), to);
  stretches_.push_back({to, line_, last.at, end});
}

void CellContents::arrive(int slot, Element element) {
  if (element != kNone) arrivals_.push_back({slot, element});
}

std::vector<CellContents::Element> CellContents::samples_inside() const {
  std::vector<Element> samples;
  for (Element s = 0; s < lines_.sample_count(); ++s) {
    if (is_inside(s)) samples.push_back(s);
  }
  return samples;
}

bool CellContents::probe(Element from, const Vec3d& start, int winding, Element to,
                         const Vec3d& end) {
  if (name(from) == name(to)) return true;
  const geometry::Ray ray(start, end - start);
  probe_crossings_.clear();
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    if (!touches_[i].enters() || element(i) == to || element(i) == from) continue;
    const std::optional<double> at = ray.meets(corners_[i]);
    if (!at || *at <= 0 || *at >= 1) continue;
    const auto& [a, b, c] = corners_[i];
    const int rise = dot(cross(b - a, c - a), ray.direction()) > 0 ? 1 : -1;
    probe_crossings_.push_back({0, *at, static_cast<std::int32_t>(i), rise});
  }
  std::sort(probe_crossings_.begin(), probe_crossings_.end());
  // An edge that the ray meets is met by both its triangles.
  const auto same = [](const Crossing& c, const Crossing& d) {
    return c.rise == d.rise && d.at - c.at < 1e-9;
  };
  probe_crossings_.erase(std::unique(probe_crossings_.begin(), probe_crossings_.end(), same),
                         probe_crossings_.end());
  const std::size_t measured = stretches_.size();
  const Element arrived =
      follow(from, winding, 0, probe_crossings_.begin(), probe_crossings_.end(), 1, 1);
  stretches_.resize(measured);
  if (arrived != kNone) unite(arrived, to);
  return name(from) == name(to);
}

bool CellContents::is_orderly() const {
  // Faces that lie in each other are crossed in any order.
  constexpr double kSamePlace = 1e-9;
  bool orderly = true;
  for (int line = 0; line < lines_.line_count() && orderly; ++line) {
    for_each_step(line, [&](Element from, Element to, std::span<const Crossing> between) {
      // What lies before the first sample is known from there.
      int winding = from == kNone ? winding_[to] : winding_[from];
      if (from == kNone) {
        for (const Crossing& c : between) winding += c.rise;
      }
      orderly = orderly && (winding == 0 || winding == 1);
      for (std::size_t i = 0; i < between.size(); ++i) {
        winding -= between[i].rise;
        const bool last = i + 1 == between.size();
        const bool thin = !last && between[i + 1].at - between[i].at < kSamePlace;
        orderly = orderly && (thin || winding == 0 || winding == 1);
      }
      if (from != kNone && to != kNone) orderly = orderly && winding == winding_[to];
    });
  }
  return orderly;
}

int CellContents::steepest_axis() const {
  std::array<int, 3> met{};
  for (const Crossing& c : crossings_) ++met[lines_.axis(c.line)];
  return static_cast<int>(std::max_element(met.begin(), met.end()) - met.begin());
}

}  // namespace isochor::grid
