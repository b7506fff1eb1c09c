#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "vibe_file_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    for (const auto& path : written_) ::unlink(path.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string write(const std::string& text) {
    written_.push_back(folder_ + "/f" + std::to_string(written_.size()));
    std::ofstream(written_.back(), std::ios::binary) << text;
    return written_.back();
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::vector<std::string> out;
    auto reader = LineReader::open(path);
    EXPECT_TRUE(reader);
    std::string_view line;
    for (;;) {
      const auto more = reader->next(line);
      EXPECT_TRUE(more);
      if (!more || !*more) return out;
      out.emplace_back(line);
      EXPECT_EQ(reader->line_number(), out.size());
    }
  }

  std::string folder_;
  std::vector<std::string> written_;
};

template <class T>
const Diagnostic& only_problem(const Result<T>& result) {
  EXPECT_FALSE(result);
  EXPECT_EQ(result.error().all().size(), 1u);
  return result.error().all().front();
}

TEST_F(Files, ReadsWhole) {
  const std::string text("a\0b\r\n\xFF", 6);
  EXPECT_EQ(read_file(write(text), 100).value(), text);
  EXPECT_EQ(read_file(write(""), 0).value(), "");
  EXPECT_EQ(read_file(write("12345"), 5).value(), "12345");
}

TEST_F(Files, StopsAtTheLimit) {
  EXPECT_EQ(only_problem(read_file(write("123456"), 5)).code, Code::too_large);
  const auto endless = read_file("/dev/zero", 64u << 20);
  EXPECT_EQ(only_problem(endless).code, Code::too_large);
  EXPECT_EQ(only_problem(endless).message, "`/dev/zero` is larger than 64 MiB");
}

TEST_F(Files, SaysWhatIsWrong) {
  const auto missing = read_file(folder_ + "/none", 5);
  EXPECT_EQ(only_problem(missing).code, Code::cannot_read);
  EXPECT_EQ(only_problem(missing).message,
            "cannot read `" + folder_ + "/none`: no such file or directory");
  EXPECT_EQ(only_problem(read_file(folder_, 5)).message,
            "cannot read `" + folder_ + "`: is a directory");
  EXPECT_EQ(only_problem(LineReader::open(folder_)).message,
            "cannot read `" + folder_ + "`: is a directory");
  EXPECT_EQ(only_problem(LineReader::open(folder_ + "/none")).code, Code::cannot_read);
  EXPECT_EQ(display_name("-"), "<stdin>");
  EXPECT_EQ(display_name("a/b"), "a/b");
}

TEST_F(Files, Lines) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines(write("")), Lines{});
  EXPECT_EQ(lines(write("a")), Lines{"a"});
  EXPECT_EQ(lines(write("a\n")), Lines{"a"});
  EXPECT_EQ(lines(write("a\n\nb\r\n\r\nc\rd")), (Lines{"a", "", "b", "", "c\rd"}));
  EXPECT_EQ(lines(write(std::string("a\0b\n", 4))), Lines{std::string("a\0b", 3)});
  EXPECT_EQ(lines(write("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n")), (Lines{"{}", "\xEF\xBB\xBF{}"}));
}

TEST_F(Files, LinesAcrossTheBuffer) {
  std::string text;
  std::vector<std::string> want;
  for (std::size_t i = 0; i < 400; ++i) {
    want.emplace_back(i * 7919 % 150'000, static_cast<char>('a' + i % 26));
    text += want.back() + (i % 2 == 0 ? "\n" : "\r\n");
  }
  EXPECT_EQ(lines(write(text)), want);
}

TEST_F(Files, PaddingAfterEachLineIsReadable) {
  auto reader = LineReader::open(write("abc"));
  ASSERT_TRUE(reader);
  std::string_view line;
  ASSERT_TRUE(reader->next(line).value());
  unsigned sum = 0;
  for (std::size_t i = 0; i < LineReader::kPadding; ++i)
    sum += static_cast<unsigned char>(line.data()[line.size() + i]);
  EXPECT_EQ(sum, 0u);
}

TEST_F(Files, TheLongestLine) {
  const std::string longest(LineReader::kMaxLine, 'x');
  EXPECT_EQ(lines(write(longest + "\r\nnext\n")), (std::vector<std::string>{longest, "next"}));
  EXPECT_EQ(lines(write(longest)), std::vector<std::string>{longest});

  auto reader = LineReader::open(write("first\n" + longest + "x\nlast\n"));
  ASSERT_TRUE(reader);
  std::string_view line;
  ASSERT_TRUE(reader->next(line).value());
  const auto failed = reader->next(line);
  EXPECT_EQ(only_problem(failed).code, Code::too_large);
  EXPECT_NE(only_problem(failed).message.find("line 2 of "), std::string::npos);
  EXPECT_FALSE(reader->next(line).value());
}

TEST_F(Files, AnEndlessLineEnds) {
  auto reader = LineReader::open("/dev/zero");
  ASSERT_TRUE(reader);
  std::string_view line;
  EXPECT_EQ(only_problem(reader->next(line)).code, Code::too_large);
}

TEST_F(Files, StandardInputFromAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(0);
  ::dup2(ends[0], 0);
  ::close(ends[0]);
  ASSERT_EQ(::write(ends[1], "a\nb", 3), 3);
  ::close(ends[1]);
  const auto text = read_file("-", 100);
  ::dup2(saved, 0);
  ::close(saved);
  EXPECT_EQ(text.value(), "a\nb");
}

TEST_F(Files, AReaderCanMove) {
  auto first = LineReader::open(write("a\nb\n"));
  auto second = LineReader::open(write("c\n"));
  std::string_view line;
  ASSERT_TRUE(first->next(line).value());
  LineReader moved = std::move(*first);
  ASSERT_TRUE(moved.next(line).value());
  EXPECT_EQ(line, "b");
  moved = std::move(*second);
  ASSERT_TRUE(moved.next(line).value());
  EXPECT_EQ(line, "c");
}

TEST(Reasons, OfTooManyOpenFilesSayWhatToDo) {
  EXPECT_NE(hint_for(EMFILE, "make it writable").find("ulimit -n"), std::string::npos);
  EXPECT_NE(hint_for(ENFILE).find("fs.file-max"), std::string::npos);
  EXPECT_EQ(hint_for(EACCES, "make it writable"), "make it writable");
  EXPECT_EQ(hint_for(ENOENT), "");
  EXPECT_EQ(reason_and_hint(ENOENT), "no such file or directory");
  EXPECT_NE(reason_and_hint(EMFILE).find("too many open files (allow more"), std::string::npos);
  EXPECT_EQ(lack_of_files(), 0);
}

}  // namespace
}  // namespace vibe::base
