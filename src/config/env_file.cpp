#include "config/env_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::config {

using base::Code;

namespace {

constexpr std::string_view kBlank = " \t\r";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class EnvReader {
 public:
  EnvReader(const std::string& name, std::string_view text, base::Diagnostics& out)
      : name_(name), text_(text), out_(out) {}

  Variables read() {
    if (const auto bad = base::first_invalid(text_)) {
      report(Code::not_text, *bad, *bad + 1, "the file is not UTF-8 text");
      return {};
    }
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    for (; at_ < text_.size(); skip_line()) read_line();
    return std::move(variables_);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlank, at_), text_.size()); }
  std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }
  void skip_line() { at_ = std::min(line_end() + 1, text_.size()); }

  void read_line() {
    skip_blanks();
    if (peek() == '\n' || peek() == '#') return;
    const auto begin = at_;
    auto name = take_name();
    if (name == "export" && kBlank.find(peek()) != std::string_view::npos) {
      skip_blanks();
      if (peek() != '=') name = take_name();
    }
    skip_blanks();
    if (name.empty() || peek() != '=') {
      report(Code::bad_config, begin, line_end(), "a line is not `NAME=value`",
             "a comment begins with `#`");
      return;
    }
    ++at_;
    skip_blanks();
    if (auto value = take_value(name)) variables_[std::string(name)] = *std::move(value);
  }

  std::string_view take_name() {
    const auto begin = at_;
    if (!is_letter(peek())) return {};
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::optional<std::string> take_value(std::string_view name) {
    if (peek() == '"' || peek() == '\'') return take_quoted(name);
    const auto line = text_.substr(at_, line_end() - at_);
    auto end = line.starts_with('#') ? 0 : line.size();
    for (const auto* const comment : {" #", "\t#"}) end = std::min(end, line.find(comment));
    return std::string(base::trim(line.substr(0, end)));
  }

  std::optional<std::string> take_quoted(std::string_view name) {
    const auto begin = at_;
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        take_escape(quote, value);
      else
        value += text_[at_++];
    }
    if (at_ == text_.size()) {
      at_ = begin;  // the following lines are read on their own
      report(Code::bad_config, begin, begin + 1,
             fmt::format("the value of `{}` has no closing quote", name));
      return std::nullopt;
    }
    ++at_;
    skip_blanks();
    if (peek() == '\n' || peek() == '#') return value;
    report(Code::bad_config, at_, line_end(),
           fmt::format("there is text after the closing quote of `{}`", name));
    return std::nullopt;
  }

  void take_escape(char quote, std::string& value) {
    static constexpr std::string_view kFrom = "nrt\"\\$", kTo = "\n\r\t\"\\$";
    const char c = text_[at_ + 1];
    const auto known = quote == '"' ? kFrom.find(c) : std::string_view::npos;
    if (known == std::string_view::npos) {  // unchanged
      value += text_[at_++];
      return;
    }
    value += kTo[known];
    at_ += 2;
  }

  void report(Code code, std::size_t begin, std::size_t end, std::string message,
              std::string hint = {}) {
    if (!hidden_) hidden_ = base::make_source(name_, hide());
    out_.add(code, {hidden_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}},
             std::move(message), std::move(hint));
  }

  // The text with everything but line breaks masked, since diagnostics show the line they point at.
  std::string hide() const {
    std::string out(text_);
    for (auto& c : out)
      if (c != '\n') c = '*';
    return out;
  }

  const std::string& name_;
  std::string_view text_;
  base::Diagnostics& out_;
  base::SourcePtr hidden_;
  std::size_t at_ = 0;
  Variables variables_;
};

}  // namespace

Variables read_env_file(const std::string& name, std::string_view text, base::Diagnostics& out) {
  return EnvReader(name, text, out).read();
}

}  // namespace vibe::config
