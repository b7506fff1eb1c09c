// Reads with simdjson itself rather than base/json_dom.h: a number stays as it is written, however
// large, and messages point at the token.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"
#include "suite/cases.h"

namespace vibe::suite {

namespace {

namespace ondemand = simdjson::ondemand;

class JsonlReader {
 public:
  JsonlReader(const base::SourcePtr& file, TableBuilder& table)
      : file_(file), table_(table), text_(file->text()) {
    size_ = text_.size();
    text_.append(simdjson::SIMDJSON_PADDING, '\0');
  }

  void read() {
    std::size_t begin = std::string_view(text_).starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (begin < size_) {
      const std::size_t end = std::min(text_.find('\n', begin), size_);
      if (!base::trim(std::string_view(text_).substr(begin, end - begin)).empty() &&
          !read_line(begin, end))
        return;
      begin = end + 1;
    }
  }

 private:
  // False once there are too many rows, or if the columns have no names.
  bool read_line(std::size_t begin, std::size_t end) {
    begin_ = begin;
    end_ = end;
    const bool first = !table_.has_columns();
    cells_.clear();
    if (!read_object()) return !first;
    return table_.add_row(cells_, line());
  }

  bool read_object() {
    ondemand::document document;
    ondemand::object object;
    const simdjson::padded_string_view json(text_.data() + begin_, end_ - begin_,
                                            text_.size() - begin_);
    if (auto error = parser_.iterate(json).get(document)) return broken(error);
    ondemand::json_type type;
    if (auto error = document.type().get(type)) return broken(error);
    if (type != ondemand::json_type::object) {
      table_.fail(line(), "this line is not a JSON object");
      return false;
    }
    if (auto error = document.get_object().get(object)) return broken(error);
    bool good = true;
    for (auto next : object) {
      ondemand::field field;
      if (auto error = std::move(next).get(field)) return broken(error);
      NamedCell cell;
      std::string_view name;
      const char* const key = field.key().raw();
      const auto key_begin = static_cast<std::size_t>(key - text_.data()) - 1;  // its quote
      if (auto error = field.unescaped_key().get(name)) return broken(error);
      cell.name = {std::string(name), where(key_begin, end_of_string(key_begin))};
      ondemand::value value = field.value();
      std::string_view unfit;
      if (auto error = read_value(value, cell.value, unfit)) return broken(error);
      if (!unfit.empty()) {
        table_.fail(cell.name.where,
                    fmt::format("{} is {}, expected a string, a number or a boolean",
                                check::quoted(name), unfit));
        good = false;
      }
      cells_.push_back(std::move(cell));
    }
    // After the last value simdjson says "out of bounds": that is success here.
    const char* rest = nullptr;
    if (document.current_location().get(rest) != simdjson::OUT_OF_BOUNDS) {
      table_.fail(line(), "there is more on this line than one JSON object");
      return false;
    }
    return good;
  }

  // If a value cannot be a cell, `unfit` says what it is.
  simdjson::error_code read_value(ondemand::value& value, Cell& cell, std::string_view& unfit) {
    ondemand::json_type type;
    if (auto error = value.type().get(type)) return error;
    const std::string_view token = base::trim(value.raw_json_token());
    const auto begin = static_cast<std::size_t>(token.data() - text_.data());
    cell.where = where(begin, begin + token.size());
    switch (type) {
      case ondemand::json_type::string: {
        std::string_view text;
        if (auto error = value.get_string().get(text)) return error;
        cell.text = text;
        return simdjson::SUCCESS;
      }
      case ondemand::json_type::number: {
        double number;
        if (auto error = value.get_double().get(number)) return error;
        cell.text = token;
        return simdjson::SUCCESS;
      }
      case ondemand::json_type::boolean: {
        bool flag;
        if (auto error = value.get_bool().get(flag)) return error;
        cell.text = flag ? "true" : "false";
        return simdjson::SUCCESS;
      }
      case ondemand::json_type::null:
        unfit = "null";
        return token == "null" ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
      case ondemand::json_type::array: unfit = "a list"; return simdjson::SUCCESS;
      case ondemand::json_type::object: unfit = "an object"; return simdjson::SUCCESS;
    }
    return simdjson::INCORRECT_TYPE;
  }

  bool broken(simdjson::error_code error) {
    table_.fail(line(), fmt::format("this line is not valid JSON: {}", reason(error)));
    return false;
  }

  static std::string_view reason(simdjson::error_code error) {
    switch (error) {
      case simdjson::STRING_ERROR: return "a malformed string";
      case simdjson::UNCLOSED_STRING: return "a string that is not closed";
      case simdjson::NUMBER_ERROR: return "a malformed number";
      case simdjson::T_ATOM_ERROR:
      case simdjson::F_ATOM_ERROR:
      case simdjson::N_ATOM_ERROR: return "an invalid literal: expected `true`, `false` or `null`";
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "a bracket that is not closed";
      default: return "malformed";
    }
  }

  std::size_t end_of_string(std::size_t quote) const {
    std::size_t at = quote + 1;
    while (at < end_ && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
    return std::min(at + 1, end_);
  }

  base::Where where(std::size_t begin, std::size_t end) const {
    return {file_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  }
  base::Where line() const {
    const std::size_t end = end_ > begin_ && text_[end_ - 1] == '\r' ? end_ - 1 : end_;
    return where(begin_, end);
  }

  const base::SourcePtr& file_;
  TableBuilder& table_;
  std::string text_;  // with the padding that simdjson needs at the end
  std::size_t size_ = 0, begin_ = 0, end_ = 0;
  ondemand::parser parser_;
  std::vector<NamedCell> cells_;
};

}  // namespace

void read_jsonl(const base::SourcePtr& file, TableBuilder& table) {
  JsonlReader(file, table).read();
}

}  // namespace vibe::suite
