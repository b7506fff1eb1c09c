#include "base/decimal.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace vibe::base {
namespace {

struct DecimalCase {
  const char* name;
  const char* text;
  std::size_t end;     // of what is a number, or looks like one
  bool json, double_;  // the whole text is one, to JSON and to parse_double()
};
const DecimalCase kDecimals[] = {
    {"whole", "12", 2, true, true},
    {"zero", "0", 1, true, true},
    {"negative", "-0.5e-3", 7, true, true},
    {"capital_e", "1E5", 3, true, true},
    {"plus", "+1", 2, false, true},
    {"leading_zero", "01", 2, false, true},
    {"negative_leading_zero", "-01", 3, false, true},
    {"no_whole_part", ".5", 2, false, true},
    {"no_fraction", "1.", 2, false, true},
    {"no_exponent", "1e", 2, false, false},
    {"sign_of_no_exponent", "1e+", 3, false, false},
    {"sign_alone", "-", 1, false, false},
    {"point_alone", ".", 1, false, false},
    {"nothing", "", 0, false, false},
    {"goes_on", "1x", 1, false, false},
    {"two_points", "1.2.3", 3, false, false},
};
class Decimals : public testing::TestWithParam<DecimalCase> {};
TEST_P(Decimals, AreJudged) {
  EXPECT_EQ(scan_decimal(GetParam().text).end, GetParam().end);
  EXPECT_EQ(is_json_number(GetParam().text), GetParam().json);
  EXPECT_EQ(parse_double(GetParam().text).has_value(), GetParam().double_);
}
INSTANTIATE_TEST_SUITE_P(Decimal, Decimals, testing::ValuesIn(kDecimals),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vibe::base
