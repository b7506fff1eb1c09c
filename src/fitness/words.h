// Words: the word lists and patterns that heuristics look for in an answer; they come from the
// rubric, in English and Vietnamese. Case is ignored; an entry matches whole words or phrases.
// Immutable; safe to use from any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/phrases.h"
#include "trace/errors.h"

namespace vibe::fitness {

// One list and its name in the rubric.
struct WordListRow {
  std::string_view name;  // `next_steps`
  std::string_view doc;
};
enum class WordList : std::uint8_t {
  next_steps,    // phrases anywhere in a sentence, a heading or the lead-in of a list
  refusals,      // phrases of an answer that refuses
  placeholders,  // text left over that should have been replaced
};
inline constexpr std::array kWordLists{
    WordListRow{"next_steps", "phrases that say what to do next"},
    WordListRow{"refusals", "phrases of an answer that refuses"},
    WordListRow{"placeholders", "text left over that should have been replaced"},
};

class Words {
 public:
  using Lists = std::array<std::vector<std::string>, kWordLists.size()>;

  Words() : Words({}, trace::ErrorPatterns({})) {}  // finds nothing
  Words(Lists lists, trace::ErrorPatterns errors);

  const PhraseFinder& operator[](WordList list) const {
    return finders_[static_cast<std::size_t>(list)];
  }
  const trace::ErrorPatterns& errors() const { return errors_; }
  const Lists& lists() const { return lists_; }

 private:
  Lists lists_;
  std::vector<PhraseFinder> finders_;
  trace::ErrorPatterns errors_;
};

}  // namespace vibe::fitness
