// Zip archives: sound ones, damaged ones, and ones that want too much.
#include "base/zip.h"

#include <string>

#include <gtest/gtest.h>

#include "base/repeated.h"
#include "base/zip_builder.h"

namespace vibe::base {

namespace {

using test::deflated;
using test::make_zip;
using test::Packed;
using test::repeated;
using test::stored;
using test::zstandard;

// What all members unpack to, or the first message.
std::string unpacked_members(std::string bytes, const ZipLimits& limits = {}) {
  const auto zip = Zip::open(Input::of("a.zip", std::move(bytes)), limits);
  if (!zip) return "error: " + zip.error().all()[0].message;
  std::string out;
  for (const auto& member : zip->members()) {
    const auto source = zip->read(member);
    if (!source) return "error: " + source.error().all()[0].message;
    char buffer[1000];
    for (;;) {
      const auto got = (*source)->read(buffer, sizeof buffer);
      if (!got) return "error: " + got.error().all()[0].message;
      if (*got == 0) break;
      out.append(buffer, *got);
    }
  }
  return out;
}

TEST(Zip, UnpacksEveryMethod) {
  const std::string text = repeated("a line of a log\n", 5000);
  EXPECT_EQ(
      unpacked_members(make_zip({stored("a", text), deflated("b", text), zstandard("c", text)})),
      text + text + text);
  EXPECT_EQ(unpacked_members(make_zip({stored("empty", ""), deflated("also", "")})), "");
  EXPECT_EQ(unpacked_members(make_zip({})), "");
}

TEST(Zip, ReadsZip64) {
  Packed large = deflated("large", "text");
  large.zip64 = true;
  EXPECT_EQ(unpacked_members(make_zip({stored("first", "some "), large}, true)), "some text");
}

TEST(Zip, HasTheLastOfAName) {
  const std::string bytes = make_zip({stored("x", "1"), stored("y", "2"), stored("x", "3")});
  EXPECT_EQ(unpacked_members(bytes), "23");
  const auto zip = Zip::open(Input::of("a.zip", bytes));
  ASSERT_TRUE(zip);
  EXPECT_EQ(zip->find("x"), &zip->members()[1]);
  EXPECT_EQ(zip->find("z"), nullptr);
}

TEST(Zip, HasNoUseForAComment) {
  std::string bytes = make_zip({stored("x", "1")});
  bytes[bytes.size() - 2] = 5;
  EXPECT_EQ(unpacked_members(bytes + "PK\x05\x06!"), "1");
}

struct WrongArchive {
  const char* name;
  std::string bytes, message;
  ZipLimits limits = {};
};
class WrongZip : public testing::TestWithParam<WrongArchive> {};

TEST_P(WrongZip, IsRefused) {
  EXPECT_EQ(unpacked_members(GetParam().bytes, GetParam().limits), "error: " + GetParam().message);
}

Packed with(Packed member, auto change) {
  change(member);
  return member;
}
const Packed kText = stored("text", "some text");
const std::string kNoPackedBytes = "\x7F\x11\x22 no packed bytes";

INSTANTIATE_TEST_SUITE_P(
    Base, WrongZip,
    testing::Values(
        WrongArchive{"empty", "", "the zip archive has no directory at its end"},
        WrongArchive{"cut_off", make_zip({kText}).substr(0, 60),
                     "the zip archive has no directory at its end"},
        WrongArchive{"checksum", make_zip({with(kText, [](Packed& m) { m.crc ^= 1; })}),
                     "`text` cannot be unpacked: its checksum does not match the directory"},
        WrongArchive{
            "longer_than_said",
            make_zip({with(deflated("d", "some text"), [](Packed& m) { m.unpacked = 3; })}),
            "`d` cannot be unpacked: it unpacks to more than its size"},
        WrongArchive{
            "shorter_than_said",
            make_zip({with(zstandard("z", "some text"), [](Packed& m) { m.unpacked = 30; })}),
            "`z` cannot be unpacked: it is incomplete"},
        WrongArchive{
            "bad_deflate",
            make_zip({with(deflated("d", "x"), [](Packed& m) { m.bytes = kNoPackedBytes; })}),
            "`d` cannot be unpacked: its bytes are damaged"},
        WrongArchive{
            "bad_zstd",
            make_zip({with(zstandard("z", "x"), [](Packed& m) { m.bytes = kNoPackedBytes; })}),
            "`z` cannot be unpacked: its bytes are damaged"},
        WrongArchive{"after_the_end",
                     make_zip({with(deflated("d", "x"), [](Packed& m) { m.bytes += "more"; })}),
                     "`d` cannot be unpacked: its bytes are damaged"},
        WrongArchive{
            "breaks_off",
            make_zip({with(deflated("d", "some text"), [](Packed& m) { m.bytes.resize(4); })}),
            "`d` cannot be unpacked: it is incomplete"},
        WrongArchive{"encrypted", make_zip({with(kText, [](Packed& m) { m.flags = 1; })}),
                     "`text` cannot be unpacked: it is encrypted"},
        WrongArchive{"method", make_zip({with(kText, [](Packed& m) { m.method = 14; })}),
                     "`text` cannot be unpacked: it uses the unknown compression method 14"},
        WrongArchive{
            "overlap",
            make_zip({kText, with(stored("again", "x"), [](Packed& m) { m.moved = -20; })}),
            "`text` overlaps what follows it"},
        WrongArchive{"same_bytes_twice",
                     make_zip({kText, with(kText, [](Packed& m) { m.moved = -43; })}),
                     "`text` overlaps what follows it"},
        WrongArchive{"outside", make_zip({with(kText, [](Packed& m) { m.moved = 1000; })}),
                     "`text` overlaps what follows it"},
        WrongArchive{"no_header",
                     make_zip({with(kText,
                                    [](Packed& m) {
                                      m.bytes += "  ";
                                      m.unpacked += 2;
                                      m.moved = 0;
                                    }),
                               with(stored("b", ""),
                                    [](Packed& m) {
                                      m.moved = 0;
                                      m.flags = 1;
                                    })}),
                     "`text` cannot be unpacked: its checksum does not match the directory"},
        WrongArchive{"bomb", make_zip({deflated("bomb", std::string(100'000, ' '))}),
                     "`bomb` unpacks to more than 100 times its size",
                     ZipLimits{.ratio = 100, .small = 10'000}},
        WrongArchive{"zstd_bomb", make_zip({zstandard("bomb", std::string(10'000'000, ' '))}),
                     "`bomb` unpacks to more than 1000 times its size"},
        WrongArchive{
            "too_much",
            make_zip({stored("a", std::string(60, 'a')), stored("b", std::string(60, 'b'))}),
            "the zip archive unpacks to more than 100 bytes", ZipLimits{.unpacked = 100}},
        WrongArchive{"too_many", make_zip({stored("a", ""), stored("b", "")}),
                     "the zip archive has more than 1 members", ZipLimits{.members = 1}}),
    [](const auto& row) { return row.param.name; });

// Whatever byte is wrong: an error or the text, and nothing worse.
TEST(Zip, SurvivesAnyByte) {
  Packed large = zstandard("z", "zstandard");
  large.zip64 = true;
  const std::string bytes =
      make_zip({stored("s", "stored"), deflated("d", "deflated"), large}, true);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char value : {'\0', '\x7F', '\xFF'}) {
      std::string changed = bytes;
      changed[at] = value;
      unpacked_members(changed);
    }
    unpacked_members(bytes.substr(0, at));
  }
}

}  // namespace

}  // namespace vibe::base
