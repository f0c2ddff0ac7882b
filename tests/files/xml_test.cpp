#include "isochor/files/xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

using ::testing::HasSubstr;

TEST(Xml, ElementsAttributesAndTextAreFound) {
  const std::string text =
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- a -- b -->\n<a x = '1' "
      "y=\"&lt;&amp;&gt;&quot;'\">\n"
      "  <b/> <c k=\"v\"> 1 2 <!-- 3 --></c>\n<b n=\"2\"></b></a>\n<!-- end -->\n";
  const XmlElement root = parse_xml("f", text).root;
  EXPECT_EQ(root.name, "a");
  EXPECT_EQ(root.line, 3);
  EXPECT_EQ(*root.attribute("x"), "1");
  EXPECT_EQ(*root.attribute("y"), "<&>\"'");
  EXPECT_EQ(root.attribute("z"), nullptr);
  EXPECT_EQ(root.text, "");
  ASSERT_EQ(root.children.size(), 3u);
  EXPECT_EQ(root.child("c")->text, " 1 2 ");
  EXPECT_EQ(root.child("c")->line, 4);
  EXPECT_EQ(*root.children[2].attribute("n"), "2");
  EXPECT_EQ(root.child("d"), nullptr);
}

TEST(Xml, ReadingStopsBeforeRawBytes) {
  const XmlDocument document = parse_xml("f", "<a><b/><raw k='v'>_\x01</nonsense<", "raw");
  EXPECT_EQ(document.rest, "_\x01</nonsense<");
  EXPECT_EQ(*document.root.child("raw")->attribute("k"), "v");
}

TEST(Xml, WhatIsNotWellFormedIsRefusedWithItsLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "does not begin with an element"},
      {"hello", "does not begin with an element"},
      {"<a>", "<a> has no end"},
      {"<a></b>", "ended by another name"},
      {"<a", "<a> has no end"},
      {"< a/>", "a name is missing"},
      {"<a x></a>", "has no value"},
      {"<a x=1></a>", "no value in quotes"},
      {"<a x='1></a>", "has no end"},
      {"<a x='1'y='2'/>", "blank is missing"},
      {"<a x='1' x='2'/>", "twice"},
      {"<a x='&nbsp;'/>", "entity 'nbsp'"},
      {"<a x='&amp'/>", "entity 'amp'"},
      {"<a/><b/>", "goes on after"},
      {"<a>1<b/>2</a>", "text in pieces"},
      {"<a><!-- </a>", "a comment has no end"},
      {"<!DOCTYPE a><a/>", "not read"},
      {"<a><![CDATA[x]]></a>", "not read"},
  };
  for (const auto& entry : cases) {
    const std::string text = "\n" + entry.first;
    const Error error = error_of([&] { parse_xml("f.vtu", text); });
    EXPECT_THAT(error.problem(), HasSubstr(entry.second)) << text;
    EXPECT_EQ(error.place(), "f.vtu:2") << text;
  }
}

TEST(Xml, DeepNestingIsRefusedBeforeTheStackEnds) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "<a>";
  EXPECT_THAT(error_of([&] { parse_xml("f", text); }).problem(), HasSubstr("nested"));
}

}  // namespace
}  // namespace isochor::files
