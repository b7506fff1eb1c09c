#include "run/redact.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace vibe::run {

namespace {

constexpr std::size_t kLeastPart = 6;  // bytes; shorter parts of a secret are not hidden
constexpr std::string_view kCut = "…";

std::string json_escaped(std::string_view text) {
  const std::string quoted = base::JsonWriter().string(text).text();
  return quoted.substr(1, quoted.size() - 2);
}

// As ASCII-only JSON writers escape it, with or without a backslash before each slash.
std::string ascii_escaped(std::string_view escaped, bool slashes) {
  std::string out;
  const auto add_unit = [&](unsigned unit) { out += fmt::format("\\u{:04x}", unit); };
  for (std::size_t i = 0; i < escaped.size();) {
    const auto point = base::decode(escaped, i);
    const auto value = static_cast<unsigned>(point.value);
    if (value >= 0x10000) {
      add_unit(0xd800 + ((value - 0x10000) >> 10));
      add_unit(0xdc00 + ((value - 0x10000) & 0x3ff));
    } else if (value >= 0x80) {
      add_unit(value);
    } else {
      if (value == '/' && slashes) out += '\\';
      out += static_cast<char>(value);
    }
    i += point.length;
  }
  return out;
}

}  // namespace

void Redactor::add(std::string_view value, std::string_view name) {
  if (value.empty()) return;
  const std::string shown = fmt::format("[{}]", name);
  whole_.push_back({std::string(value), shown});
  add_form(std::string(value), shown);
  // Also as JSON, and as JSON in JSON: judges get texts in that form.
  std::vector<std::string> encoded{std::string(value)};
  for (int level = 0; level < 2; ++level) {
    std::vector<std::string> next;
    for (const auto& text : encoded) {
      const std::string escaped = json_escaped(text);
      next.push_back(escaped);
      for (const bool slashes : {false, true}) next.push_back(ascii_escaped(escaped, slashes));
    }
    for (const auto& text : next) add_form(text, shown);
    encoded = std::move(next);
  }
  add_form(base::printable(value), shown);
  add_form(base::fold_white_space(base::trim(value)), shown);
  for (std::size_t begin = 0; value.find('\n') != std::string_view::npos && begin < value.size();) {
    const std::size_t end = std::min(value.find('\n', begin), value.size());
    const auto line = base::trim(value.substr(begin, end - begin));
    if (line.size() >= kLeastPart) add_form(std::string(line), shown);
    begin = end + 1;
  }
}

void Redactor::add_form(std::string text, const std::string& shown) {
  const bool is_known = std::any_of(forms_.begin(), forms_.end(),
                                    [&](const Form& form) { return form.text == text; });
  if (!text.empty() && !is_known) forms_.push_back({std::move(text), shown});
}

std::vector<Redactor::Place> Redactor::find(std::string_view text) const {
  std::vector<Place> out;
  for (const auto& form : forms_)
    for (auto at = text.find(form.text); at != std::string_view::npos;
         at = text.find(form.text, at + 1))
      out.push_back({at, at + form.text.size(), &form});
  return out;
}

// Finds the start of a secret before a `…`, and the end of one after it.
void Redactor::add_cut_places(std::string_view text, std::vector<Place>& out) const {
  for (auto cut = text.find(kCut); cut != std::string_view::npos;
       cut = text.find(kCut, cut + kCut.size())) {
    const std::string_view before = text.substr(0, cut), after = text.substr(cut + kCut.size());
    for (const auto& form : forms_) {
      const std::string_view secret = form.text;
      for (std::size_t length = std::min(secret.size(), before.size()); length >= kLeastPart;
           --length)
        if (before.ends_with(secret.substr(0, length))) {
          out.push_back({cut - length, cut, &form});
          break;
        }
      for (std::size_t length = std::min(secret.size(), after.size()); length >= kLeastPart;
           --length)
        if (after.starts_with(secret.substr(secret.size() - length))) {
          out.push_back({cut + kCut.size(), cut + kCut.size() + length, &form});
          break;
        }
    }
  }
}

// Overlapping places become one, named after the longest of those that begin first.
void Redactor::replace(std::string& text, std::vector<Place> places) {
  if (places.empty()) return;
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::string out;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < places.size();) {
    const Place& first = places[i];
    std::size_t end = first.end;
    for (++i; i < places.size() && places[i].begin < end; ++i) end = std::max(end, places[i].end);
    out.append(text, kept, first.begin - kept).append(first.form->shown);
    kept = end;
  }
  text = out.append(text, kept);
}

std::string Redactor::apply(std::string_view text) const {
  std::string out(text);
  apply_to(out);
  return out;
}

void Redactor::apply_to(std::string& text) const { replace(text, find(text)); }

void Redactor::apply_to_quote(std::string& text) const { apply_to_message(text, 0); }

void Redactor::apply_to_message(std::string& text, std::size_t own) const {
  auto places = find(text);
  std::erase_if(places, [&](const Place& place) {
    return place.begin < own && place.form->text.size() < kLeastPart;
  });
  add_cut_places(text, places);
  replace(text, std::move(places));
}

void Redactor::restore(std::string& text) const {
  for (const auto& [value, shown] : whole_)
    for (auto at = text.find(shown); at != std::string::npos;
         at = text.find(shown, at + value.size()))
      text.replace(at, shown.size(), value);
}

}  // namespace vibe::run
