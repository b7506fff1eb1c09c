// Redactor: takes secrets out of texts that are kept or shown, and puts them back for replays.
// Immutable once filled; safe from any thread.
#pragma once

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

  // Of a message that quotes other texts: also takes out what is left of a secret where the
  // quotation was shortened (`…`).
  void apply_to_message(std::string& text) const;

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
