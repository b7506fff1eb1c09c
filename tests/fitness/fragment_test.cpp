#include "fitness/fragment.h"

#include <rapidcheck/gtest.h>

namespace vibe::fitness {

namespace {

// By the definition, looking around at every place: as slow as it is plain.
std::string without_elisions_plainly(std::string_view code) {
  constexpr std::string_view kSpaces = " \t\r\n";
  std::string out(code);
  const auto is = [&](std::size_t place, std::string_view any) {
    return place != std::string::npos && any.find(out[place]) != std::string_view::npos;
  };
  for (std::size_t at = 0; at < out.size(); ++at) {
    std::size_t end = at;
    while (end < out.size() && out[end] == '.') ++end;
    if (end - at < 3) end = out.compare(at, 3, "…") == 0 ? at + 3 : at;
    if (end == at) continue;
    const auto last = [&](std::string_view none) {
      return at == 0 ? std::string::npos : out.find_last_not_of(none, at - 1);
    };
    const std::size_t before = last(kSpaces), behind = out.find_first_not_of(kSpaces, end);
    const std::size_t line = last(" \t"), line_end = out.find_first_not_of(" \t\r", end);
    const bool begins = line == std::string::npos || out[line] == '\n';
    const bool ends = line_end == std::string::npos || out[line_end] == '\n';
    const bool opens = before == std::string::npos || is(before, "({[");
    const bool closes = behind == std::string::npos || is(behind, ")}]");
    if ((begins || opens || is(before, ",;")) && (ends || closes || is(behind, ",;"))) {
      for (std::size_t i = at; i < end; ++i) out[i] = ' ';
      if (closes && is(before, ",")) out[before] = ' ';
      if (opens && is(behind, ",")) out[behind] = ' ';
    }
    at = end - 1;
  }
  return out;
}

RC_GTEST_PROP(Elisions, AreThoseOfTheDefinition, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"...", "....", "..", "…", ",", ";", "(", ")", "{",
                                                  "]", "\n", "\r\n", " ", "\t", "a", "漢"}));
  std::string code;
  for (const auto& piece : pieces) code += piece;
  RC_ASSERT(without_elisions(code) == without_elisions_plainly(code));
}

// Blanked dots are white space: looking back over all of it from each would take hours.
TEST(Elisions, TakeStepsInProportionToTheirLength) {
  for (const std::string_view piece :
       {"...\n", "…\n", "... ", "(...)", "a, ...\n", "   ...   \n", "..", "[..., ", ";...;"}) {
    std::string code;
    while (code.size() < 2'000'000) code += piece;
    std::size_t steps = 0;
    EXPECT_EQ(without_elisions(code, &steps).size(), code.size());
    EXPECT_LE(steps, 4 * code.size()) << piece;
  }
}

}  // namespace

}  // namespace vibe::fitness
