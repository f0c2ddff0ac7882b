#include "isochor/base/json.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace isochor {
namespace {

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

Json::Json(double value) : text_(std::isfinite(value) ? fmt::format("{}", value) : "null") {}

Json::Json(std::string_view value) : text_(string_literal(value)) {}

std::string Json::text() const {
  std::string out;
  print(out, 0);
  return out;
}

void Json::print(std::string& out, std::size_t indent) const {
  if (kind_ == Kind::Plain) {
    out += text_;
    return;
  }
  const bool object = kind_ == Kind::Object;
  std::size_t length = 0;
  for (const auto& [key, value] : members_) length += key.size() + value.text_.size() + 4;
  const bool one_line = length < 80 && std::ranges::all_of(members_, [](const Member& m) {
                          return m.second.kind_ == Kind::Plain;
                        });
  const std::string gap = one_line ? "" : "\n" + std::string(indent + 2, ' ');
  out += object ? '{' : '[';
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (i > 0) out += one_line ? ", " : ",";
    out += gap;
    if (object) out += string_literal(members_[i].first) + ": ";
    members_[i].second.print(out, indent + 2);
  }
  if (!one_line) out += "\n" + std::string(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace isochor
