#include "check/checks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::check {

using base::Code;
using base::YamlNode;

namespace {

void report_unknown_check(const YamlNode& key, Reading& reading) {
  std::string hint;
  if (key.text == "prompt" || key.text == "checks") {
    hint = "put a follow-up into a list of checks, not inside `or`";
  } else if (reading.may_suggest()) {
    std::vector<std::string_view> names;
    for (const auto& kind : kCheckKinds) names.push_back(kind.name);
    hint = base::did_you_mean(base::nearest(key.text, names));
    if (hint.empty()) hint = fmt::format("the checks are {}", fmt::join(names, ", "));
  }
  reading.add(Code::unknown_check, key, fmt::format("there is no check {}", quoted(key.text)),
              std::move(hint));
}

bool is_follow_up(const YamlNode& item) {
  return item.kind == YamlNode::Kind::map && (item.find("prompt") || item.find("checks"));
}

Checks read_level(const YamlNode& value, base::Span place, std::size_t level, FollowUps follow_ups,
                  Reading& reading);

void add_follow_up(const YamlNode& item, std::size_t level, FollowUps follow_ups, Reading& reading,
                   Checks& out) {
  const base::Span place = first_key(item);
  if (follow_ups == FollowUps::refused) {
    reading.add(Code::bad_value, place, "`defaults` cannot hold a follow-up",
                "put it into the evals that need it");
    return;
  }
  if (!out.follow_up.empty()) {
    reading.add(Code::too_many, place, "a second follow-up in one list of checks",
                "put it into the `checks` of the first, or join the two prompts");
    return;
  }
  if (level == kMaxLevels) {
    reading.add(Code::too_many, place,
                fmt::format("follow-ups are nested more than {} levels deep", kMaxLevels),
                "the eval's own prompt is the first level");
    return;
  }
  const Fields fields(kFollowUpSection, item, place, reading);
  FollowUp follow_up{fields.text("prompt").value_or(""), {}, place};
  if (const YamlNode* checks = fields.find("checks")) {
    follow_up.checks = read_level(*checks, checks->span, level + 1, follow_ups, reading);
    refuse_only_follow_ups(*checks, reading);
    narrow({}, follow_up.checks.all, reading);
  }
  out.follow_up.push_back(std::move(follow_up));
}

Checks read_level(const YamlNode& value, base::Span place, std::size_t level, FollowUps follow_ups,
                  Reading& reading) {
  Checks out;
  if (value.kind == YamlNode::Kind::map) {
    read_check_item(value, reading, out.all);
  } else if (value.kind == YamlNode::Kind::list) {
    for (const YamlNode* item : value.items) {
      if (is_follow_up(*item))
        add_follow_up(*item, level, follow_ups, reading, out);
      else
        read_check_item(*item, reading, out.all);
    }
    if (value.items.empty())
      reading.add(Code::empty_list, place, "`checks` is empty",
                  "a check says what the response must be: `match: \"*105*\"`");
  } else {
    report_type("`checks`", value, "a list of checks", reading,
                "write `checks: [match: \"*105*\"]`");
  }
  return out;
}

}  // namespace

const CheckKind* find_check_kind(std::string_view name) {
  const auto it =
      std::lower_bound(kCheckKinds.begin(), kCheckKinds.end(), name,
                       [](const CheckKind& kind, std::string_view key) { return kind.name < key; });
  return it != kCheckKinds.end() && it->name == name ? &*it : nullptr;
}

std::optional<Fields> read_table(const CheckKind& kind, const Section& section,
                                 const YamlNode& value, Reading& reading) {
  if (value.kind == YamlNode::Kind::map) return Fields(section, value, first_key(value), reading);
  report_type(quoted(kind.name), value, "a table", reading,
              fmt::format("write `{}`", kind.example));
  return std::nullopt;
}

void refuse_only_follow_ups(const YamlNode& value, Reading& reading) {
  const bool only_follow_ups =
      value.kind == YamlNode::Kind::list && !value.items.empty() &&
      std::all_of(value.items.begin(), value.items.end(),
                  [](const YamlNode* item) { return is_follow_up(*item); });
  if (only_follow_ups)
    reading.add(Code::empty_list, value,
                "`checks` has only follow-ups: put a check before the first one");
}

bool read_check_item(const YamlNode& item, Reading& reading, std::vector<Check>& out) {
  if (item.kind != YamlNode::Kind::map) {
    report_type("a check", item, "a table", reading, "write, for example, `match: …`");
    return false;
  }
  bool any = false;
  for (const auto& [key, value] : item.entries) {
    if (own_key(key->text)) continue;
    any = true;
    const CheckKind* kind = find_check_kind(key->text);
    if (!kind) {
      report_unknown_check(*key, reading);
      continue;
    }
    if (auto arguments = kind->read(*kind, *value, reading))
      out.push_back(Check{kind->type, *std::move(arguments), key->span});
  }
  if (!any)
    reading.add(Code::empty_list, item, "a check without a kind", "write, for example, `match: …`");
  return any;
}

Checks read_checks(const YamlNode& value, base::Span place, FollowUps follow_ups,
                   Reading& reading) {
  return read_level(value, place, 1, follow_ups, reading);
}

TokenLimits narrow(TokenLimits before, const std::vector<Check>& checks, Reading& reading) {
  const auto limit = [](const Check* check) { return std::get<Limit>(check->arguments).value; };
  for (const Check& check : checks) {
    if (check.type == CheckType::min_tokens) {
      if (!before.least || limit(before.least) < limit(&check)) before.least = &check;
    } else if (check.type == CheckType::max_tokens) {
      if (!before.most || limit(&check) < limit(before.most)) before.most = &check;
    } else {
      continue;
    }
    if (before.least && before.most && limit(before.most) < limit(before.least)) {
      const Check* other = check.type == CheckType::min_tokens ? before.most : before.least;
      const auto line = reading.document().source()->position(other->span.begin).line;
      reading.add(Code::bad_value, check.span,
                  fmt::format("no response can have at least {} and at most {} tokens",
                              limit(before.least), limit(before.most)),
                  fmt::format("the other limit is on line {}", line));
      return {};
    }
  }
  return before;
}

}  // namespace vibe::check
