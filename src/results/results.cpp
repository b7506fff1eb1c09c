#include "results/results.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json_stream.h"
#include "base/zip.h"
#include "results/lines.h"

namespace vibe::results {

using base::Code;

namespace {

constexpr std::size_t kHead = 256u << 10;  // bytes that the format is told by

void read_own(base::Input input, const Choice&, score::Samples& samples, base::Diagnostics& out) {
  read_lines(std::move(input), samples, out);
}

// The first that fits; the last fits everything, and says what it misses.
constexpr std::array kFormats{
    Format{"inspect archive", "a log of Inspect, `.eval`", false, false, true, is_inspect_archive,
           read_inspect_archive},
    Format{"inspect", "a log of Inspect, `.json`", false, false, true, is_inspect, read_inspect},
    Format{"promptfoo", "what `promptfoo eval -o out.json` writes", true, true, false, is_promptfoo,
           read_promptfoo},
    Format{"promptfoo lines", "what `promptfoo eval -o out.jsonl` writes", true, true, false,
           is_promptfoo_lines, read_promptfoo_lines},
    Format{"lines", "one JSON object a line, as any harness can write it", false, false, false,
           [](const Glance&) { return true; }, read_own},
};

void check_choice(const Format& format, const Choice& choice, const std::string& name,
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
              fmt::format("`{}` means nothing for these results: they are {}", option.option,
                          format.summary));
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

bool Glance::has(std::string_view name, char begins) const {
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return member.name == name && (begins == 0 || member.begins == begins);
  });
}

Glance glance(std::string_view head) {
  Glance out;
  out.zip = base::is_zip(head);
  if (out.zip) return out;
  auto input = base::Input::of("", std::string(head));
  base::JsonStream stream(input);
  stream.object(
      [&](std::string_view key) { out.members.push_back({std::string(key), stream.next()}); });
  return out;
}

bool read(base::Input input, const Choice& choice, score::Samples& samples,
          base::Diagnostics& out) {
  const std::size_t errors = out.errors();
  const std::string name = input.name();
  const auto head = input.peek(kHead);
  if (!head) {
    out.append(head.error());
    return false;
  }
  const Glance seen = glance(*head);
  const auto format = std::find_if(kFormats.begin(), kFormats.end(),
                                   [&](const Format& row) { return row.fits(seen); });
  check_choice(*format, choice, name, out);
  const std::size_t before = samples.size();
  if (out.errors() == errors) format->read(std::move(input), choice, samples, out);
  if (samples.size() == before && out.errors() == errors)
    out.add(Code::no_results, {base::make_source(name, ""), {}}, "the file holds no result",
            "write one JSON object a line: `{\"name\": \"math\", \"passed\": true, \"latency\": "
            "1.25, \"cost\": 0.0012}`");
  return out.errors() == errors;
}

bool read(const std::string& path, const Choice& choice, score::Samples& samples,
          base::Diagnostics& out) {
  auto input = base::Input::open(path);
  if (!input) {
    out.append(input.error());
    return false;
  }
  return read(std::move(*input), choice, samples, out);
}

}  // namespace vibe::results
