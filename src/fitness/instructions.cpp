#include "fitness/instructions.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/markdown.h"
#include "base/text.h"
#include "fitness/phrases.h"

namespace vibe::fitness {

namespace {

using PhraseList = std::span<const std::string_view>;

// What a sentence may begin with before its verb; those of several words first.
constexpr std::string_view kPolite[]{"i would like you to",
                                     "i want you to",
                                     "i need you to",
                                     "can you please",
                                     "could you please",
                                     "can you",
                                     "could you",
                                     "would you",
                                     "please",
                                     "kindly",
                                     "now",
                                     "then",
                                     "and",
                                     "bạn có thể",
                                     "bạn hãy",
                                     "xin hãy",
                                     "hãy",
                                     "vui lòng",
                                     "xin",
                                     "làm ơn",
                                     "giúp tôi",
                                     "giúp mình"};

// Verbs that ask for an answer.
constexpr std::string_view kVerbs[]{
    "answer",     "compare", "create",   "describe",  "display",   "enumerate", "explain",
    "extract",    "format",  "generate", "give",      "list",      "make",      "output",
    "present",    "print",   "produce",  "provide",   "put",       "render",    "reply",
    "respond",    "return",  "show",     "summarise", "summarize", "tell",      "write",
    "trả lời",    "trả về",  "cho",      "đưa ra",    "viết",      "so sánh",   "trình bày",
    "liệt kê",    "tóm tắt", "lập",      "tạo",       "hiển thị",  "xuất",      "mô tả",
    "giải thích", "kẻ"};

// Verbs that ask for code, and those that ask for it in another language.
constexpr std::string_view kCodeVerbs[]{
    "build", "code",    "create",  "generate", "give",      "implement", "make",
    "port",  "provide", "rewrite", "show",     "translate", "convert",   "write",
    "viết",  "tạo",     "cho",     "cài đặt",  "lập trình", "chuyển",    "dịch"};

// Verbs of those that name the language behind `to`.
constexpr std::string_view kTranslations[]{"convert", "port",     "rewrite", "translate",
                                           "chuyển",  "viết lại", "dịch"};

// What stands before a language's name, where the code is to be in it.
constexpr std::string_view kIn[]{"in", "using", "bằng"};
constexpr std::string_view kInto[]{"to", "into", "sang"};
constexpr std::string_view kAnd[]{"and", "và"};
constexpr std::string_view kOr[]{"or", "hoặc"};

// What is about programs is no form of the answer: `write a function that returns JSON`.
constexpr std::string_view kPrograms[]{
    "function", "program", "script",       "class", "method",  "code",     "module", "test",
    "tests",    "api",     "endpoint",     "query", "command", "parser",   "server", "app",
    "file",     "hàm",     "chương trình", "lớp",   "đoạn mã", "tập lệnh", "tệp",    "truy vấn"};

constexpr std::string_view kJson[]{"as json",         "as valid json",      "in json",
                                   "with json",       "with valid json",    "as a json object",
                                   "as a json array", "with a json object", "with a json array",
                                   "in json format",  "json only",          "only json",
                                   "dạng json",       "định dạng json",     "bằng json"};
constexpr std::string_view kJsonAlone[]{"json only", "only json", "valid json only", "chỉ json"};
constexpr std::string_view kTable[]{"in a table",          "as a table",          "in table form",
                                    "in a markdown table", "as a markdown table", "in tabular form",
                                    "trong một bảng",      "dạng bảng",           "thành bảng",
                                    "bằng bảng",           "bảng so sánh"};
constexpr std::string_view kList[]{"as a list",          "as a bulleted list", "as a bullet list",
                                   "as a numbered list", "in a list",          "in a bulleted list",
                                   "in a numbered list", "as bullet points",   "in bullet points",
                                   "as bullets",         "dạng danh sách",     "thành danh sách",
                                   "gạch đầu dòng",      "danh sách đánh số"};
constexpr std::string_view kWhatIsListed[]{"the", "all",   "some", "every",    "each",
                                           "any", "at",    "up",   "possible", "your",
                                           "its", "their", "a",    "common",   "me"};

// Behind a form, where the sentence is about the form itself: `in a table called users` is not.
constexpr std::string_view kBehind[]{
    "only",  "format",  "form", "with",   "and",  "or", "that", "which", "to", "for",
    "using", "showing", "code", "please", "hoặc", "và", "với",  "gồm",   "để", "please"};

constexpr std::string_view kMost[]{
    "at most", "no more than", "not more than", "maximum of", "a maximum of", "max",    "maximum",
    "up to",   "under",        "below",         "fewer than", "less than",    "within", "in",
    "tối đa",  "không quá",    "nhiều nhất",    "dưới",       "trong vòng",   "trong"};

struct Number {
  std::string_view word;
  std::size_t value;
};
constexpr Number kNumbers[]{
    {"a", 1},       {"one", 1},       {"two", 2},     {"three", 3},   {"four", 4},   {"five", 5},
    {"six", 6},     {"seven", 7},     {"eight", 8},   {"nine", 9},    {"ten", 10},   {"eleven", 11},
    {"twelve", 12}, {"fifteen", 15},  {"twenty", 20}, {"thirty", 30}, {"forty", 40}, {"fifty", 50},
    {"sixty", 60},  {"hundred", 100}, {"một", 1},     {"hai", 2},     {"ba", 3},     {"bốn", 4},
    {"năm", 5},     {"sáu", 6},       {"bảy", 7},     {"tám", 8},     {"chín", 9},   {"mười", 10},
    {"trăm", 100}};

// Whole words at the beginning of the text; what is behind them, or nothing.
std::optional<std::string_view> behind(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return std::nullopt;
  text.remove_prefix(words.size());
  if (!text.empty() && is_word_byte(text[0])) return std::nullopt;
  return text;
}

std::string_view without_space(std::string_view text) {
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  return text;
}

bool begins_with(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](auto words) { return behind(text, words); });
}

bool ends_with(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](auto words) {
    return text.ends_with(words) &&
           (text.size() == words.size() || !is_word_byte(text[text.size() - words.size() - 1]));
  });
}

std::string_view without_last_word(std::string_view text) {
  while (!text.empty() && is_word_byte(text.back())) text.remove_suffix(1);
  return base::trim(text);
}

// Calls `use(place)` for each place where the words stand as a whole, until it returns true.
template <class Use>
bool any_place(std::string_view text, std::string_view words, Use use) {
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1))
    if ((at == 0 || !is_word_byte(text[at - 1])) && behind(text.substr(at), words) && use(at))
      return true;
  return false;
}

bool holds(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](auto words) {
    return any_place(text, words, [](std::size_t) { return true; });
  });
}

// Whether what follows leaves a form as it is: the end, a mark, or a word of kBehind.
bool ends_form(std::string_view rest) {
  rest = without_space(rest);
  return rest.empty() || !is_word_byte(rest[0]) || (rest[0] >= '0' && rest[0] <= '9') ||
         begins_with(rest, kBehind);
}

bool holds_form(std::string_view text, PhraseList any) {
  return std::any_of(any.begin(), any.end(), [&](auto words) {
    return any_place(text, words,
                     [&](std::size_t at) { return ends_form(text.substr(at + words.size())); });
  });
}

std::string_view without_politeness(std::string_view text) {
  for (bool found = true; found;) {
    found = false;
    for (const auto polite : kPolite) {
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
  for (const auto& row : kNumbers)
    if (row.word == word) return row.value;
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
  const bool is_limit = unit == "words" || unit == "word" || unit == "từ" || unit == "chữ";
  return is_limit ? value : std::nullopt;
}

// `at most ten words`, at the beginning of the text.
std::optional<std::size_t> word_limit(std::string_view text, std::size_t& steps) {
  for (const auto most : kMost) {
    ++steps;
    const auto rest = behind(text, most);
    if (!rest) continue;
    if (most == "in" || most == "trong") {  // in at most ten words
      const std::string_view inner = without_space(*rest);
      for (const auto again : kMost) {
        ++steps;
        if (const auto left = behind(inner, again))
          if (const auto value = count_of_words(*left)) return value;
      }
    }
    if (const auto value = count_of_words(*rest)) return value;
  }
  return std::nullopt;
}

// The names of short languages are words, too.
bool names(std::string_view original, const Language& language) {
  if (language.name.size() > 2) return true;
  return any_place(original, language.name, [](std::size_t) { return true; });
}

// A language's name in a sentence.
struct Mention {
  std::size_t begin, end;
  const Language* language;
};

// Those that may be of a form, in their order.
std::vector<Mention> mentions(std::string_view text, std::string_view original) {
  std::vector<Mention> out;
  for (const Language& language : languages()) {
    if (!language.programming || !language.dialect_of.empty() || !names(original, language))
      continue;
    const std::string name = folded(language.name);
    any_place(text, name, [&](std::size_t at) {
      const std::size_t end = at + name.size();
      const std::string_view rest = text.substr(end);
      // `c` is no word of `c++`
      if (!rest.starts_with('+') && !rest.starts_with('#') && ends_form(rest))
        out.push_back({at, end, &language});
      return false;
    });
  }
  std::sort(out.begin(), out.end(), [](auto a, auto b) { return a.begin < b.begin; });
  return out;
}

// `in Python`, `to Rust` of a translation, `or Go` behind a language that is asked for.
void read_languages(std::string_view text, std::string_view original, Form& form) {
  const bool translates = begins_with(text, kTranslations);
  std::size_t asked_end = 0;  // of the last that is asked for
  for (const Mention& one : mentions(text, original)) {
    std::string_view before = base::trim(text.substr(0, one.begin));
    const bool is_in = ends_with(before, kIn) || (translates && ends_with(before, kInto));
    if (is_in) before = without_last_word(before);
    const bool either = ends_with(before, kOr);
    if (!is_in) {
      if (either || ends_with(before, kAnd)) before = without_last_word(before);
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
    return;  // a question; `could you …?` is none
  if (begins_with(text, kJsonAlone)) form.json = true;
  const auto limit = word_limit(text, steps);
  if (limit) form.most_words = limit;
  if (begins_with(text, kCodeVerbs)) read_languages(text, original, form);
  if (!begins_with(text, kVerbs) || holds(text, kPrograms)) return;
  form.json = form.json || holds_form(text, kJson);
  form.table = form.table || holds_form(text, kTable);
  form.list = form.list || holds_form(text, kList);
  if (const auto what = behind(text, "list")) {
    std::string_view rest = *what;
    const std::string_view word = next_word(rest);
    form.list = form.list || read_number(word) ||
                std::find(std::begin(kWhatIsListed), std::end(kWhatIsListed), word) !=
                    std::end(kWhatIsListed);
  }
  form.list = form.list || behind(text, "liệt kê") || behind(text, "enumerate");
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
  constexpr std::size_t kMostPart = 8 << 10;  // bytes: instructions stand at one of the ends
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
