// Redactor: removes secrets from texts that are stored or shown, and restores them for replays.
// Immutable once filled; safe from any thread.
//
// A secret is a value of `secret('NAME')`, a model's key (from the environment or a header), or a
// tool server's token. The rule depends on who wrote a text:
//   - Others (prompts, answers, output of tools, judges, programs and services, arguments of
//     checks): every secret is removed, of any length. apply_to() for whole texts,
//     apply_to_quote() for what a message quotes.
//   - vibe itself (the words around such quotes): they cannot contain a secret, since values enter
//   a
//     message only as quotes, which are masked when they are inserted (check::Mask,
//     model::Failure::own, model::ToolServerSettings::mask). A search for a short secret would find
//     it in our words by chance: `Tok[NAME]n count` helps nobody, and reveals that the secret is
//     `e`.
//   - As a safety net, apply_to_message() removes values of kLeastPart bytes or more from whole
//     messages: such values do not occur by chance.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::run {

class Redactor {
 public:
  // `value` becomes `[NAME]` wherever it occurs: unchanged, JSON-escaped, joined into one line, or
  // any whole line of it. Empty values are ignored.
  void add(std::string_view value, std::string_view name);

  bool empty() const { return forms_.empty(); }
  std::string apply(std::string_view text) const;
  void apply_to(std::string& text) const;

  // For a text by others that may have been shortened: also removes the rest of a secret before or
  // after a `…`.
  void apply_to_quote(std::string& text) const;

  // For a message whose first `own` bytes are our own words with masked quotes: the rest of it is
  // treated as a quote.
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  void apply_to_message(std::string& text, std::size_t own = kAll) const;

  // Turns `[NAME]` back into the value.
  void restore(std::string& text) const;

 private:
  struct Form {
    std::string text, shown;
  };
  struct Place {
    std::size_t begin, end;
    const Form* form;
  };

  void add_form(std::string text, const std::string& shown);
  std::vector<Place> find(std::string_view text) const;
  void add_cut_places(std::string_view text, std::vector<Place>& out) const;
  static void replace(std::string& text, std::vector<Place> places);

  std::vector<Form> forms_, whole_;  // all forms; the plain values, which restore() uses
};

}  // namespace vibe::run
