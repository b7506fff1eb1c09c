#include "fitness/instructions.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/markdown.h"
#include "base/text.h"
#include "fitness/instruction_words.h"
#include "fitness/phrases.h"

namespace vibe::fitness {

namespace {

using PhraseList = std::span<const std::string>;

// The rest of the text after these whole words; none if it does not begin with them.
std::optional<std::string_view> behind(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return std::nullopt;
  text.remove_prefix(words.size());
  if (!text.empty() && is_word_byte(text[0])) return std::nullopt;
  return text;
}

bool is_one_of(std::string_view word, PhraseList any) {
  return std::find(any.begin(), any.end(), word) != any.end();
}

std::string_view without_space(std::string_view text) {
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  return text;
}

bool begins_with(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(),
                     [&](const auto& words) { return behind(text, words); });
}

bool ends_with(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](const auto& words) {
    return text.ends_with(words) &&
           (text.size() == words.size() || !is_word_byte(text[text.size() - words.size() - 1]));
  });
}

std::string_view without_last_word(std::string_view text) {
  while (!text.empty() && is_word_byte(text.back())) text.remove_suffix(1);
  return base::trim(text);
}

// Calls `use(place)` for each position where the words occur as whole words, until it returns true.
template <class Use>
bool any_place(std::string_view text, std::string_view words, Use use) {
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1))
    if ((at == 0 || !is_word_byte(text[at - 1])) && behind(text.substr(at), words) && use(at))
      return true;
  return false;
}

bool holds(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](const auto& words) {
    return any_place(text, words, [](std::size_t) { return true; });
  });
}

// Whether the form ends here: the rest is empty, or begins with a mark or an allowed word.
bool ends_form(std::string_view rest) {
  rest = without_space(rest);
  return rest.empty() || !is_word_byte(rest[0]) || (rest[0] >= '0' && rest[0] <= '9') ||
         begins_with(rest, instruction_words().behind);
}

bool holds_form(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](const auto& words) {
    return any_place(text, words,
                     [&](std::size_t at) { return ends_form(text.substr(at + words.size())); });
  });
}

std::string_view without_politeness(std::string_view text) {
  for (bool found = true; found;) {
    found = false;
    for (const auto& polite : instruction_words().polite) {
      const auto rest = behind(text, polite);
      if (!rest || rest->empty()) continue;
      text = without_space(rest->starts_with(',') ? rest->substr(1) : *rest);
      found = true;
      break;
    }
  }
  return text;
}

std::string_view next_word(std::string_view& text) {
  text = without_space(text);
  std::size_t end = 0;
  while (end < text.size() && is_word_byte(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<std::size_t> read_number(std::string_view word) {
  const auto& numbers = instruction_words().numbers;
  if (const auto found = numbers.find(std::string(word)); found != numbers.end())
    return found->second;
  if (word.empty() || word.size() > 6) return std::nullopt;
  std::size_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

// The number of `ten words`, at the beginning of the text.
std::optional<std::size_t> count_of_words(std::string_view text) {
  auto value = read_number(next_word(text));
  std::string_view unit = next_word(text);
  if (const auto second = read_number(unit); value && second && *second == 100) {
    *value *= 100;
    unit = next_word(text);
  }
  return is_one_of(unit, instruction_words().units) ? value : std::nullopt;
}

// `at most ten words`, at the beginning of the text.
std::optional<std::size_t> word_limit(std::string_view text, std::size_t& steps) {
  for (const auto& most : instruction_words().most) {
    ++steps;
    const auto rest = behind(text, most);
    if (!rest) continue;
    if (is_one_of(most, instruction_words().within)) {
      const std::string_view inner = without_space(*rest);
      for (const auto& again : instruction_words().most) {
        ++steps;
        if (const auto left = behind(inner, again))
          if (const auto value = count_of_words(*left)) return value;
      }
    }
    if (const auto value = count_of_words(*rest)) return value;
  }
  return std::nullopt;
}

// Short language names are also ordinary words.
bool names(std::string_view original, const Language& language) {
  if (language.name.size() > 2) return true;
  return any_place(original, language.name, [](std::size_t) { return true; });
}

// A language's name in a sentence.
struct Mention {
  std::size_t begin, end;
  const Language* language;
};

// The mentions that may be part of a requested form, in order.
std::vector<Mention> mentions(std::string_view text, std::string_view original) {
  std::vector<Mention> out;
  for (const Language& language : languages()) {
    if (!language.programming || !language.dialect_of.empty() || !names(original, language))
      continue;
    const std::string name = folded(language.name);
    any_place(text, name, [&](std::size_t at) {
      const std::size_t end = at + name.size();
      const std::string_view rest = text.substr(end);
      // the `c` of `c++` does not count
      if (!rest.starts_with('+') && !rest.starts_with('#') && ends_form(rest))
        out.push_back({at, end, &language});
      return false;
    });
  }
  std::sort(out.begin(), out.end(), [](auto a, auto b) { return a.begin < b.begin; });
  return out;
}

// `in Python`, `to Rust` (a translation), or `or Go` after a requested language.
void read_languages(std::string_view text, std::string_view original, Form& form) {
  const bool translates = begins_with(text, instruction_words().translations);
  std::size_t asked_end = 0;  // end of the last requested language
  for (const Mention& one : mentions(text, original)) {
    std::string_view before = base::trim(text.substr(0, one.begin));
    const bool is_in = ends_with(before, instruction_words().in) ||
                       (translates && ends_with(before, instruction_words().into));
    if (is_in) before = without_last_word(before);
    const bool either = ends_with(before, instruction_words().or_);
    if (!is_in) {
      if (either || ends_with(before, instruction_words().and_)) before = without_last_word(before);
      if (before.ends_with(',')) before = base::trim(before.substr(0, before.size() - 1));
      if (asked_end == 0 || before.size() != asked_end) continue;
    }
    asked_end = one.end;
    form.any_language = form.any_language || either;
    if (std::find(form.languages.begin(), form.languages.end(), one.language) ==
        form.languages.end())
      form.languages.push_back(one.language);
  }
}

void read_sentence(std::string_view original, Form& form, std::size_t& steps) {
  std::string all = folded(original);
  std::replace(all.begin(), all.end(), '\n', ' ');
  const std::string_view text = without_politeness(all);
  if (text.ends_with('?') && !word_limit(text, steps) && text.size() == all.size())
    return;  // a question; `could you …?` is a request
  if (begins_with(text, instruction_words().json_alone)) form.json = true;
  const auto limit = word_limit(text, steps);
  if (limit) form.most_words = limit;
  if (begins_with(text, instruction_words().code_verbs)) read_languages(text, original, form);
  if (!begins_with(text, instruction_words().verbs) || holds(text, instruction_words().programs))
    return;
  form.json = form.json || holds_form(text, instruction_words().json);
  form.table = form.table || holds_form(text, instruction_words().table);
  form.list = form.list || holds_form(text, instruction_words().list);
  if (const auto what = behind(text, "list")) {
    std::string_view rest = *what;
    const std::string_view word = next_word(rest);
    form.list = form.list || read_number(word) || is_one_of(word, instruction_words().listed);
  }
  form.list = form.list || begins_with(text, instruction_words().list_verbs);
  for (std::size_t at = text.find(' '); at != std::string_view::npos && !limit;
       at = text.find(' ', at + 1))
    if (const auto within = word_limit(text.substr(at + 1), steps)) {
      form.most_words = within;
      break;
    }
  if (form.list && form.table) form.list = false;  // list them in a table
}

void read_text(std::string_view prompt, Form& form, std::size_t& steps) {
  for (const auto& prose : base::outline_of(prompt).prose) {
    if (prose.kind != base::Prose::Kind::paragraph && prose.kind != base::Prose::Kind::item)
      continue;
    for (const auto sentence : sentences(prose.text)) read_sentence(sentence, form, steps);
  }
}

}  // namespace

Form form_asked_for(std::string_view prompt, std::size_t* steps) {
  constexpr std::size_t kMostPart = 8 << 10;  // bytes: instructions are at either end
  Form form;
  std::size_t looked = 0;
  if (prompt.size() <= 2 * kMostPart) {
    read_text(prompt, form, looked);
  } else {
    read_text(prompt.substr(0, kMostPart), form, looked);
    read_text(prompt.substr(prompt.size() - kMostPart), form, looked);
  }
  if (steps) *steps += looked;
  return form;
}

}  // namespace vibe::fitness
