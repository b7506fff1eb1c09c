#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace vibe::cli {

namespace {

struct ShownCase {
  const char* name;
  std::string_view text;
  OwnCodes own;
  std::string_view want;
};
class ShownOnTerminal : public testing::TestWithParam<ShownCase> {};

TEST_P(ShownOnTerminal, HasNoCodesButItsOwn) {
  EXPECT_EQ(shown_on_terminal(GetParam().text, GetParam().own), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Terminal, ShownOnTerminal,
    testing::Values(ShownCase{"plain", "a\tb\nà 漢 😀\r\n", OwnCodes::none, "a\tb\nà 漢 😀\r\n"},
                    ShownCase{"title", "\x1b]0;x\x07y", OwnCodes::colors, "�]0;x�y"},
                    ShownCase{"colour_of_data", "\x1b[31mx", OwnCodes::none, "�[31mx"},
                    ShownCase{"colour", "\x1b[31mx\x1b[0m", OwnCodes::colors, "\x1b[31mx\x1b[0m"},
                    ShownCase{"hidden", "\x1b[8mx", OwnCodes::colors, "�[8mx"},
                    ShownCase{"return", "\rab\rc", OwnCodes::colors, "�ab�c"},
                    ShownCase{"drawing", "\rab\rc\x1b[K", OwnCodes::drawing, "\rab�c\x1b[K"},
                    ShownCase{"erased_within", "a\x1b[Kb", OwnCodes::drawing, "a�[Kb"},
                    ShownCase{"c1",
                              "\xC2\x9B"
                              "2J",
                              OwnCodes::colors, "�2J"},
                    ShownCase{"c1_as_a_byte",
                              "\x9B"
                              "2J",
                              OwnCodes::colors, "�2J"},
                    ShownCase{"turned_round", "\u202Eabc", OwnCodes::none, "�abc"},
                    ShownCase{"delete", "a\x7F", OwnCodes::none, "a�"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace

}  // namespace vibe::cli
