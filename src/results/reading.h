// Reading: what the readers of other tools' results have in common.
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

// Text of one result that is looked at; what is passed over does not count.
inline constexpr std::size_t kMostKept = 16u << 20;

// Reports what the stream ended with, if with anything but its end.
void report(const base::JsonStream& stream, const std::string& file, base::Diagnostics& out);
void report(base::Code code, const std::string& file, std::uint64_t line, std::string message,
            base::Diagnostics& out, std::string hint = {});

// The members of the object that comes next; none after an error, which is reported.
std::optional<base::JsonValue> take(base::JsonStream& stream,
                                    std::span<const std::string_view> paths,
                                    const std::string& file, base::Diagnostics& out);

// Tags by which formulas select: `tags` as they are, of the rest `key=value` where the value is
// text of one short line, a whole number, true or false.
std::vector<std::string> tags_of(const base::JsonValue* metadata);

// A figure that is not negative, or undefined.
double figure(std::optional<double> value);

// Why a sample could not be answered or judged, in one line of bearable length.
std::string shown_error(std::string_view text);
// The same of what a tool wrote: a text, or an object with a `message`; none: there is nothing.
std::optional<std::string> error_of(const base::JsonValue* value);

// Which of several names are meant: those that fit the glob, or the only one. Reports where that
// is none, or several and none was chosen. `option` is `--provider`, `what` `models`.
std::vector<bool> choose(std::span<const std::string> names,
                         const std::optional<std::string>& chosen, std::string_view option,
                         std::string_view what, const std::string& file, base::Diagnostics& out);

}  // namespace vibe::results
