#include "results/results.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json_stream.h"
#include "base/text.h"
#include "base/zip.h"
#include "results/lines.h"

namespace vibe::results {

using base::Code;

namespace {

constexpr std::size_t kHead = 256u << 10;  // bytes from which the format is detected

void read_own(base::Input input, const Choice&, score::Samples& samples, base::Diagnostics& out) {
  read_lines(std::move(input), samples, out);
}

// The first match counts; the last one matches everything, and reports what is missing.
constexpr std::array kFormats{
    ResultsFormat{"run", "vibe runs, from `vibe get run --json` or `vibe check --json`", true,
                  false, false, is_run, read_run},
    ResultsFormat{"run table", "a vibe run, from `vibe get run --csv`", false, false, false,
                  is_run_table, read_run_table},
    ResultsFormat{"inspect archive", "an Inspect log, `.eval`", false, false, true,
                  is_inspect_archive, read_inspect_archive},
    ResultsFormat{"inspect", "an Inspect log, `.json`", false, false, true, is_inspect,
                  read_inspect},
    ResultsFormat{"promptfoo", "promptfoo results, from `promptfoo eval -o out.json`", true, true,
                  false, is_promptfoo, read_promptfoo},
    ResultsFormat{"promptfoo lines", "promptfoo results, from `promptfoo eval -o out.jsonl`", true,
                  true, false, is_promptfoo_lines, read_promptfoo_lines},
    ResultsFormat{"lines", "one JSON object per line, from any harness", false, false, false,
                  [](const Glance&) { return true; }, read_own},
};

void check_choice(const ResultsFormat& format, const Choice& choice, const std::string& name,
                  base::Diagnostics& out) {
  const struct {
    std::string_view option;
    bool given, taken;
  } kOptions[] = {{"--provider", choice.provider.has_value(), format.takes_provider},
                  {"--prompt", choice.prompt.has_value(), format.takes_prompt},
                  {"--scorer", choice.scorer.has_value(), format.takes_scorer},
                  {"--pass-at", choice.pass_at.has_value(), format.takes_scorer}};
  for (const auto& option : kOptions)
    if (option.given && !option.taken)
      out.add(Code::bad_usage, {base::make_source(name, ""), {}},
              fmt::format("`{}` does not apply to these results: they are {}", option.option,
                          format.summary));
}

// The cells of the first line, without their quotes.
std::vector<std::string> columns_of(std::string_view head) {
  if (head.starts_with(base::kByteOrderMark)) head.remove_prefix(base::kByteOrderMark.size());
  std::string_view line = base::trim(head.substr(0, head.find('\n')));
  std::vector<std::string> out;
  while (true) {
    std::string_view cell = base::trim(line.substr(0, line.find(',')));
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
      cell = cell.substr(1, cell.size() - 2);
    out.emplace_back(cell);
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

std::span<const ResultsFormat> formats() { return kFormats; }

bool has_member(std::span<const Glance::Member> members, std::string_view name, char begins) {
  return std::any_of(members.begin(), members.end(), [&](const Glance::Member& member) {
    return member.name == name && (begins == 0 || member.begins == begins);
  });
}

bool Glance::has(std::string_view name, char begins) const {
  return has_member(members, name, begins);
}

Glance glance(std::string_view head) {
  Glance out;
  out.zip = base::is_zip(head);
  if (out.zip) return out;
  auto input = base::Input::of("", std::string(head));
  base::JsonStream stream(input);
  const char begins = stream.next();
  out.is_list = begins == '[';
  const auto read_members = [&](std::vector<Glance::Member>& members) {
    stream.object(
        [&](std::string_view key) { members.push_back({std::string(key), stream.next()}); });
  };
  if (begins == '{') read_members(out.members);
  if (begins == '[')
    stream.array([&] {
      if (out.first_item.empty()) read_members(out.first_item);
    });
  if (begins != '{' && begins != '[') out.columns = columns_of(head);
  return out;
}

bool read(base::Input input, const Choice& choice, score::Samples& samples,
          base::Diagnostics& out) {
  const std::size_t errors = out.errors();
  const std::string name = input.name();
  const auto head = input.peek(kHead);
  if (failed(head, out)) return false;
  const Glance seen = glance(*head);
  const auto format = std::find_if(kFormats.begin(), kFormats.end(),
                                   [&](const ResultsFormat& row) { return row.fits(seen); });
  check_choice(*format, choice, name, out);
  const std::size_t before = samples.size();
  if (out.errors() == errors) format->read(std::move(input), choice, samples, out);
  if (samples.size() == before && out.errors() == errors)
    out.add(Code::no_results, {base::make_source(name, ""), {}}, "the file has no results",
            "write one JSON object per line: `{\"name\": \"math\", \"passed\": true, \"latency\": "
            "1.25, \"cost\": 0.0012}`");
  return out.errors() == errors;
}

bool read(const std::string& path, const Choice& choice, score::Samples& samples,
          base::Diagnostics& out) {
  auto input = base::Input::open(path);
  if (failed(input, out)) return false;
  return read(std::move(*input), choice, samples, out);
}

}  // namespace vibe::results
