#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isochor::files {

/// An element of an XML file. Text and names are views into the file.
struct XmlElement {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;
  std::string_view text;  ///< the first piece of text that is not blank, entities as written
  std::vector<XmlElement> children;
  std::int64_t line = 0;

  /// Its value, or nullptr.
  const std::string* attribute(std::string_view wanted) const;
  /// The first child of this name, or nullptr.
  const XmlElement* child(std::string_view wanted) const;
};

struct XmlDocument {
  XmlElement root;
  /// What follows the start of the element where reading stopped; empty if it came to the end.
  std::string_view rest;
};

/// Reads the part of XML that data files use: elements, attributes, text, comments, the
/// declaration and the five named entities. What is not well-formed is an input error with its
/// line, as is a document type, CDATA or anything else. Reading stops after the start tag of an
/// element called `stop`, behind which raw bytes may follow. `text` must outlive the document.
XmlDocument parse_xml(const std::string& place, std::string_view text, std::string_view stop = {});

}  // namespace isochor::files
