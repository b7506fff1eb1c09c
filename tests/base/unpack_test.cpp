// Packed files: sound ones, damaged ones, and ones that want too much.
#include "base/unpack.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "base/repeated.h"
#include "base/zip_builder.h"

namespace vibe::base {

namespace {

using test::repeated;
using std::string_literals::operator""s;

std::string gzipped(const std::string& text) {
  std::string copy = text;
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + text.size() / 1000 + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(
      ZSTD_compress2(context.get(), packed.data(), packed.size(), text.data(), text.size()));
  return packed;
}

const std::string kSkippable = "\x5A\x2A\x4D\x18\x03\0\0\0abc"s;

std::string changed(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}
// So many bytes before the end.
std::string changed_before_end(const std::string& bytes, std::size_t before) {
  return changed(bytes, bytes.size() - before);
}
std::string without_last(const std::string& bytes, std::size_t count) {
  return bytes.substr(0, bytes.size() - count);
}

// Bytes that no packing makes fewer.
std::string noise(std::size_t count) {
  std::string out;
  for (std::uint64_t state = 1; out.size() < count;) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    out += static_cast<char>(state >> 56);
  }
  return out;
}
const std::string kLog = repeated("a line of a log\n", 20'000), kNoise = noise(300'000);

std::string message(const Diagnostics& problems) {
  EXPECT_EQ(problems.all().size(), 1u);
  const bool is_bomb = problems.all()[0].message.find("unpacks to more than") != std::string::npos;
  EXPECT_EQ(problems.all()[0].code, is_bomb ? Code::too_large : Code::bad_archive);
  EXPECT_EQ(problems.all()[0].source->name(), "a.log");
  return problems.all()[0].message;
}

struct Outcome {
  std::string text, problem;
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.text.size() << " bytes, then `" << outcome.problem
             << "`: " << testing::PrintToString(outcome.text.substr(0, 100));
}

Outcome read_all(ByteSource& source, std::size_t piece = 4096) {
  Outcome out;
  std::string buffer(piece, '\0');
  for (;;) {
    const auto got = source.read(buffer.data(), buffer.size());
    if (!got) out.problem = message(got.error());
    if (!got || *got == 0) return out;
    out.text.append(buffer, 0, *got);
  }
}

Input unpacked_input(std::string bytes, const UnpackLimits& limits = {}) {
  auto input = unpack(Input::of("a.log", std::move(bytes)), limits);
  EXPECT_TRUE(input);
  return std::move(*input);
}

Outcome outcome(std::string bytes, std::size_t piece = 4096, const UnpackLimits& limits = {}) {
  Input input = unpacked_input(std::move(bytes), limits);
  EXPECT_EQ(input.name(), "a.log");
  return read_all(input, piece);
}

struct Sound {
  const char* name;
  std::string bytes, text;
};
class SoundFile : public testing::TestWithParam<Sound> {};

TEST_P(SoundFile, IsRead) {
  for (const std::size_t piece : {1u, 100u, 64u << 10, 1u << 20})
    EXPECT_EQ(outcome(GetParam().bytes, piece), (Outcome{GetParam().text, ""})) << piece;
}

INSTANTIATE_TEST_SUITE_P(
    Base, SoundFile,
    testing::Values(
        Sound{"empty", "", ""}, Sound{"plain", "some text", "some text"},
        Sound{"part_of_a_gzip_mark", "\x1F\x8B", "\x1F\x8B"},
        Sound{"other_gzip_method", "\x1F\x8B\x07 text", "\x1F\x8B\x07 text"},
        Sound{"part_of_a_zstd_mark", "\x28\xB5\x2F", "\x28\xB5\x2F"},
        Sound{"part_of_a_skippable_mark", "\x5A\x2A\x4D", "\x5A\x2A\x4D"},
        Sound{"no_skippable_mark", "\x60\x2A\x4D\x18 text", "\x60\x2A\x4D\x18 text"},
        Sound{"zip", test::make_zip({test::deflated("a", "text")}),
              test::make_zip({test::deflated("a", "text")})},
        Sound{"gzip", gzipped(kLog), kLog}, Sound{"gzip_of_noise", gzipped(kNoise), kNoise},
        Sound{"gzip_of_nothing", gzipped(""), ""},
        Sound{"gzip_members", gzipped("some ") + gzipped("") + gzipped(kLog) + gzipped("text"),
              "some " + kLog + "text"},
        Sound{"gzip_padded", gzipped("text") + std::string(100'000, '\0'), "text"},
        Sound{"gzip_member_after_padding",
              gzipped("some ") + std::string(512, '\0') + gzipped("text"), "some text"},
        Sound{"gzip_of_zeros_alone", gzipped(std::string(1000, '\0')), std::string(1000, '\0')},
        Sound{"gzip_in_gzip", gzipped(gzipped("text")), gzipped("text")},
        Sound{"zstd_in_gzip", gzipped(zstd("text")), zstd("text")}, Sound{"zstd", zstd(kLog), kLog},
        Sound{"zstd_of_noise", zstd(kNoise), kNoise}, Sound{"zstd_of_nothing", zstd(""), ""},
        Sound{"zstd_frames", zstd("some ") + zstd("") + zstd(kLog) + zstd("text"),
              "some " + kLog + "text"},
        Sound{"zstd_without_checksum", test::zstandard("", kLog).bytes, kLog},
        Sound{"zstd_skippable_first", kSkippable + zstd("text"), "text"},
        Sound{"zstd_skippable_between", zstd("some ") + kSkippable + zstd("text") + kSkippable,
              "some text"},
        Sound{"zstd_skippable_alone", kSkippable, ""},
        Sound{"zstd_in_zstd", zstd(zstd("text")), zstd("text")}),
    [](const auto& row) { return row.param.name; });

TEST(Unpack, KnowsEveryKindOfSkippableFrame) {
  for (char kind = 0x50; kind < 0x60; ++kind) {
    std::string frame = kSkippable;
    frame[0] = kind;
    EXPECT_EQ(outcome(frame + zstd("text")).text, "text");
  }
}

struct Wrong {
  const char* name;
  std::string bytes, text, problem;  // the text comes first
  UnpackLimits limits = {};
};
class WrongFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFile, IsReadUpToThere) {
  const Outcome wanted{GetParam().text, "`a.log` cannot be unpacked: " + GetParam().problem};
  for (const std::size_t piece : {1u, 100u, 64u << 10, 1u << 20})
    EXPECT_EQ(outcome(GetParam().bytes, piece, GetParam().limits), wanted) << piece;
}

// Three raw blocks: where the header of the third one stands.
const std::size_t kThirdBlock = zstd(kNoise).size() - 4 - (300'000 - (256u << 10)) - 3;

INSTANTIATE_TEST_SUITE_P(
    Base, WrongFile,
    testing::Values(
        Wrong{"gzip_header_alone", gzipped("text").substr(0, 5), "", "it is incomplete"},
        Wrong{"gzip_cut_off", without_last(gzipped("some text"), 12), "some t", "it is incomplete"},
        Wrong{"gzip_without_checksum", without_last(gzipped("text"), 8), "text",
              "it is incomplete"},
        Wrong{"gzip_part_of_checksum", without_last(gzipped("text"), 1), "text",
              "it is incomplete"},
        Wrong{"gzip_second_cut_off", gzipped("some ") + gzipped("text").substr(0, 1), "some ",
              "it is incomplete"},
        Wrong{"gzip_checksum", changed_before_end(gzipped(kLog), 8), kLog, "its bytes are damaged"},
        Wrong{"gzip_length", changed_before_end(gzipped(kLog), 4), kLog, "its bytes are damaged"},
        Wrong{"gzip_second_checksum", gzipped("some ") + changed_before_end(gzipped("text"), 8),
              "some text", "its bytes are damaged"},
        Wrong{"gzip_block", gzipped("").substr(0, 10) + "\x07", "", "its bytes are damaged"},
        Wrong{"gzip_then_text", gzipped("text") + "more", "text", "other data follows it"},
        Wrong{"zstd_mark_alone", zstd("text").substr(0, 4), "", "it is incomplete"},
        Wrong{"zstd_cut_off", zstd(kNoise).substr(0, kThirdBlock), kNoise.substr(0, 256u << 10),
              "it is incomplete"},
        Wrong{"zstd_part_of_checksum", without_last(zstd("text"), 1), "text", "it is incomplete"},
        Wrong{"zstd_second_cut_off", zstd("some ") + zstd("text").substr(0, 1), "some ",
              "it is incomplete"},
        Wrong{"zstd_skippable_cut_off", without_last(kSkippable, 1), "", "it is incomplete"},
        Wrong{"zstd_checksum", changed_before_end(zstd(kLog), 1), kLog, "its bytes are damaged"},
        Wrong{"zstd_block", zstd(kNoise).replace(kThirdBlock, 1, "\x07"),
              kNoise.substr(0, 256u << 10), "its bytes are damaged"},
        Wrong{"zstd_then_text", zstd("text") + "more", "text", "other data follows it"},
        Wrong{"zstd_then_zeros", zstd("text") + std::string(512, '\0'), "text",
              "other data follows it"},
        Wrong{"zstd_window", "\x28\xB5\x2F\xFD\0\xA8\1\0\0"s, "",
              "it needs a window of more than 128 MiB"},
        Wrong{"zstd_dictionary", "\x28\xB5\x2F\xFD\1\x58\5\1\0\0"s, "",
              "it was packed with a dictionary"}),
    [](const auto& row) { return row.param.name; });

TEST(Unpack, SeesTheEndComeEarlyWhereverItComes) {
  for (const auto& bytes : {gzipped("some text"), zstd("some text"), kSkippable + zstd("text")})
    for (std::size_t size = 4; size < bytes.size(); ++size) {
      if (size == kSkippable.size() && bytes.starts_with(kSkippable)) continue;
      EXPECT_EQ(outcome(bytes.substr(0, size)).problem,
                "`a.log` cannot be unpacked: it is incomplete")
          << size;
    }
}

TEST(Unpack, SaysWhyAFileMayBreakOff) {
  Input input = unpacked_input(gzipped("text").substr(0, 5));
  char byte = 0;
  EXPECT_EQ(input.read(&byte, 1).error().all()[0].hint,
            "it was cut off, or is still being written");
}

TEST(Unpack, FailsAgainAfterAFailure) {
  for (const auto& bytes :
       {changed_before_end(gzipped("text"), 8), changed_before_end(zstd("text"), 1),
        without_last(gzipped("text"), 1), without_last(zstd("text"), 1)}) {
    Input input = unpacked_input(bytes);
    const Outcome first = read_all(input);
    EXPECT_EQ(first.text, "text");
    for (int i = 0; i < 30; ++i) EXPECT_EQ(read_all(input), (Outcome{"", first.problem}));
  }
}

TEST(Unpack, StaysAtTheEnd) {
  for (const auto& bytes : {gzipped("text"), zstd("text")}) {
    Input input = unpacked_input(bytes);
    EXPECT_EQ(read_all(input), (Outcome{"text", ""}));
    for (int i = 0; i < 30; ++i) EXPECT_EQ(read_all(input), Outcome{});
  }
}

struct Bomb {
  const char* name;
  std::string (*pack)(const std::string&);
};
class PackedBomb : public testing::TestWithParam<Bomb> {};

TEST_P(PackedBomb, IsRefusedByItsSize) {
  const std::string bytes = GetParam().pack(std::string(100'000, ' '));
  EXPECT_EQ(outcome(bytes, 1000, {.unpacked = 100'000}), (Outcome{std::string(100'000, ' '), ""}));
  const Outcome refused = outcome(bytes, 1000, {.unpacked = 99'999});
  EXPECT_EQ(refused.problem, "`a.log` cannot be unpacked: it unpacks to more than 99999 bytes");
  EXPECT_LE(refused.text.size(), 99'999u);
}

TEST_P(PackedBomb, IsRefusedByAllOfItsParts) {
  const std::string part = GetParam().pack(noise(600));
  EXPECT_EQ(outcome(part + part, 1000, {.unpacked = 1000}).problem,
            "`a.log` cannot be unpacked: it unpacks to more than 1000 bytes");
}

TEST_P(PackedBomb, IsRefusedByItsRatio) {
  const std::string bytes = GetParam().pack(std::string(100'000, ' '));
  const UnpackLimits limits{.ratio = 20, .small = 50'000};
  const Outcome refused = outcome(bytes, 1000, limits);
  EXPECT_EQ(refused.problem,
            "`a.log` cannot be unpacked: it unpacks to more than 20 times its size");
  EXPECT_EQ(refused.text.size(), 50'000u);
  EXPECT_EQ(outcome(GetParam().pack(std::string(50'000, ' ')), 1000, limits).problem, "");
  EXPECT_EQ(outcome(GetParam().pack(kNoise), 1000, limits), (Outcome{kNoise, ""}));
  // bytes that were not unpacked yet say nothing of those that were
  EXPECT_EQ(outcome(bytes + GetParam().pack(noise(50'000)), 1000, limits).problem, refused.problem);
}

TEST_P(PackedBomb, IsRefusedWithoutBeingAsked) {
  const std::string part = GetParam().pack(std::string(16u << 20, '\0'));
  EXPECT_EQ(outcome(repeated(part, 4)).problem, "");
  EXPECT_EQ(outcome(repeated(part, 5)).problem,
            "`a.log` cannot be unpacked: it unpacks to more than 1000 times its size");
}

INSTANTIATE_TEST_SUITE_P(Base, PackedBomb,
                         testing::Values(Bomb{"gzip", gzipped}, Bomb{"zstd", zstd}),
                         [](const auto& row) { return row.param.name; });

TEST(Unpack, CanBePeekedAt) {
  Input input = unpacked_input(gzipped(kLog));
  EXPECT_EQ(input.peek(6).value(), "a line");
  EXPECT_EQ(input.peek(100'000).value(), kLog.substr(0, 100'000));
  char two[2];
  EXPECT_EQ(input.read(two, 2).value(), 2u);
  EXPECT_EQ(input.peek(4).value(), "line");
  EXPECT_EQ(input.peek(kLog.size()).value(), kLog.substr(2));
  EXPECT_EQ(read_all(input), (Outcome{kLog.substr(2), ""}));
  EXPECT_EQ(input.peek(4).value(), "");
}

TEST(Unpack, CanBePeekedAtUpToDamage) {
  Input input = unpacked_input(changed_before_end(zstd("text"), 1));
  EXPECT_EQ(input.peek(100).value(), "text");
  EXPECT_EQ(read_all(input),
            (Outcome{"text", "`a.log` cannot be unpacked: its bytes are damaged"}));
  EXPECT_EQ(message(input.peek(100).error()), "`a.log` cannot be unpacked: its bytes are damaged");
}

TEST(Unpack, CanBeMadeSeekable) {
  Input input = unpacked_input(gzipped(kLog));
  ASSERT_EQ(input.peek(1).value(), "a");
  EXPECT_EQ(input.make_seekable(kLog.size()).value(), kLog.size());
  std::string some(6, '\0');
  EXPECT_TRUE(input.read_at(kLog.size() - 6, some.data(), 6).value());
  EXPECT_EQ(some, "a log\n");
  EXPECT_TRUE(input.read_at(0, some.data(), 6).value());
  EXPECT_EQ(some, "a line");
  EXPECT_FALSE(input.read_at(kLog.size() - 5, some.data(), 6).value());
  EXPECT_EQ(read_all(input), (Outcome{kLog, ""}));
}

TEST(Unpack, IsTakenIntoMemoryUpToALimit) {
  const auto large = unpacked_input(gzipped(kLog)).make_seekable(kLog.size() - 1);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().all()[0].code, Code::too_large);
  const auto damaged =
      unpacked_input(changed_before_end(gzipped(kLog), 8)).make_seekable(kLog.size());
  ASSERT_FALSE(damaged);
  EXPECT_EQ(message(damaged.error()), "`a.log` cannot be unpacked: its bytes are damaged");
}

TEST(Unpack, GivesLines) {
  LineReader lines(
      unpacked_input(gzipped("one\ntwo\n") + without_last(gzipped("three\nfour\n"), 1)));
  std::string_view line;
  for (const char* wanted : {"one", "two", "three", "four"}) {
    ASSERT_TRUE(lines.next(line).value());
    EXPECT_EQ(line, wanted);
  }
  EXPECT_EQ(message(lines.next(line).error()), "`a.log` cannot be unpacked: it is incomplete");
}

TEST(Unpack, ReadsFiles) {
  std::string path = testing::TempDir() + "vibe_unpack_XXXXXX";
  const int file = ::mkstemp(path.data());
  ASSERT_GE(file, 0);
  ::close(file);
  for (const auto& bytes : {gzipped(kNoise), zstd(kNoise), kNoise}) {
    std::ofstream(path, std::ios::binary) << bytes;
    auto input = unpack(Input::open(path).value());
    ASSERT_TRUE(input);
    EXPECT_EQ(input->name(), path);
    EXPECT_EQ(read_all(*input), (Outcome{kNoise, ""}));
  }
  ::unlink(path.c_str());
}

// Whatever byte is wrong: an error or the text, and nothing worse.
TEST(Unpack, SurvivesAnyByte) {
  const UnpackLimits limits{.unpacked = 10'000};
  for (const auto& bytes :
       {gzipped("some ") + gzipped("text"), zstd("some ") + kSkippable + zstd("text")})
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const char value : {'\0', '\x7F', '\xFF'}) {
        std::string wrong = bytes;
        wrong[at] = value;
        outcome(wrong, 100, limits);
      }
}

// Gives its pieces one by one, then fails for ever or ends.
class Pieces final : public ByteSource {
 public:
  Pieces(std::vector<std::string> pieces, bool fails, std::size_t& read, int& alive)
      : pieces_(std::move(pieces)), fails_(fails), read_(read), alive_(alive) {
    ++alive_;
  }
  ~Pieces() override { --alive_; }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  Result<std::size_t> read(char* to, std::size_t most) override {
    if (next_ == pieces_.size()) {
      if (fails_) return fail(Code::bad_archive, {make_source("a.log", ""), {}}, "no more");
      return std::size_t{0};
    }
    std::string& piece = pieces_[next_];
    const std::size_t count = piece.copy(to, most);
    piece.erase(0, count);
    if (piece.empty()) ++next_;
    read_ += count;
    return count;
  }

 private:
  std::vector<std::string> pieces_;
  const bool fails_;
  std::size_t& read_;
  int& alive_;
  std::size_t next_ = 0;
};

class InputOfASource : public testing::Test {
 protected:
  Input input(std::vector<std::string> pieces, bool fails = false) {
    return Input::of("a.log", std::make_unique<Pieces>(std::move(pieces), fails, read_, alive_));
  }
  std::size_t read_ = 0;
  int alive_ = 0;
};

TEST_F(InputOfASource, IsReadToItsEnd) {
  Input some = input({"so", "me ", "text"});
  EXPECT_EQ(some.name(), "a.log");
  EXPECT_EQ(some.peek(4).value(), "some");
  EXPECT_EQ(read_, 4u);
  Input moved = std::move(some);
  EXPECT_EQ(read_all(moved, 3), (Outcome{"some text", ""}));
}

TEST_F(InputOfASource, FailsWhereTheSourceDoes) {
  Input some = input({"so", "me"}, true);
  EXPECT_EQ(some.peek(10).value(), "some");
  EXPECT_EQ(read_all(some), (Outcome{"some", "no more"}));
  EXPECT_EQ(message(some.peek(1).error()), "no more");
  EXPECT_EQ(message(input({"so", "me"}, true).make_seekable(10).error()), "no more");
}

TEST_F(InputOfASource, IsTakenIntoMemoryUpToALimit) {
  Input some = input({"so", "me"});
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(some.make_seekable(4).value(), 4u);
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(read_all(some), (Outcome{"some", ""}));
  const auto large = input({std::string(1'000'000, 'a')}).make_seekable(100);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().all()[0].message, "`a.log` is larger than 100 bytes");
  EXPECT_EQ(read_, 4u + 101u);
}

TEST_F(InputOfASource, FailsAsTheUnpackedOneDoes) {
  auto some = unpack(input({gzipped("some ") + gzipped("text").substr(0, 12)}, true));
  ASSERT_TRUE(some);
  EXPECT_EQ(read_all(*some).problem, "no more");
  const auto none = unpack(input({}, true));
  ASSERT_FALSE(none);
  EXPECT_EQ(message(none.error()), "no more");
}

// What can be unpacked is not kept back until more bytes come.
TEST_F(InputOfASource, IsReadNoSoonerThanNeeded) {
  for (const auto& first : {gzipped(kLog), zstd(kLog)}) {
    read_ = 0;
    auto some = unpack(input({first, "never asked for"}));
    ASSERT_TRUE(some);
    EXPECT_EQ(some->peek(kLog.size()).value(), kLog);
    EXPECT_EQ(read_, first.size());
  }
}

}  // namespace

}  // namespace vibe::base
