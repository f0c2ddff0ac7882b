#include "isochor/files/streamed_file.h"

#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "tests/files/temporary_folder.h"

namespace isochor::files {
namespace {

TEST(StreamedFile, HoldsWhatWasAppendedInOrder) {
  const TemporaryFolder folder;
  // More than goes to the disk at once, in pieces that do not divide it.
  std::string expected;
  StreamedFile file(folder / "a");
  for (int i = 0; i < 900; ++i) {
    const std::string piece(9973, static_cast<char>('a' + i % 26));
    expected += piece;
    file.append(piece);
    ASSERT_EQ(file.size(), expected.size());
  }
  file.commit();
  EXPECT_TRUE(read_text_file(folder / "a") == expected);
  EXPECT_EQ(folder.file_count(), 1u) << "no temporary is left";
}

TEST(StreamedFile, IsThereOnlyAfterCommit) {
  const TemporaryFolder folder;
  write_quickly(folder / "a", "earlier");
  {
    StreamedFile file(folder / "a");
    file.append("half");
    EXPECT_EQ(read_text_file(folder / "a"), "earlier");
  }
  EXPECT_EQ(read_text_file(folder / "a"), "earlier");
  EXPECT_EQ(folder.file_count(), 1u) << "nothing is left of what was not committed";
  StreamedFile file(folder / "a");
  file.append("whole");
  file.commit();
  EXPECT_EQ(read_text_file(folder / "a"), "whole");
}

TEST(StreamedFile, TakesSectionsAndIsMendedInPlace) {
  const TemporaryFolder folder;
  const std::string long_section(5 << 20, 's');
  StreamedFile file(folder / "a"), section(folder / "b");
  section.append(long_section);
  section.append("end");
  file.append("begin");
  file.take(section);
  file.append("!");
  const std::string mended = "B";
  file.overwrite(0, std::as_bytes(std::span(mended)));
  file.append("?");
  EXPECT_EQ(file.size(), 5 + long_section.size() + 5);
  file.commit();
  EXPECT_TRUE(read_text_file(folder / "a") == "Begin" + long_section + "end!?");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(StreamedFile, RefusesAPlaceThatCannotBeWritten) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { StreamedFile(folder / "missing/a"); });
  EXPECT_EQ(error.fault(), Fault::System);
}

}  // namespace
}  // namespace isochor::files
