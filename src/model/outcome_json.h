// Outcomes as JSON, for recordings. Private to model/. Pure, safe from any thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_value.h"
#include "model/model.h"

namespace vibe::model {

// Writes the key `answer` or `failure` and its value.
void write_outcome(base::JsonWriter& json, const Outcome& outcome);

void write_message(base::JsonWriter& json, const Message& message);

// Text that is not UTF-8 is written as `{"latin1": "…"}`, one character per byte.
void write_text(base::JsonWriter& json, std::string_view text);

// Reads members of JSON objects and keeps the first problem. A member that is absent or null leaves
// its target unchanged.
class FieldReader {
 public:
  struct Problem {
    std::string key;  // the key with the problem; empty: the whole
    std::string message, hint;
  };

  // False if it is not an object, or has other members.
  bool object(const base::JsonValue& value, std::string_view what,
              std::initializer_list<std::string_view> keys);
  void text(const base::JsonValue& object, std::string_view key, std::string& out);
  void count(const base::JsonValue& object, std::string_view key,
             std::optional<std::int64_t>& out);  // from 0
  void amount(const base::JsonValue& object, std::string_view key,
              std::optional<double>& out);  // from 0
  Message message(const base::JsonValue& value);
  Outcome outcome(const base::JsonValue& value);  // from its `answer` or `failure`

  void fail(std::string_view key, std::string message, std::string hint = {});
  const std::optional<Problem>& problem() const { return problem_; }

 private:
  const base::JsonValue* member(const base::JsonValue& object, std::string_view key);
  const base::JsonValue::Array& list(const base::JsonValue& object, std::string_view key);
  ToolCall call(const base::JsonValue& value);
  void flag(const base::JsonValue& object, std::string_view key, bool& out);
  Answer answer(const base::JsonValue& value);
  Failure failure(const base::JsonValue& value);
  void tries(const base::JsonValue& object, int& out);

  std::optional<Problem> problem_;
};

}  // namespace vibe::model
