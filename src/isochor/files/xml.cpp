#include "isochor/files/xml.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr int kDeepest = 64;  // of elements within each other: the parser calls itself

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

struct Entity {
  std::string_view name;
  char character;
};
constexpr std::array<Entity, 5> kEntities{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

class XmlParser {
 public:
  XmlParser(const std::string& place, std::string_view text, std::string_view stop)
      : place_(place), text_(text), stop_(stop) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
  }

  XmlDocument parse() {
    XmlDocument document;
    skip_blanks();
    if (accept("<?xml")) skip_past("?>", "the declaration");
    skip_blanks_and_comments();
    if (!next_is("<")) fail("is no XML: it does not begin with an element");
    document.root = element(0);
    if (stopped_) {
      document.rest = text_.substr(at_);
      return document;
    }
    skip_blanks_and_comments();
    if (at_ != text_.size()) fail("goes on after its last element");
    return document;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) {
    throw Error(Fault::Input, fmt::format("{}:{}", place_, line()), problem,
                "write the file again with the program that made it");
  }
  /// Counts on from where it was asked last.
  std::int64_t line() {
    line_ += std::ranges::count(text_.substr(counted_, at_ - counted_), '\n');
    counted_ = at_;
    return line_;
  }
  bool next_is(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool accept(std::string_view word) {
    if (!next_is(word)) return false;
    at_ += word.size();
    return true;
  }
  void skip_past(std::string_view end, std::string_view what) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) fail(fmt::format("{} has no end", what));
    at_ = found + end.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void skip_blanks_and_comments() {
    skip_blanks();
    while (accept("<!--")) {
      skip_past("-->", "a comment");
      skip_blanks();
    }
  }

  std::string_view name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    if (at_ == start) fail("a name is missing, or this is a part of XML that is not read");
    return text_.substr(start, at_ - start);
  }

  std::string value() {
    const char quote = next_is("'") ? '\'' : '"';
    if (!accept(std::string_view(&quote, 1))) fail("an attribute has no value in quotes");
    const std::size_t start = at_;
    skip_past(std::string_view(&quote, 1), "a value in quotes");
    return decoded(text_.substr(start, at_ - 1 - start));
  }

  std::string decoded(std::string_view raw) {
    std::string plain;
    while (!raw.empty()) {
      const std::size_t mark = raw.find('&');
      plain += raw.substr(0, mark);
      if (mark == raw.npos) break;
      raw.remove_prefix(mark + 1);
      const std::size_t end = raw.find(';');
      const auto* known = std::ranges::find(kEntities, raw.substr(0, end), &Entity::name);
      if (end == raw.npos || known == kEntities.end()) {
        fail(fmt::format("the entity {} is not known", in_quotes(raw.substr(0, end))));
      }
      plain += known->character;
      raw.remove_prefix(end + 1);
    }
    return plain;
  }

  /// From its "<" to its end, or to where reading stops.
  XmlElement element(int depth) {
    if (depth > kDeepest) fail("has elements nested too deeply");
    accept("<");
    XmlElement result{.line = line()};
    result.name = name();
    skip_blanks();
    while (!next_is(">") && !next_is("/>")) {
      if (at_ == text_.size()) fail(fmt::format("<{}> has no end", result.name));
      if (!is_blank(text_[at_ - 1])) fail("a blank is missing between two attributes");
      const std::string_view key = name();
      if (result.attribute(key) != nullptr) fail(fmt::format("has {} twice", in_quotes(key)));
      skip_blanks();
      if (!accept("=")) fail(fmt::format("the attribute {} has no value", in_quotes(key)));
      skip_blanks();
      result.attributes.emplace_back(key, value());
      skip_blanks();
    }
    if (accept("/>")) return result;
    accept(">");
    if (!stop_.empty() && result.name == stop_) {
      stopped_ = true;
      return result;
    }
    contents(result, depth);
    return result;
  }

  void contents(XmlElement& parent, int depth) {
    while (!stopped_) {
      const std::size_t start = at_;
      at_ = std::min(text_.find('<', at_), text_.size());
      const std::string_view piece = text_.substr(start, at_ - start);
      if (piece.find_first_not_of(kBlanks) != piece.npos) {
        if (!parent.text.empty()) fail(fmt::format("<{}> has its text in pieces", parent.name));
        parent.text = piece;
      }
      if (at_ == text_.size()) fail(fmt::format("<{}> has no end", parent.name));
      if (accept("<!--")) {
        skip_past("-->", "a comment");
      } else if (accept("</")) {
        if (name() != parent.name) fail(fmt::format("<{}> is ended by another name", parent.name));
        skip_blanks();
        if (!accept(">")) fail(fmt::format("<{}> has no end", parent.name));
        return;
      } else {
        parent.children.push_back(element(depth + 1));
      }
    }
  }

  const std::string& place_;
  std::string_view text_, stop_;
  std::size_t at_ = 0, counted_ = 0;
  std::int64_t line_ = 1;
  bool stopped_ = false;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return &value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

XmlDocument parse_xml(const std::string& place, std::string_view text, std::string_view stop) {
  return XmlParser(place, text, stop).parse();
}

}  // namespace isochor::files
