#include "isochor/scene/document.h"

#include "isochor/scene/notation.h"
#include "tests/scene/failure.h"

namespace isochor::scene {
namespace {

using testing::HasSubstr;

Document parse(std::string_view text) { return parse_toml(text, "scene.toml"); }

Error parse_failure(std::string_view text) {
  return failure_of([&] { parse(text); });
}

Error set_failure(Document& document, std::string_view assignment) {
  return failure_of([&] { set_value(document, assignment); });
}

const Value& at(const Table& table, std::string_view key) {
  const Value* const value = find(table, key);
  if (!value) throw std::out_of_range(std::string(key));
  return *value;
}

const Table& table_at(const Table& table, std::string_view key) {
  return std::get<Table>(at(table, key).data);
}

std::pair<int, int> pair(Mark mark) { return {mark.line, mark.column}; }

TEST(SceneDocument, HoldsEveryKindWithItsPlace) {
  const Document document = parse(
      "flag = true\n"
      "whole = -3\n"
      "real = 0.5\n"
      "  text = 'x'\n"
      "list = [1, 'a',\n  2.5]\n"
      "[a.b]\n"
      "c.d = 1\n"
      "[[item]]\n"
      "[[item]]\n");
  const Table& root = document.root;
  EXPECT_EQ(std::get<bool>(at(root, "flag").data), true);
  EXPECT_EQ(std::get<std::int64_t>(at(root, "whole").data), -3);
  EXPECT_EQ(std::get<double>(at(root, "real").data), 0.5);
  EXPECT_EQ(std::get<std::string>(at(root, "text").data), "x");
  EXPECT_EQ(pair(at(root, "text").mark), std::pair(4, 10));
  EXPECT_EQ(pair(root[3].mark), std::pair(4, 3));
  const Array& list = std::get<Array>(at(root, "list").data);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(pair(list[2].mark), std::pair(6, 3));
  const Table& inner = table_at(table_at(root, "a"), "b");
  EXPECT_EQ(pair(table_at(inner, "c")[0].mark), std::pair(8, 3));
  const Array& items = std::get<Array>(at(root, "item").data);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(pair(items[1].mark), std::pair(10, 1));
}

TEST(SceneDocument, EntriesKeepTheOrderOfTheFile) {
  const Document document = parse("z = 1\nb = 2\n[a]\n[A]\n");
  std::string order;
  for (const Entry& entry : document.root) order += entry.key;
  EXPECT_EQ(order, "zbaA");
}

TEST(SceneDocument, SyntaxErrorHasLineAndColumn) {
  const Error error = parse_failure("a = 1\n\nyoung = 12 kPa\n");
  EXPECT_EQ(error.place(), "scene.toml:3:12");
  EXPECT_THAT(error.problem(), HasSubstr("not valid TOML: "));
  EXPECT_THAT(error.remedy(), HasSubstr("\"12 kPa\""));
}

TEST(SceneDocument, DuplicateKeysAndTablesAreRefused) {
  EXPECT_EQ(parse_failure("a = 1\na = 2\n").place(), "scene.toml:2:5");
  const Error error = parse_failure("[time]\nx = 1\n[time]\ny = 2\n");
  EXPECT_EQ(error.place(), "scene.toml:3:1");
  EXPECT_THAT(error.remedy(), HasSubstr("once"));
  EXPECT_THROW(parse("[body]\n[[body]]\n"), Error);
}

TEST(SceneDocument, FileWithoutKeysIsRefused) {
  for (const std::string_view text : {"", "\n\n", "# nothing\n", "\xEF\xBB\xBF"}) {
    const Error error = parse_failure(text);
    EXPECT_EQ(error.place(), "scene.toml");
    EXPECT_EQ(error.problem(), "the file has no keys");
  }
}

TEST(SceneDocument, WhatIsNotUtf8TextIsRefused) {
  EXPECT_THAT(parse_failure("a = '\xff\xfe'\n").remedy(), HasSubstr("UTF-8"));
  EXPECT_THROW(parse(std::string_view("\0\0\0", 3)), Error);
  EXPECT_THROW(parse(std::string_view("a = 1\0b", 7)), Error);
  EXPECT_THROW(parse("\x7f"
                     "ELF\x02\x01\x01"),
               Error);
  EXPECT_THROW(parse("\xFF\xFE"
                     "a"),
               Error);
}

TEST(SceneDocument, DatesAreRefusedWithTheirPlace) {
  EXPECT_EQ(parse_failure("x = 1\nday = [2020-01-01]\n").place(), "scene.toml:2:8");
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(SceneDocument, DeepNestingIsRefusedNotFollowed) {
  constexpr int kMany = 200000;
  const std::string dots = repeated("a.", kMany);
  for (const std::string& text :
       {"x = " + repeated("[", kMany), "x = " + repeated("{a=", kMany), repeated("[", kMany),
        dots + "a = 1", "[" + dots + "a]", "[[" + dots + "a]]", repeated("a . ", kMany) + "a = 1",
        repeated("'a'.", kMany) + "a = 1", "s = \"\"\"x\"\"\"\"\"\n" + dots + "a = 1",
        "s = \"\\\"\"\n" + dots + "a = 1", "s = '''\n'\n''' # \"\n" + dots + "a = 1",
        "s = ''\n" + dots + "a = 1"}) {
    EXPECT_THAT(parse_failure(text).problem(), HasSubstr("nested too deeply"))
        << text.substr(0, 40);
  }
  EXPECT_EQ(parse_failure("é = 1\n" + dots + "a = 1").place(), "scene.toml:2:32");
}

TEST(SceneDocument, DotsAndBracketsInsideStringsAndCommentsDoNotCount) {
  const std::string dots = repeated("[.", 1000);
  EXPECT_NO_THROW(parse("a = '" + dots + "'\nb = \"\\\"" + dots + "\" # " + dots + "\n"));
  EXPECT_NO_THROW(parse("a = \"\"\"" + dots + "\"\n" + dots + "\"\"\"\nb = '''" + dots + "'''\n"));
  EXPECT_NO_THROW(parse("a = [" + repeated("0.5, ", 1000) + "0.5]\n"));
}

TEST(SceneSet, ReplacesAndAddsValues) {
  Document document = parse("[time]\nframes = 3\n[[body]]\nmesh = 'a'\n[[body]]\nv = [1, 2]\n");
  set_value(document, "time.frames=10");
  set_value(document, "body[0].material.young=\"12 kPa\"");
  set_value(document, " body[1].v[1] = 2.5 ");
  set_value(document, "new.table.flag=true");
  set_value(document, "inline={a = [1]}");
  const Value& frames = at(table_at(document.root, "time"), "frames");
  EXPECT_EQ(std::get<std::int64_t>(frames.data), 10);
  EXPECT_EQ(frames.mark.line, 0);
  const Array& bodies = std::get<Array>(at(document.root, "body").data);
  const Table& material = table_at(std::get<Table>(bodies[0].data), "material");
  EXPECT_EQ(std::get<std::string>(at(material, "young").data), "12 kPa");
  const Array& v = std::get<Array>(at(std::get<Table>(bodies[1].data), "v").data);
  EXPECT_EQ(std::get<double>(v[1].data), 2.5);
  const Table& inner = table_at(table_at(document.root, "new"), "table");
  EXPECT_EQ(std::get<bool>(at(inner, "flag").data), true);
  const Value& list = at(table_at(document.root, "inline"), "a");
  EXPECT_EQ(list.mark.line, 0);
  EXPECT_EQ(std::get<Array>(list.data)[0].mark.line, 0);
}

TEST(SceneSet, WhatIsNoTomlValueIsText) {
  Document document = parse("a = 1\n");
  const auto as_text = [&](std::string_view text) {
    set_value(document, "a=" + std::string(text));
    return std::get<std::string>(at(document.root, "a").data);
  };
  for (const std::string_view text : {"12 kPa", "neo-hookean", "", "2020-01-01", "say \"hi\"",
                                      "1\nb = 2", "[", "a=b", "#1", "é", "C:\\dir"}) {
    EXPECT_EQ(as_text(text), text);
  }
  EXPECT_EQ(as_text(std::string(5000, '[')).size(), 5000u);
}

TEST(SceneSet, MistakesNameTheAssignment) {
  Document document = parse("n = 1\nv = [1]\n[[body]]\n[time]\n");
  EXPECT_EQ(set_failure(document, "body[1].mesh=x").place(), "--set body[1].mesh");
  EXPECT_EQ(set_failure(document, "body[1].mesh=x").problem(),
            "the index is out of range: 'body' has 1 items, counted from 0");
  EXPECT_THAT(set_failure(document, "v[99999999999999999999999]=1").problem(),
              HasSubstr("out of range"));
  EXPECT_THAT(set_failure(document, "hold[0].x=1").problem(), HasSubstr("'hold' is not in"));
  EXPECT_THAT(set_failure(document, "time[0]=1").problem(), HasSubstr("a table, not a list"));
  EXPECT_THAT(set_failure(document, "n.x=1").problem(), HasSubstr("the number 1, not a table"));
  EXPECT_THAT(set_failure(document, "body.mesh=1").problem(),
              HasSubstr("a list of 1, not a table"));
  EXPECT_THAT(set_failure(document, "frames").problem(), HasSubstr("expected key=value"));
  EXPECT_THAT(set_failure(document, "=3").problem(), HasSubstr("expected key=value"));
  EXPECT_THAT(set_failure(document, "a=\xff").problem(), HasSubstr("UTF-8"));
  EXPECT_THAT(set_failure(document, repeated("a.", 100000) + "a=1").problem(), HasSubstr("parts"));
  for (const std::string_view path : {"a..b", ".a", "a.", "v[", "v[]", "v[x]", "v[-1]", "v[0", "v]",
                                      "v[0]x", "v[0][", "[0]", "a b", "\"a\""}) {
    EXPECT_THROW(set_value(document, std::string(path) + "=1"), Error) << path;
  }
}

TEST(SceneNotation, TextSurvivesQuoting) {
  const std::string text("a\"b\\c\n\t\r\x01\x7f é", 13);
  const Document document = parse("a = " + toml_string(text));
  EXPECT_EQ(std::get<std::string>(document.root[0].value.data), text);
}

TEST(SceneNotation, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(excerpt(std::string(47, 'x') + "éé"), '"' + std::string(47, 'x') + "...\"");
  EXPECT_EQ(join_key("a", std::string(100, 'k')), "a.\"" + std::string(48, 'k') + "...\"");
}

}  // namespace
}  // namespace isochor::scene
