// Redactor: takes secrets out of texts that are kept or shown, and puts them back for replays.
// Immutable once filled; safe from any thread.
//
// A secret is a value of `secret('NAME')`, a key of a model (by environment or header), the token
// of a tool server. The rule, by whose words a text is:
//   - Not ours (prompts, answers, what tools, judges, programs and services said, arguments of
//     checks): every secret is taken out, of any length. apply_to() for whole texts,
//     apply_to_quote() for what a message quotes.
//   - Ours (the words around such quotes): no secret can be in them, for values come into a message
//     by its quotes alone, which are masked where they are put in (check::Mask,
//     model::Failure::own, model::ToolServerSettings::mask). To look for a short one would find it
//     in our words by chance: `Tok[NAME]n count` helps nobody, and tells that the secret is `e`.
//   - As a net below that, apply_to_message() takes values of kLeastPart bytes or more out of whole
//     messages: they are not found by chance.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::run {

class Redactor {
 public:
  // `value` becomes `[NAME]` wherever it occurs: as it is, as JSON escapes it, in one line, or a
  // whole line of it. Empty values are ignored.
  void add(std::string_view value, std::string_view name);

  bool empty() const { return forms_.empty(); }
  std::string apply(std::string_view text) const;
  void apply_to(std::string& text) const;

  // Of a text that is not ours and may have been shortened: also takes out what is left of a secret
  // before or after a `…`.
  void apply_to_quote(std::string& text) const;

  // Of a message whose first `own` bytes are our own words, and what it quotes is masked: what is
  // left of it is treated as a quote.
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  void apply_to_message(std::string& text, std::size_t own = kAll) const;

  // `[NAME]` becomes the value again.
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

  std::vector<Form> forms_, whole_;  // all of them; those that are put back
};

}  // namespace vibe::run
