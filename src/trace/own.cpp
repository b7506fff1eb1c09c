#include "trace/own.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/shape_json.h"
#include "trace/execution_shape.h"

namespace vibe::trace {

namespace {

constexpr double kMostFigure = 1e12;  // seconds or dollars

bool is_count(Json json) { return json.integer().value_or(-1) >= 0; }

Call call_of(Json json);

// Reads the member of a row. A figure that cannot be true is absent.
template <class Row, class Out>
void read_figure(Json json, const Row& row, Out& out) {
  using Value = typename Row::Value;
  const Json from = json[row.key];
  if constexpr (std::is_same_v<Value, std::string>) {
    out = from.text().value_or("");
  } else if constexpr (std::is_enum_v<Value>) {
    out = base::kReadName<Value>(from.text().value_or("")).value_or(Value{});
  } else if constexpr (std::is_same_v<Out, bool>) {
    out = from.boolean().value_or(false);
  } else if constexpr (std::is_same_v<Out, std::optional<bool>>) {
    out = from.boolean();
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    const auto number = from.number();
    if (number && *number >= 0 && *number < kMostFigure) out = number;
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    out = row.wire == base::Wire::micros ? time_of(from) : from.integer();
  } else if constexpr (std::is_integral_v<Value>) {
    const bool is_plain = std::is_same_v<Out, Value>;
    if (is_plain || is_count(from)) out = static_cast<Value>(json.count_of(row.key));
  } else if constexpr (std::is_same_v<Value, std::vector<Call>>) {
    from.each([&](Json call) { out.push_back(call_of(call)); });
  } else {
    from.each([&](Json text) { out.emplace_back(text.text().value_or("")); });
  }
}

template <class Object>
void read_figures(Json json, Object& out, base::Detail detail) {
  base::for_each_row(base::kRows<Object>, [&](const auto& row) {
    if constexpr (std::decay_t<decltype(row)>::kIsMember) {
      if (row.is_detail && detail == base::Detail::none) return;
      row.fill(out, [&](auto& member) {
        read_figure(json, row, member);
        return true;
      });
    }
  });
}

Call call_of(Json json) {
  Call out;
  read_figures(json, out, base::Detail::all);
  return out;
}

Execution execution_of(Json json, bool keep_calls) {
  Execution out;
  read_figures(json, out, keep_calls ? base::Detail::all : base::Detail::none);
  return out;
}

}  // namespace

void write_figures(base::JsonWriter& json, const Execution& execution) {
  base::write_rows<base::WireJson>(json, base::kNameRows, execution);
  base::write_rows<base::WireJson>(json, base::kFigureRows, execution);
}

void write_json(base::JsonWriter& json, const Execution& execution, bool with_calls) {
  json.begin_object();
  base::write_members<base::WireJson>(json, execution,
                                      with_calls ? base::Detail::all : base::Detail::none);
  json.end_object();
}

bool is_own(const Shape& shape) {
  return shape.has("format") && shape.has("tool_calls") && shape.has("failed_calls") &&
         shape.has("corrections");
}

void read_own(base::Input input, Reading& reading) {
  Values values(input);
  BadLines bad;  // lines that are not executions
  for (Json value = values.next(); value.there() && !reading.is_full(); value = values.next()) {
    if (is_count(value["tool_calls"]))
      reading.add(execution_of(value, reading.options().keep_calls));
    else
      bad.add(values.line());
  }
  bad.count += values.bad_lines().count;
  const auto& broken = values.bad_lines().first;
  bad.first.insert(bad.first.end(), broken.begin(), broken.end());
  std::sort(bad.first.begin(), bad.first.end());
  reading.add_bad(bad);
  if (values.failure()) reading.add_problem(*values.failure());
}

std::span<const Field> own_fields() {
  static constexpr std::array kFields{
      Field{"all",
            "the output of `vibe fitness show --jsonl`, with every call if `--calls` was given"},
  };
  return kFields;
}

}  // namespace vibe::trace
