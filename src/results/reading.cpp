#include "results/reading.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/input.h"

namespace vibe::results {

using base::Code;
using base::JsonValue;

namespace {

constexpr std::size_t kMostListed = 12, kMostTag = 64;
constexpr std::size_t kMostError = 300;  // code points

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", base::shorten(base::printable(names[i]), 60));
  if (names.size() > kMostListed) out += fmt::format(" and {} more", names.size() - kMostListed);
  return out;
}

std::optional<std::string> as_tag(const JsonValue& value) {
  std::string text;
  if (const auto* string = value.text())
    text = *string;
  else if (const auto boolean = value.boolean())
    text = *boolean ? "true" : "false";
  else if (const auto integer = value.integer())
    text = fmt::format("{}", *integer);
  if (text.empty() || text.size() > kMostTag || base::printable(text) != text) return std::nullopt;
  return text;
}

}  // namespace

void report(Code code, const std::string& file, std::uint64_t line, std::string message,
            base::Diagnostics& out, std::string hint) {
  out.add(code, {base::make_source(file, "", static_cast<std::uint32_t>(line)), {}},
          std::move(message), std::move(hint));
}

void report(const base::JsonStream& stream, const std::string& file, base::Diagnostics& out) {
  const auto& failure = stream.failure();
  if (!failure) return;
  if (failure->source)
    out.append(*failure->source);
  else
    report(Code::bad_document, file, failure->line,
           fmt::format("the JSON is damaged: {}", failure->message), out);
}

std::optional<JsonValue> take(base::JsonStream& stream, std::span<const std::string_view> paths,
                              const std::string& file, base::Diagnostics& out) {
  const std::uint64_t line = stream.line();
  std::string text;
  if (!stream.copy_members(paths, text, kMostKept)) return std::nullopt;
  auto value = base::parse_json(text);
  if (value) return std::move(*value);
  report(Code::bad_document, file, line,
         fmt::format("the JSON is damaged in the value that begins here: {}", value.error()), out);
  return std::nullopt;
}

std::vector<std::string> tags_of(const JsonValue* metadata) {
  std::vector<std::string> out;
  const auto* members = metadata ? metadata->object() : nullptr;
  if (!members) return out;
  for (const auto& [key, value] : *members) {
    if (key.starts_with('_')) continue;
    if (key == "tags") {
      if (const auto* list = value.array()) {
        for (const auto& item : *list)
          if (auto tag = as_tag(item)) out.push_back(std::move(*tag));
      } else if (auto tag = as_tag(value)) {
        out.push_back(std::move(*tag));
      }
    } else if (const auto tag = as_tag(value);
               tag && key.size() <= kMostTag && base::printable(key) == key) {
      out.push_back(fmt::format("{}={}", key, *tag));
    }
  }
  return out;
}

double figure(std::optional<double> value) {
  return value && *value >= 0 ? *value : formula::kUndefined;
}

std::string shown_error(std::string_view text) {
  constexpr std::size_t kMostBytes = 8 * kMostError;  // avoids scanning megabytes
  return base::shorten(base::fold_white_space(base::trim(text.substr(0, kMostBytes))), kMostError);
}

std::optional<std::string> error_of(const JsonValue* value) {
  if (!value || value->is_null() || value->boolean() == false) return std::nullopt;
  const JsonValue* message = value->find("message");
  if (message && message->text()) return shown_error(*message->text());
  if (!value->text()) return shown_error(to_text(*value));
  return value->text()->empty() ? std::nullopt : std::optional(shown_error(*value->text()));
}

std::vector<bool> choose(std::span<const std::string> names,
                         const std::optional<std::string>& chosen, std::string_view option,
                         std::string_view what, const std::string& file, base::Diagnostics& out) {
  std::vector<bool> fits(names.size(), true);
  if (!chosen) {
    if (names.size() > 1)
      report(Code::mixed_results, file, 1,
             fmt::format("the results come from {} {}: {}", names.size(), what, listed(names)), out,
             fmt::format("choose with `{} NAME`; a glob selects several", option));
    return fits;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    fits[i] = names[i] == *chosen || base::glob_match(*chosen, names[i]);
  if (std::find(fits.begin(), fits.end(), true) == fits.end())
    report(Code::no_such_result, file, 1,
           fmt::format("`{} {}` matches none of the {}: {}", option,
                       base::shorten(base::printable(*chosen), 60), what, listed(names)),
           out);
  return fits;
}

}  // namespace vibe::results
