#include "isochor/scene/printer.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>
#include <vector>

namespace isochor::scene {
namespace {

using Kind = OutlineSection::Kind;

/// Comments line up, but one long value does not push all of them off the screen.
constexpr std::size_t kMaxCommentColumn = 44;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Characters, not bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string dotted(std::string_view path, std::string_view name) {
  return fmt::format("{}{}{}", path, path.empty() || name.empty() ? "" : ".", name);
}

std::string comment(const OutlineField& field) {
  return fmt::format("{}{}{}{}", field.unit, field.unit.empty() ? "" : "; ", one_line(field.doc),
                     field.range.empty() ? "" : fmt::format(" ({})", field.range));
}

void write_lines(std::string& out, const OutlineSection& section) {
  std::vector<std::pair<std::string, std::string>> lines;  // setting and comment
  for (const OutlineField& field : section.fields) {
    lines.emplace_back(field.value.empty() ? fmt::format("# {} = (not set)", field.name)
                                           : fmt::format("{} = {}", field.name, field.value),
                       comment(field));
  }
  for (const OutlineSection& child : section.children) {
    if (child.kind != Kind::List || !child.children.empty()) continue;
    lines.emplace_back(fmt::format("{} = []", child.name), one_line(child.doc));
  }
  std::size_t column = 0;
  for (const auto& line : lines) {
    column = std::min(std::max(column, width(line.first)), kMaxCommentColumn);
  }
  for (const auto& [setting, meaning] : lines) {
    const std::size_t pad = column - std::min(column, width(setting));
    out += fmt::format("{}{:{}}  # {}\n", setting, "", pad, meaning);
  }
}

/// TOML wants a table's own keys before its inner tables, whatever order they are described in.
void write_table(std::string& out, const OutlineSection& section, const std::string& path) {
  write_lines(out, section);
  for (const OutlineSection& child : section.children) {
    const std::string child_path = dotted(path, child.name);
    if (child.kind == Kind::Group) {
      out += fmt::format("\n[{}]  # {}\n", child_path, one_line(child.doc));
      write_table(out, child, child_path);
    }
    for (const OutlineSection& item : child.children) {
      if (item.kind != Kind::Item) continue;
      out += fmt::format("\n[[{}]]  # {}\n", child_path, one_line(child.doc));
      write_table(out, item, child_path);
    }
  }
}

/// A cell must neither end the row nor open another column.
std::string cell(std::string text) {
  text = one_line(std::move(text));
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); }

void write_rows(std::string& out, const OutlineSection& section) {
  out += "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
  for (const OutlineField& field : section.fields) {
    const std::string initial = field.required        ? "required"
                                : field.value.empty() ? "not set"
                                                      : code(cell(field.value));
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.name, field.type, field.unit,
                       initial, cell(field.range), cell(field.doc));
  }
  for (const OutlineSection& child : section.children) {
    out += fmt::format("| `{}` | {} |  |  |  | {} |\n", child.name,
                       child.kind == Kind::List ? "list of tables" : "table", cell(child.doc));
  }
}

void write_reference(std::string& out, const OutlineSection& section, const std::string& header,
                     const std::string& path) {
  out += fmt::format("{}### {}\n\n", out.empty() ? "" : "\n", header);
  write_rows(out, section);
  for (const OutlineSection& child : section.children) {
    const std::string child_path = dotted(path, child.name);
    if (child.kind == Kind::Group) {
      write_reference(out, child, fmt::format("`[{}]`", child_path), child_path);
    } else {
      // All items of a list look alike.
      write_reference(out, child.children.front(), fmt::format("`[[{}]]`", child_path), child_path);
    }
  }
}

}  // namespace

std::string to_toml(const OutlineSection& root) {
  std::string out;
  write_table(out, root, "");
  // A file that opens with a table needs no blank line before it.
  if (out.starts_with('\n')) out.erase(0, 1);
  return out;
}

std::string to_markdown(const OutlineSection& root, std::string_view path) {
  std::string out;
  write_reference(out, root, path.empty() ? "Top level" : fmt::format("`[{}]`", path),
                  std::string(path));
  return out;
}

}  // namespace isochor::scene
