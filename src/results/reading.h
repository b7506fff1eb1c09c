// Reading: what the readers of other tools' results share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/json_stream.h"
#include "base/json_value.h"

namespace vibe::results {

// Most bytes of one result that are kept; skipped text does not count.
inline constexpr std::size_t kMostKept = 16u << 20;

// Reports the stream's error, if it did not reach its end.
void report(const base::JsonStream& stream, const std::string& file, base::Diagnostics& out);
void report(base::Code code, const std::string& file, std::uint64_t line, std::string message,
            base::Diagnostics& out, std::string hint = {});

// The members of the next object; none after an error, which is reported.
std::optional<base::JsonValue> take(base::JsonStream& stream,
                                    std::span<const std::string_view> paths,
                                    const std::string& file, base::Diagnostics& out);

// Tags that formulas can select by: the entries of `tags`, and `key=value` for other keys whose
// value is one short line of text, a whole number, true or false.
std::vector<std::string> tags_of(const base::JsonValue* metadata);

// The value if it is not negative, else undefined.
double figure(std::optional<double> value);

// Why a sample could not be answered or judged, shortened to one line.
std::string shown_error(std::string_view text);
// The same from a tool's JSON: a text, or an object with a `message`; none if there is neither.
std::optional<std::string> error_of(const base::JsonValue* value);

// Which of several names are chosen: those that match the glob, or the only one. Reports if none
// matches, or if there are several and no choice. `option` is `--provider`, `what` is `models`.
std::vector<bool> choose(std::span<const std::string> names,
                         const std::optional<std::string>& chosen, std::string_view option,
                         std::string_view what, const std::string& file, base::Diagnostics& out);

}  // namespace vibe::results
