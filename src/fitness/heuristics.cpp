#include "fitness/heuristics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "base/lines.h"
#include "base/text.h"
#include "fitness/instructions.h"
#include "fitness/phrases.h"
#include "fitness/syntax.h"

namespace vibe::fitness {

namespace {

using base::CodeBlock;
using base::Prose;

constexpr std::size_t kLeastWords = 3;       // of a direct answer
constexpr std::size_t kLeastExplained = 30;  // words
constexpr std::size_t kLeastSentences = 2;
constexpr std::size_t kMostEvidence = 5;
constexpr std::size_t kMostShown = 60;                       // characters of a text
constexpr std::size_t kMostParsed = std::size_t{256} << 10;  // bytes of code, for one answer
constexpr std::size_t kMostBlocks = 1000;                    // parsed per answer

constexpr std::array<HeuristicRow, kHeuristicCount> kRows{{
    {.id = Heuristic::direct_answer,
     .part = Part::completeness,
     .name = "direct_answer",
     .weight = 0.3,
     .rule = "a paragraph, list or table of at least 3 words that is not just a refusal, a "
             "question to the user, an error message or JSON",
     .holds = "The capital of France is Paris.",
     .fails = "Which France do you mean?"},
    {.id = Heuristic::code,
     .part = Part::completeness,
     .name = "code",
     .weight = 0.3,
     .rule = "a fenced block in a programming language",
     .holds = "```python\nprint(1)\n```",
     .fails = "```json\n{}\n```"},
    {.id = Heuristic::explanation,
     .part = Part::completeness,
     .name = "explanation",
     .weight = 0.2,
     .rule = "at least 2 sentences or 30 words outside code and headings",
     .holds = "The index is missing. Each query reads the whole table.",
     .fails = "The index is missing."},
    {.id = Heuristic::next_steps,
     .part = Part::completeness,
     .name = "next_steps",
     .weight = 0.2,
     .rule = "a heading, a list's lead-in or a sentence about what to do next, recognised by the "
             "words in `next_steps`",
     .holds = "All tests pass. I recommend adding one for empty lines.",
     .fails = "All tests pass."},
    {.id = Heuristic::syntax,
     .part = Part::accuracy,
     .name = "syntax",
     .weight = 0.4,
     .rule = "every fenced block in a known language parses; also holds without such a block",
     .holds = "```js\nconst x = [1, 2];\n```",
     .fails = "```js\nconst x = [1, 2;\n```"},
    {.id = Heuristic::no_obvious_error,
     .part = Part::accuracy,
     .name = "no_obvious_error",
     .weight = 0.3,
     .rule = "no error message and no text from `placeholders` outside code; no unclosed fence",
     .holds = "The log says `error: disk full`.",
     .fails = "error: disk full"},
    {.id = Heuristic::follows_instructions,
     .part = Part::accuracy,
     .name = "follows_instructions",
     .weight = 0.3,
     .rule = "has the form that the prompt clearly asks for (JSON, a list, a table, code in a "
             "language, at most N words); is not empty and has no unclosed fence",
     .holds = "- red\n- yellow\n- blue",
     .fails = "Red, yellow and blue.",
     .prompt = "List the three primary colours."},
    {.id = Heuristic::headers,
     .part = Part::structure,
     .name = "headers",
     .weight = 0.4,
     .rule = "a heading, marked by `#` or underlined",
     .holds = "Summary\n=======\n\nAll is well.",
     .fails = "```sh\n# a comment\n```"},
    {.id = Heuristic::lists,
     .part = Part::structure,
     .name = "lists",
     .weight = 0.3,
     .rule = "a list, bulleted or numbered",
     .holds = "1. Install it.\n2. Run it.",
     .fails = "It began in\n1998. Nobody knows the day."},
    {.id = Heuristic::code_blocks,
     .part = Part::structure,
     .name = "code_blocks",
     .weight = 0.3,
     .rule = "a fenced code block",
     .holds = "~~~\nmake test\n~~~",
     .fails = "Run `make test`."},
}};

std::string shown(std::string_view text) {
  return base::shorten(base::printable(base::trim(text)), kMostShown);
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", shown(text)); }

std::string blocks(std::size_t count) {
  return fmt::format("{} block{}", count, count == 1 ? "" : "s");
}

bool is_json(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  return text.size() <= kMostCodeBytes && base::read_json_document(text).has_value();
}

// Whether a line is an error message: a pattern as whole words.
bool is_error(std::string_view line, const trace::ErrorPatterns& errors) {
  const std::string text = base::lower_ascii(base::trim(line));
  const auto stands_at = [&](std::size_t at, std::string_view pattern) {
    const std::size_t end = at + pattern.size();
    return (at == 0 || !is_word_byte(text[at - 1]) || !is_word_byte(pattern.front())) &&
           (end == text.size() || !is_word_byte(text[end]) || !is_word_byte(pattern.back()));
  };
  return std::any_of(errors.patterns().begin(), errors.patterns().end(), [&](const auto& one) {
    if (one.at_line_start) return text.starts_with(one.text) && stands_at(0, one.text);
    for (std::size_t at = text.find(one.text); at != std::string::npos;
         at = text.find(one.text, at + 1))
      if (stands_at(at, one.text)) return true;
    return false;
  });
}

trace::Structure structure_of(const base::Outline& outline) {
  return {outline.headings, outline.lists, outline.has_fenced_code()};
}

class Look {
 public:
  Look(const Answer& answer, const Words& words, AnswerFindings& out)
      : answer_(answer), words_(words), out_(out), outline_(base::outline_of(answer.text)) {}

  void look() {
    is_json_ = outline_.code.empty() && is_json(answer_.text);
    find_error_lines();
    look_at_prose();
    look_at_code();
    find_next_steps();
    find_obvious_errors();
    compare_with_prompt();
    look_at_structure();
    if (outline_.cut)
      note(Heuristic::direct_answer,
           fmt::format("only the first {} MB were checked", base::kMostMarkdown >> 20));
  }

 private:
  Finding& at(Heuristic id) { return out_.rows[static_cast<std::size_t>(id)]; }
  void note(Heuristic id, std::string evidence) {
    auto& all = at(id).evidence;
    if (all.size() < kMostEvidence) all.push_back(std::move(evidence));
  }

  // Prose without error message lines, and with each code span replaced by an `x`.
  void find_error_lines() {
    prose_.reserve(outline_.prose.size());
    folded_.reserve(outline_.prose.size());
    for (const Prose& prose : outline_.prose) {
      std::string text = without_code_spans(prose.text);
      if (prose.kind != Prose::Kind::heading && words_.errors().find(text)) {
        std::string kept;
        std::uint32_t number = prose.line;
        for (std::string_view rest = text; !rest.empty(); ++number) {
          const std::string_view line = base::next_line(rest);
          if (!is_error(line, words_.errors())) {
            kept += line;
          } else if (++out_.error_line_count <= kMostEvidence) {
            out_.error_lines.push_back(fmt::format("line {}: {}", number, shown(line)));
          }
          kept += '\n';
        }
        text = std::move(kept);
      }
      folded_.push_back(folded(text));
      prose_.push_back(std::move(text));
    }
  }

  // ---- direct answer, explanation

  void look_at_prose() {
    if (is_json_) {
      note(Heuristic::direct_answer, "the answer is JSON");
      return;
    }
    std::size_t words = 0, said = 0;
    Finding& direct = at(Heuristic::direct_answer);
    std::size_t in_run = 0;  // words of the items, or cells, so far
    for (std::size_t i = 0; i < prose_.size(); ++i) {
      const Prose& prose = outline_.prose[i];
      if (prose.kind == Prose::Kind::heading || prose.kind == Prose::Kind::html) continue;
      if (prose.kind == Prose::Kind::cell)
        words += count_words(prose_[i]);
      else
        count(prose_[i], words, said);
      if (direct.holds) continue;
      const bool goes_on =
          i > 0 && prose.kind != Prose::Kind::paragraph && outline_.prose[i - 1].kind == prose.kind;
      in_run = (goes_on ? in_run : 0) + answering_words(prose_[i]);
      if (in_run >= kLeastWords) {
        direct.holds = true;
        note(Heuristic::direct_answer,
             fmt::format("line {}: {}", prose.line, in_quotes(prose.text)));
      }
    }
    if (!direct.holds)
      note(Heuristic::direct_answer,
           words < kLeastWords ? fmt::format("{} words", words) : "a refusal or a question back");
    at(Heuristic::explanation).holds = said >= kLeastSentences || words >= kLeastExplained;
    note(Heuristic::explanation, fmt::format("{} sentence{}, {} word{}", said, said == 1 ? "" : "s",
                                             words, words == 1 ? "" : "s"));
  }

  // Counts words in sentences that are neither refusals nor questions.
  std::size_t answering_words(std::string_view text) const {
    const PhraseFinder& refusals = words_[WordList::refusals];
    std::size_t words = 0;
    for (const auto sentence : sentences(text)) {
      if (sentence.ends_with('?') || refusals.find(folded(sentence))) continue;
      words += count_words(sentence);
      if (words >= kLeastWords) break;
    }
    return words;
  }

  // A sentence is a few words with an end mark, or some more without one.
  static void count(std::string_view text, std::size_t& words, std::size_t& said) {
    for (const auto sentence : sentences(text)) {
      const bool ends = !is_word_byte(sentence.back()) && sentence.back() != ':';
      const std::size_t here = count_words(sentence);
      words += here;
      said += here >= (ends ? 2U : kLeastWords);
    }
  }

  // ---- code

  // Parses until the answer's budget is used up.
  SyntaxCheck check(const Language& language, std::string_view code) {
    if (code.size() > std::min(bytes_left_, kMostCodeBytes) || parses_left_ == 0) return {};
    if (language.grammar) {
      bytes_left_ -= code.size();
      --parses_left_;
    }
    return check_syntax(language, code);
  }

  void look_at_code() {
    std::size_t parsed = 0, wrong = 0, not_judged = 0;
    for (const CodeBlock& block : outline_.code) {
      if (!block.fenced) continue;
      const Language* const language =
          block.language.empty() ? nullptr : find_language(block.language);
      if (!language) continue;
      if (language->programming) {
        out_.has_program = true;
        note(Heuristic::code, fmt::format("{} block on line {}", language->name, block.line));
      }
      if (!language->grammar || wrong == kMostEvidence) continue;
      const SyntaxCheck found = check(*language, block.text);
      switch (found.verdict) {
        case SyntaxCheck::Verdict::parses: ++parsed; break;
        case SyntaxCheck::Verdict::not_judged: ++not_judged; break;
        case SyntaxCheck::Verdict::wrong:
          ++wrong;
          note(Heuristic::syntax,
               fmt::format("{} block on line {} does not parse at line {}, column {}: {}",
                           language->name, block.line, block.line + found.error.line - 1,
                           found.error.column, found.error.message));
      }
    }
    at(Heuristic::syntax).holds = wrong == 0;
    at(Heuristic::code).holds = out_.has_program;
    if (!out_.has_program) note(Heuristic::code, "no block in a programming language");
    if (wrong == 0 && parsed > 0)
      note(Heuristic::syntax,
           fmt::format("{} {}", blocks(parsed), parsed == 1 ? "parses" : "parse"));
    if (not_judged > 0)
      note(Heuristic::syntax,
           fmt::format("{} not judged: too long or too hard to parse", blocks(not_judged)));
    if (at(Heuristic::syntax).evidence.empty())
      note(Heuristic::syntax, "no block in a known language");
  }

  // ---- next steps

  void find_next_steps() {
    constexpr std::size_t kEnough = 3;
    const PhraseFinder& phrases = words_[WordList::next_steps];
    Finding& row = at(Heuristic::next_steps);
    for (std::size_t i = 0; i < prose_.size() && !is_json_ && row.evidence.size() < kEnough; ++i) {
      const Prose& prose = outline_.prose[i];
      if (prose.kind == Prose::Kind::cell || prose.kind == Prose::Kind::html) continue;
      const auto found = phrases.find(folded_[i]);
      if (!found) continue;
      row.holds = true;
      if (prose.kind == Prose::Kind::heading)
        note(Heuristic::next_steps,
             fmt::format("heading {} (line {})", in_quotes(prose.text), prose.line));
      else
        note(Heuristic::next_steps, describe(i, *found));
    }
    if (!row.holds) note(Heuristic::next_steps, "nothing about what to do next");
  }

  // What was found in a text, and where.
  std::string describe(std::size_t i, PhraseFinder::Found found) const {
    const std::string_view text = folded_[i];
    const std::string_view before = text.substr(0, found.begin);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    return fmt::format("{} (line {})", in_quotes(text.substr(found.begin, found.end - found.begin)),
                       outline_.prose[i].line + static_cast<std::uint32_t>(lines));
  }

  // ---- errors

  void find_obvious_errors() {
    Finding& row = at(Heuristic::no_obvious_error);
    for (const auto& line : out_.error_lines) note(Heuristic::no_obvious_error, line);
    if (const auto* open = open_fence())
      note(Heuristic::no_obvious_error,
           fmt::format("the fence on line {} is not closed", open->line - 1));
    const PhraseFinder& phrases = words_[WordList::placeholders];
    for (std::size_t i = 0; i < prose_.size() && !is_json_ && row.evidence.size() < kMostEvidence;
         ++i)
      if (const auto found = phrases.find(folded_[i]))
        note(Heuristic::no_obvious_error, describe(i, *found) + " is left over");
    row.holds = row.evidence.empty();
    if (row.holds) note(Heuristic::no_obvious_error, "none found");
  }

  const CodeBlock* open_fence() const {
    const auto found = std::find_if(outline_.code.begin(), outline_.code.end(),
                                    [](const auto& block) { return !block.closed; });
    return found == outline_.code.end() ? nullptr : &*found;
  }

  // ---- the prompt

  void compare_with_prompt() {
    Finding& row = at(Heuristic::follows_instructions);
    row.holds = true;
    const auto want = [&](bool holds, std::string evidence) {
      row.holds = row.holds && holds;
      if (!holds) note(Heuristic::follows_instructions, std::move(evidence));
    };
    want(!base::trim(answer_.text).empty(), "the answer is empty");
    want(!open_fence(), "a fence is not closed");
    const Form form = form_asked_for(answer_.prompt);
    if (form.json) want(has_json(), "the prompt asks for JSON; the answer has none that parses");
    if (form.list)
      want(outline_.lists || outline_.tables || !outline_.code.empty(),
           "the prompt asks for a list; the answer has none");
    if (form.table) want(outline_.tables, "the prompt asks for a table; the answer has none");
    if (!form.languages.empty()) compare_languages(form, want);
    if (form.most_words) {
      std::size_t words = 0;
      for (const Prose& prose : outline_.prose) words += count_words(prose.text);
      want(words <= *form.most_words,
           fmt::format("the prompt asks for at most {} words; the answer has {}", *form.most_words,
                       words));
    }
    if (row.holds)
      note(Heuristic::follows_instructions,
           form.any() ? "has the form that the prompt asks for" : "no form was requested");
  }

  template <class Want>
  void compare_languages(const Form& form, const Want& want) {
    const auto& code = outline_.code;
    const auto end =
        code.begin() + static_cast<std::ptrdiff_t>(std::min(code.size(), kMostBlocks / 10));
    const auto has = [&](const Language* wanted) {
      return std::any_of(code.begin(), end,
                         [&](const auto& block) { return is_in(block, *wanted); });
    };
    std::vector<const Language*> missing = form.languages;
    std::erase_if(missing, has);
    if (form.any_language && missing.size() < form.languages.size()) return;
    for (const Language* const language : missing)
      want(false,
           fmt::format("the prompt asks for code in {}; the answer has none", language->name));
  }

  // An unlabelled block counts as any language in which it parses, or might parse.
  bool is_in(const CodeBlock& block, const Language& wanted) {
    if (!block.language.empty()) {
      const Language* const language = find_language(block.language);
      return language && (language == &wanted || language->dialect_of == wanted.name);
    }
    return check(wanted, block.text).verdict != SyntaxCheck::Verdict::wrong;
  }

  bool has_json() const {
    if (is_json_) return true;
    return std::any_of(outline_.code.begin(), outline_.code.end(),
                       [](const auto& block) { return block.fenced && is_json(block.text); });
  }

  // ---- structure

  void look_at_structure() {
    const trace::Structure structure = structure_of(outline_);
    at(Heuristic::headers).holds = structure.headers;
    at(Heuristic::lists).holds = structure.lists;
    at(Heuristic::code_blocks).holds = structure.code_blocks;
    for (const Prose& prose : outline_.prose) {
      if (prose.kind == Prose::Kind::heading)
        note(Heuristic::headers, fmt::format("{} (line {})", in_quotes(prose.text), prose.line));
      if (prose.kind == Prose::Kind::item && at(Heuristic::lists).evidence.empty())
        note(Heuristic::lists, fmt::format("from line {} on", prose.line));
    }
    for (const CodeBlock& block : outline_.code)
      if (block.fenced) note(Heuristic::code_blocks, fmt::format("line {}", block.line));
  }

  const Answer& answer_;
  const Words& words_;
  AnswerFindings& out_;
  const base::Outline outline_;
  std::vector<std::string> prose_;   // as outline_.prose, without error messages and code
  std::vector<std::string> folded_;  // the same, folded for phrase search
  bool is_json_ = false;             // the whole answer
  std::size_t bytes_left_ = kMostParsed, parses_left_ = kMostBlocks;
};

}  // namespace

const std::array<HeuristicRow, kHeuristicCount>& heuristics() { return kRows; }

AnswerFindings look_at(const Answer& answer, const Words& words) {
  AnswerFindings out;
  Look(answer, words, out).look();
  return out;
}

trace::Structure structure_of(std::string_view answer) {
  return structure_of(base::outline_of(answer));
}

}  // namespace vibe::fitness
